"""Files in the store: kept, shared by the threads of a resource, and nobody else's."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from longrein.storage.memory import MemoryStore
from longrein.storage.sqlite import SqliteStore
from longrein.testing.filesystem_cases.setting import all_of, filled
from longrein.workspace.problems import Changed, TooLarge
from longrein.workspace.stored import LARGEST, StoredFiles
from tests.support import run


def test_files_are_there_after_the_store_was_closed(tmp_path: Path) -> None:
    async def write() -> str:
        store = SqliteStore(tmp_path / "test.db")
        stat = await StoredFiles(store, "user").write("/notes/a", b"\x00\xff", mode=0o600)
        await store.close()
        return stat.revision

    async def read(revision: str) -> None:
        store = SqliteStore(tmp_path / "test.db")
        content = await StoredFiles(store, "user").read("/notes/a")
        assert (content.data, content.stat.mode) == (b"\x00\xff", 0o600)
        assert content.stat.revision == revision
        await store.close()

    run(read(run(write())))


def test_resources_and_names_do_not_see_each_other() -> None:
    store = MemoryStore()
    owners = [("a", "files"), ("a/files", "x"), ("a", "files/x"), ("", "files"), ("a%2Ffiles", "x")]
    for resource, name in owners:
        run(StoredFiles(store, resource, name=name).write(f"/{len(resource)}{len(name)}", b""))
    for resource, name in owners:
        files = StoredFiles(store, resource, name=name)
        assert run(all_of(files.glob("**"))) == [f"/{len(resource)}{len(name)}"]


def test_a_file_is_small() -> None:
    files = StoredFiles(MemoryStore(), "user")
    run(files.write("/a", bytes(LARGEST)))
    with pytest.raises(TooLarge):
        run(files.write("/b", bytes(LARGEST + 1)))


class Counting(MemoryStore):
    """A store that notes how many pairs each transaction changed."""

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[int] = []

    async def change(self, pairs: Sequence[tuple[str, bytes | None]]) -> None:
        self.changes.append(len(pairs))
        await super().change(pairs)


def test_a_folder_moves_and_goes_in_one_transaction() -> None:
    store = Counting()
    files = StoredFiles(store, "user")
    run(filled(files, "/d/a", "/d/b"))
    run(files.move("/d", "/e"))
    run(files.remove("/e", recursive=True))
    assert store.changes == [1, 1, 4, 2]
    assert run(store.keys("files/")) == []


def test_of_two_who_change_one_file_the_second_is_told(tmp_path: Path) -> None:
    async def body() -> None:
        stores = [SqliteStore(tmp_path / "test.db") for _ in range(2)]
        first, second = (StoredFiles(store, "user") for store in stores)
        known = (await first.write("/a", b"one", expected="")).revision
        done = await asyncio.gather(
            first.write("/a", b"two", expected=known),
            second.write("/a", b"three", expected=known),
            return_exceptions=True,
        )
        assert [type(one) for one in done if isinstance(one, Exception)] == [Changed]
        with pytest.raises(Changed):
            await second.write("/a", b"four", expected=known)
        for store in stores:
            await store.close()

    run(body())
