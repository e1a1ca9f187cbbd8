"""Every file system there is, by name, each with nothing in it."""

from collections.abc import Callable
from pathlib import Path

from longrein.storage.memory import MemoryStore
from longrein.workspace.base import FileSystem
from longrein.workspace.disk import DiskFiles
from longrein.workspace.guarded import Guarded
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.rules import FileRule, policy
from longrein.workspace.stored import StoredFiles
from longrein.workspace.thread import ThreadFiles
from tests.workspace.thread_log import Log


def _guarded(root: Path) -> FileSystem:
    return Guarded(DiskFiles(root), policy([FileRule("deny", ("/forbidden/**",))]))


BACKENDS: dict[str, Callable[[Path], FileSystem]] = {
    "memory": lambda _: MemoryFiles(),
    "stored": lambda _: StoredFiles(MemoryStore(), "user/1"),
    "disk": DiskFiles,
    "disk without ripgrep and openat2": lambda root: DiskFiles(root, ripgrep="", openat2=False),
    "mounts": lambda _: Mounts({"/": MemoryFiles()}),
    "guarded": _guarded,
    "thread": lambda _: ThreadFiles(Log()),
}
