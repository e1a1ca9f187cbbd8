"""Checkpoints: asked before the first byte changes and after the change, and not otherwise."""

from collections.abc import Sequence

from longrein.capabilities.file_tools.place import Call
from longrein.workspace.base import FileSystem
from tests.capabilities.file_tools.kit import Bench


class Noting:
    """Notes when it is asked, and what the files are then."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, dict[str, bytes | None]]] = []

    async def before(self, ctx: Call, files: FileSystem, paths: Sequence[str]) -> None:
        self.notes.append(("before", await contents(files, paths)))

    async def after(self, ctx: Call, files: FileSystem, paths: Sequence[str]) -> None:
        self.notes.append(("after", await contents(files, paths)))


async def contents(files: FileSystem, paths: Sequence[str]) -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = {}
    for path in paths:
        stat = await files.stat(path)
        found[path] = (await files.read(path)).data if stat and stat.kind == "file" else None
    return found


def test_every_change_is_announced_before_it_is_made() -> None:
    noting = Noting()
    bench = Bench(checkpoint=noting)
    bench.use("write_file", path="a", content="1")
    bench.use("edit_file", path="a", edits=[{"old_string": "1", "new_string": "2"}])
    bench.use("move", source="a", target="b")
    bench.use("delete", path="b")
    assert noting.notes == [
        ("before", {"/a": None}),
        ("after", {"/a": b"1"}),
        ("before", {"/a": b"1"}),
        ("after", {"/a": b"2"}),
        ("before", {"/a": b"2", "/b": None}),
        ("after", {"/a": None, "/b": b"2"}),
        ("before", {"/b": b"2"}),
        ("after", {"/b": None}),
    ]


def test_what_changes_nothing_is_not_announced() -> None:
    noting = Noting()
    bench = Bench(checkpoint=noting)
    bench.put(a=b"x")
    bench.use("read_file", path="a")
    bench.use("write_file", path="a", content="x")
    bench.fail("edit_file", path="a", edits=[{"old_string": "zzz", "new_string": ""}])
    bench.fail("write_file", path="b/../../c", content="")
    assert noting.notes == []


def test_a_checkpoint_that_fails_keeps_the_change_from_happening() -> None:
    class Failing(Noting):
        async def before(self, ctx: Call, files: FileSystem, paths: Sequence[str]) -> None:
            raise OSError("no room")

    bench = Bench(checkpoint=Failing())
    assert "no room" in bench.fail("write_file", path="a", content="x")
    assert bench.get("/a") is None
