"""The search index of the SQLite store: kept by those who search, beside those who write."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from longrein.storage.base import Append, Store
from longrein.storage.sqlite import SqliteStore
from longrein.testing.store_cases.setting import lease_on, written
from tests.support import run


async def _found(store: Store, query: str) -> list[int]:
    return [hit.seq for hit in await store.search("res", query, bytes.decode)]


def _count(path: Path, table: str) -> int:
    connection = sqlite3.connect(path)
    count = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    connection.close()
    return count


def test_writing_costs_the_index_nothing(tmp_path: Path) -> None:
    path = tmp_path / "test.db"

    async def check() -> None:
        store = SqliteStore(path)
        lease = await written(store, "thr_1", b"one", b"two")
        assert (_count(path, "texts"), _count(path, "indexed")) == (0, 0)
        assert await _found(store, "two") == [2]
        await store.append(Append(lease, 2, [b"three"]))
        assert (_count(path, "texts"), _count(path, "indexed")) == (2, 1)
        await store.close()

    run(check())


def test_others_write_while_a_long_thread_is_indexed(tmp_path: Path) -> None:
    async def check() -> None:
        store = SqliteStore(tmp_path / "test.db", "NORMAL")
        long = [b"word%d and more " % number + b"x" * 1_000 for number in range(4_000)]
        await written(store, "long", *long)
        lease = await written(store, "other")
        search = asyncio.ensure_future(_found(store, "word3999"))
        appended = 0
        while not search.done():
            appended = await store.append(Append(lease, appended, [b"meanwhile"]))
        assert await search == [4_000]
        assert appended > 10
        await store.close()

    run(check())


def test_several_stores_index_the_same_threads_at_once(tmp_path: Path) -> None:
    async def check() -> None:
        stores = [SqliteStore(tmp_path / "test.db", "NORMAL") for _ in range(3)]
        await written(stores[0], "thr_1", *(b"word%d" % number for number in range(3_000)))
        found = await asyncio.gather(*(_found(store, "word2999") for store in stores))
        assert found == [[3_000]] * 3
        for store in stores:
            await store.close()

    run(check())


def test_a_text_that_cannot_be_had_fails_the_search_alone(tmp_path: Path) -> None:
    def broken(data: bytes) -> str:
        if data == b"three":
            raise ValueError("what is this?")
        return data.decode()

    async def check() -> None:
        store = SqliteStore(tmp_path / "test.db")
        await written(store, "thr_1", b"one")
        lease = await written(store, "thr_2", b"two", b"three")
        done = await asyncio.gather(
            store.search("res", "one", broken),
            *(store.append(Append(lease, after, [b"four"])) for after in (2, 3)),
            return_exceptions=True,
        )
        assert isinstance(done[0], ValueError)
        assert done[1:] == [3, 4]
        with pytest.raises(ValueError, match="what is this"):
            await store.search("res", "one", broken)
        assert await _found(store, "three") == [2]
        await store.close()

    run(check())


def test_indexing_goes_on_after_a_search_that_was_given_up(tmp_path: Path) -> None:
    path = tmp_path / "test.db"

    async def check() -> None:
        store = SqliteStore(path, "NORMAL")
        await written(store, "thr_1", *(b"word%d " % n + b"x" * 500 for n in range(4_000)))
        search = asyncio.ensure_future(_found(store, "word"))
        while not _count(path, "indexed"):
            await store.head("thr_1")
        search.cancel()
        await asyncio.wait([search])
        assert 0 < _count(path, "texts") < 4_000
        assert await _found(store, "word3999") == [4_000]
        assert _count(path, "texts") == 4_000
        await store.close()

    run(check())


def test_a_rewritten_event_is_indexed_again_and_the_others_are_not(tmp_path: Path) -> None:
    async def check() -> None:
        store = SqliteStore(tmp_path / "test.db")
        await written(store, "thr_1", b"one", b"two", b"three")
        lease = await lease_on(store, "thr_1")
        assert await _found(store, "two") == [2]
        await store.rewrite(lease, {1: b"new"})
        read: list[bytes] = []

        def text_of(data: bytes) -> str:
            read.append(data)
            return data.decode()

        assert await store.search("res", "nothing", text_of) == []
        assert read == [b"new"]
        await store.close()

    run(check())
