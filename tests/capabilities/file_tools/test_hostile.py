"""Hostile paths: each against every file tool on every file system."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longrein.capabilities.file_tools.place import Call
from longrein.capabilities.file_tools.thread import thread_files
from longrein.core.errors import ToolError
from longrein.core.messages import Text
from longrein.storage.memory import MemoryStore
from longrein.tools.define import Tool
from longrein.workspace.base import FileSystem
from longrein.workspace.carrying import put_files, take_files
from longrein.workspace.disk import DiskFiles
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.paths import fold
from longrein.workspace.rules import FileRule
from longrein.workspace.stored import StoredFiles
from tests.capabilities.file_tools.kit import Bench
from tests.support import run
from tests.workspace.corpus import Hostile, hostile_paths, outside, trap

CORPUS = hostile_paths()
OUTSIDE, INSIDE = "4711", "0815"
HIDDEN = {"/secret.txt": b"pin 0815\n", "/secret/key": b"key 0815\n", "/folder/.env": b"env 0815\n"}
RULES = [FileRule("deny", ("/secret.txt", "/secret", "**/.env"))]

SLOW = "disk without ripgrep and openat2"
"""Goes through deep folders name by name, again and again: for this one no deep ones."""

Maker = Callable[[Path], FileSystem | Callable[[Call], FileSystem]]
BACKENDS: dict[str, Maker] = {
    "memory": lambda _: MemoryFiles(),
    "stored": lambda _: StoredFiles(MemoryStore(), "user/1"),
    "disk": DiskFiles,
    SLOW: lambda root: DiskFiles(root, ripgrep="", openat2=False),
    "mounts": lambda root: Mounts({"/": MemoryFiles(), "/in": DiskFiles(root)}),
    "thread": lambda _: thread_files,
}
Try = tuple[str, Callable[[str], dict[str, Any]]]
TRIES: list[Try] = [
    ("ls", lambda path: {"path": path}),
    ("read_file", lambda path: {"path": path}),
    ("glob", lambda path: {"pattern": "*", "path": path}),
    ("grep", lambda path: {"pattern": "8", "path": path, "literal": True}),
    ("write_file", lambda path: {"path": path, "content": "mine"}),
    (
        "edit_file",
        lambda path: {
            "path": path,
            "edits": [{"old_string": "i", "new_string": "e", "replace_all": True}],
        },
    ),
    ("move", lambda path: {"source": path, "target": "/moved", "replace": True}),
    ("move", lambda path: {"source": "/file.txt", "target": path, "replace": True}),
    ("delete", lambda path: {"path": path, "recursive": True}),
]


AS_PATTERN: list[Try] = [
    ("glob", lambda path: {"pattern": path}),
    ("grep", lambda path: {"pattern": path, "include": path, "literal": True}),
]
SEARCHES = ("glob", "grep")


async def attempt(bench: Bench, name: str, arguments: dict[str, Any]) -> str:
    """What the model hears; anything but a result or a `ToolError` ends the test."""
    tool, text = bench.tools[name], json.dumps(arguments)
    heard = await _run(bench, tool, text, looked_at=True)
    if name in SEARCHES:
        return heard
    # And once more, as if nobody had looked at the call before.
    return f"{heard}\n{await _run(bench, tool, text)}"


async def _run(bench: Bench, tool: Tool, text: str, *, looked_at: bool = False) -> str:
    ctx = bench.context(tool.name)
    try:
        async with asyncio.timeout(60):
            values = tool.arguments.read(text)
            if looked_at and not bench.judged(tool, await tool.touched(text, ctx)):
                return "refused"
            heard = _words(await tool.function(ctx=ctx, **values))
    except ToolError as error:
        return str(error)
    bench.write(ctx)
    return heard


def _words(returned: Any) -> str:
    if isinstance(returned, str):
        return returned
    return "\n".join(part.text for part in returned if isinstance(part, Text))


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_path_gets_out_or_past_a_rule_or_ends_a_run(backend: str, tmp_path: Path) -> None:
    root = trap(tmp_path)
    before = outside(tmp_path)
    bench = Bench(BACKENDS[backend](root), rules=RULES)

    async def attack() -> None:
        await put(bench, HIDDEN)
        for number, hostile in enumerate(CORPUS):
            if backend == SLOW and hostile.path.count("/") > 50:
                continue
            for name, arguments in TRIES if number % 3 else (*TRIES, *AS_PATTERN):
                given = arguments(hostile.path)
                heard = await attempt(bench, name, given)
                assert OUTSIDE not in heard, (name, given, heard)
                assert INSIDE not in heard, (name, given, heard)
            await restore(bench)
        await check(bench)

    run(attack(), seconds=150)
    assert outside(tmp_path) == before


async def put(bench: Bench, contents: dict[str, bytes]) -> None:
    ctx = bench.context("")
    await put_files(bench.files(ctx), contents)
    bench.write(ctx)


async def restore(bench: Bench) -> None:
    """Put back what may be moved or changed, and remove what makes walks long."""
    ctx = bench.context("")
    files = bench.files(ctx)
    for deep in ("/a", "/d"):
        if await files.stat(deep):
            await files.remove(deep, recursive=True)
    bench.write(ctx)
    await put(bench, {"/file.txt": b"mine"})


async def check(bench: Bench) -> None:
    """That what rules deny is as it was, and nothing new is there that is taken for it."""
    found = {path: content.data async for path, content in take_files(bench.files())}
    assert {path: found[path] for path in HIDDEN} == HIDDEN
    alike = [path for path in found if fold(path).startswith("/secret")]
    assert sorted(alike) == ["/secret.txt", "/secret/key"]


@pytest.mark.parametrize("hostile", [one for one in CORPUS if one.becomes is None], ids=str)
def test_a_path_that_cannot_be_is_told_in_words_by_every_tool(hostile: Hostile) -> None:
    bench = Bench()
    for name, arguments in TRIES:
        heard = run(attempt(bench, name, arguments(hostile.path))).split("\n")
        assert all(line.isprintable() and len(line) < 600 for line in heard), (name, heard)
