"""What the tests of checkpoints share: a folder, a store beside it, and steps of a thread."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from longrein.workspace.checkpoints.facts import CHANGED
from longrein.workspace.checkpoints.planning import RestorePlan
from longrein.workspace.checkpoints.restoring import Restored
from longrein.workspace.checkpoints.store import Checkpoints
from longrein.workspace.checkpoints.thread import ThreadCheckpoints
from longrein.workspace.checkpoints.values import FileChange, Keeping, Standing
from longrein.workspace.disk import DiskFiles
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.rules import FileRule


@dataclass
class At:
    """A moment of a thread, with what was recorded at it."""

    seq: int
    run: str = "run_1"
    call: str = "call_1"
    facts: list[Any] = field(default_factory=list[Any])

    def record(self, kind: str, data: Any = None) -> None:
        assert kind == "files_changed"
        self.facts.append(data)


class Thread:
    """A thread that works in a folder: each step has the number of an event."""

    def __init__(
        self,
        checkpoints: Checkpoints,
        root: Path,
        id: str = "thr_1",
        rules: Sequence[FileRule] = (),
        besides: Sequence[str] = (),
        above: Callable[[], tuple[Standing, ...]] = tuple,
    ) -> None:
        self.known = CHANGED.initial
        self.jobs_run = False
        self.root = root
        self.id = id
        self.checkpoints = checkpoints
        self.files = Mounts({"/": MemoryFiles(), str(root): DiskFiles(root)})
        self.kept = ThreadCheckpoints(
            checkpoints,
            id,
            self.files,
            folder=str(root),
            at=str(root),
            rules=rules,
            besides=[self.path(name) for name in besides],
            jobs_run=lambda: self.jobs_run,
            above=above,
        )

    async def edit(self, seq: int, name: str, text: str, run: str = "run_1") -> At:
        """A file tool that writes a file."""
        at = At(seq, run, f"call_{seq}")
        path = self.path(name)
        await self.kept.before(at, self.files, [path])
        await self.files.write(path, text.encode())
        await self.kept.after(at, self.files, [path])
        return at

    async def shell(
        self, seq: int, command: Callable[[], object], run: str = "run_1"
    ) -> tuple[FileChange, ...]:
        """A shell command."""
        at = At(seq, run, f"call_{seq}")
        await self.kept.before_command(at)
        command()
        return await self.kept.after_command(at)

    async def rewind(
        self, since: int, seq: int, overwrite: Sequence[str] = ()
    ) -> tuple[RestorePlan, Restored]:
        """A rewind whose event is written: the thread knows of it."""
        plan = await self.kept.plan(since, overwrite)
        restored = await self.kept.restore(plan, At(seq, "", ""), self.known)
        self.known = replace(self.known, rewound=seq)
        return plan, restored

    async def changed(self, since: int = 0, run: str = "") -> dict[str, str]:
        """The files that changed, by name, with what became of them."""
        found = await self.checkpoints.changed(self.id, since, run)
        return {one.path.removeprefix(f"{self.root}/"): one.status for one in found}

    def path(self, name: str) -> str:
        return f"{self.root}/{name}"


@asynccontextmanager
async def working(
    folder: Path, *, keeping: Keeping | None = None, rules: Sequence[FileRule] = ()
) -> AsyncGenerator[Thread, None]:
    """A thread that works in `folder/project`, with its checkpoints beside it."""
    root = folder / "project"
    root.mkdir(exist_ok=True)
    checkpoints = Checkpoints(str(folder / "app.db-files"), keeping)
    try:
        yield Thread(checkpoints, root, rules=rules)
    finally:
        await checkpoints.close()


def put(root: Path, contents: Mapping[str, str | bytes]) -> None:
    """Files with these contents, long enough ago that their time stamps tell."""
    for name, content in contents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def contents(root: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
