"""Texts as files that can only be read."""

from collections.abc import Awaitable, Callable, Sequence

import pytest

from longrein.workspace.base import UNKNOWN, Entry, FileSystem, FoundLine, Grep, Stat
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.problems import BadPath, Missing, NotAFile, NotAFolder, Refused
from longrein.workspace.texts import TextFiles
from tests.support import run

_FITS: type[FileSystem] = TextFiles


class Two:
    """Two texts, and one that is not listed; counts how often one is made."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def names(self) -> Sequence[str]:
        return ["b.txt", "a.txt"]

    async def text(self, name: str) -> str | None:
        self.made.append(name)
        texts = {"a.txt": "one\ntwo\n", "b.txt": "x" * 200_000 + "END", "hidden.txt": "three"}
        return texts.get(name)


def files() -> TextFiles:
    return TextFiles(Two(), "Only to read.")


def test_names_are_listed_in_order_without_making_their_texts() -> None:
    two = Two()
    listing = run(TextFiles(two, "").entries("/"))
    assert listing.entries == (Entry("a.txt", "file", UNKNOWN), Entry("b.txt", "file", UNKNOWN))
    assert two.made == []
    assert run(TextFiles(two, "").entries("/", 1)).more


def test_what_is_not_listed_can_be_read_by_its_name() -> None:
    assert run(files().read("/hidden.txt")).data == b"three"
    assert run(files().read("/a.txt", 4, 3)).data == b"two"


def test_a_file_has_its_size_and_another_revision_with_another_text() -> None:
    found, other = run(files().stat("/a.txt")), run(files().stat("/hidden.txt"))
    assert isinstance(found, Stat)
    assert found.size == 8
    assert other is not None
    assert found.revision != other.revision
    assert run(files().stat("/none")) is None


CANNOT: list[tuple[Callable[[FileSystem], Awaitable[object]], type[Exception]]] = [
    (lambda one: one.read("/none"), Missing),
    (lambda one: one.read("/"), NotAFile),
    (lambda one: one.read("/a.txt/b"), Missing),
    (lambda one: one.read("/../a.txt"), BadPath),
    (lambda one: one.entries("/a.txt"), NotAFolder),
    (lambda one: one.entries("/none"), Missing),
    (lambda one: one.write("/new", b"x"), Refused),
    (lambda one: one.remove("/a.txt"), Refused),
    (lambda one: one.move("/a.txt", "/c.txt"), Refused),
]


@pytest.mark.parametrize(("work", "problem"), CANNOT)
def test_what_cannot_be_done_is_told(
    work: Callable[[FileSystem], Awaitable[object]], problem: type[Exception]
) -> None:
    async def body() -> None:
        with pytest.raises(problem):
            await work(files())

    run(body())


def test_a_search_makes_each_text_once() -> None:
    async def body() -> None:
        two = Two()
        found = [one async for one in TextFiles(two, "").grep(Grep("END|two"))]
        assert [one.path for one in found] == ["/a.txt", "/b.txt"]
        assert isinstance(found[1], FoundLine)
        assert found[1].number == 201
        assert two.made == ["a.txt", "b.txt"]

    run(body())


def test_searches_from_above_leave_out_what_is_mounted_aside() -> None:
    async def body() -> None:
        base = MemoryFiles()
        await base.write("/own/a.txt", b"two\n")
        both = Mounts({"/": base, "/past": files()}, aside=["/past"])
        for under, found in (("/", ["/own/a.txt"]), ("/past", ["/past/a.txt", "/past/b.txt"])):
            assert [path async for path in both.glob("*.txt", under)] == found
        hits = [one.path async for one in both.grep(Grep("two"))]
        assert hits == ["/own/a.txt"]
        assert [one.name for one in (await both.entries("/")).entries] == ["own", "past"]

    run(body())


def test_a_pattern_that_begins_in_what_is_mounted_aside_finds_it_from_above() -> None:
    async def body() -> None:
        both = Mounts({"/": MemoryFiles(), "/past": files()}, aside=["/past"])
        every = ["/past/a.txt", "/past/b.txt"]
        for pattern, found in (
            ("/past/**", every),
            ("past/*.txt", every),
            ("/past/a.txt", every[:1]),
        ):
            assert [path async for path in both.glob(pattern, "/")] == found
        assert [path async for path in both.glob("/p*/*.txt", "/")] == []
        hits = [one.path async for one in both.grep(Grep("two", include="/past/*.txt"))]
        assert hits == ["/past/a.txt"]

    run(body())
