"""Appending and reading events; snapshots and blobs."""

import asyncio
from hashlib import sha256

from longrein.core.errors import LeaseLost, NotFound, UsageError
from longrein.storage.base import Append, Facts, Snapshot, Store
from longrein.testing.store_cases.setting import contents, lease_on, new_thread, raised, written


async def events_are_numbered_from_one_without_gaps(store: Store, other: Store) -> None:
    await new_thread(store, "thr_1")
    lease = await lease_on(store, "thr_1")
    assert await store.head("thr_1") == 0
    assert await store.append(Append(lease, 0, [b"one", b"two"])) == 2
    assert await store.append(Append(lease, 2, [b"three"])) == 3
    assert await contents(other, "thr_1") == [(1, b"one"), (2, b"two"), (3, b"three")]
    assert await other.head("thr_1") == 3


async def events_are_read_from_a_position_in_pages(store: Store, _: Store) -> None:
    await written(store, "thr_1", *(b"%d" % number for number in range(1, 31)))
    page = await store.read("thr_1", after=7, limit=3)
    assert [(event.seq, event.data) for event in page] == [(8, b"8"), (9, b"9"), (10, b"10")]
    assert await store.read("thr_1", after=30) == []
    assert len(await store.read("thr_1", limit=1000)) == 30


async def threads_do_not_see_each_other(store: Store, _: Store) -> None:
    await written(store, "thr_1", b"mine")
    await written(store, "thr_2", b"yours", b"too")
    assert await contents(store, "thr_1") == [(1, b"mine")]
    assert await contents(store, "thr_2") == [(1, b"yours"), (2, b"too")]


async def any_bytes_come_back_as_they_were(store: Store, other: Store) -> None:
    events = [b"", b"\x00\xff", bytes(64 * 1024), b"x" * (64 * 1024 + 1), b"y" * 300_000]
    await written(store, "thr_1", *events, *events)
    assert [event.data for event in await other.read("thr_1")] == events * 2


async def an_append_must_follow_the_head(store: Store, _: Store) -> None:
    lease = await written(store, "thr_1", b"1", b"2")
    for after in (0, 1, 3):
        await raised(store.append(Append(lease, after, [b"x"])), LeaseLost)
    assert await store.append(Append(lease, 2, [b"3"])) == 3


async def a_refused_append_changes_nothing(store: Store, _: Store) -> None:
    lease = await written(store, "thr_1", b"1")
    before = await store.thread("thr_1")
    await store.put("kept", b"kept")
    facts = Facts("new", "running", 5)
    missing = sha256(b"never put").hexdigest()
    pairs = [("new", b"value"), ("kept", None)]
    await raised(store.append(Append(lease, 0, [b"x"], facts, pairs=pairs)), LeaseLost)
    await raised(store.append(Append(lease, 1, [b"x"], facts, [missing], (), pairs)), UsageError)
    assert await contents(store, "thr_1") == [(1, b"1")]
    assert await store.thread("thr_1") == before
    assert await store.get("new") is None
    assert await store.get("kept") == b"kept"


async def an_append_puts_and_removes_pairs(store: Store, other: Store) -> None:
    lease = await written(store, "thr_1")
    await store.put("old", b"old")
    pairs = [("new", b"1"), ("new", b"2"), ("old", None), ("never there", None)]
    await store.append(Append(lease, 0, [b"1"], pairs=pairs))
    assert await other.get("new") == b"2"
    assert await other.keys("") == ["new"]


async def of_appends_at_once_each_fails_alone(store: Store, _: Store) -> None:
    leases = [await written(store, f"thr_{number}", b"1") for number in range(6)]
    writes = [Append(lease, number % 2, [b"2"]) for number, lease in enumerate(leases)]
    done = await asyncio.gather(*map(store.append, writes), return_exceptions=True)
    assert [isinstance(each, LeaseLost) for each in done] == [True, False] * 3
    assert [await store.head(f"thr_{number}") for number in range(6)] == [1, 2] * 3


async def a_missing_thread_is_said_to_be_missing(store: Store, _: Store) -> None:
    await raised(store.read("thr_1"), NotFound)
    await raised(store.head("thr_1"), NotFound)
    await raised(store.take("thr_1", "me"), NotFound)


async def the_newest_snapshot_of_a_version_is_found(store: Store, other: Store) -> None:
    await written(store, "thr_1", b"1", b"2", b"3")
    assert await store.snapshot("thr_1", "v1") is None
    await store.save_snapshot("thr_1", Snapshot(1, "v1", b"at 1", 1))
    await store.save_snapshot("thr_1", Snapshot(2, "v1", b"at 2" * 100_000, 2))
    assert await other.snapshot("thr_1", "v1") == Snapshot(2, "v1", b"at 2" * 100_000, 2)
    assert await other.snapshot("thr_1", "v2") is None
    await store.save_snapshot("thr_1", Snapshot(2, "v2", b"again", 2))
    assert await other.snapshot("thr_1", "v2") == Snapshot(2, "v2", b"again", 2)


async def a_blob_lies_under_its_digest(store: Store, other: Store) -> None:
    data = b"picture" * 1000
    digest = await store.put_blob(data)
    assert digest == sha256(data).hexdigest()
    assert await other.put_blob(data) == digest
    assert await other.blob(digest) == data
    assert await store.blob(sha256(b"other").hexdigest()) is None
    assert await store.blob("not a digest") is None


async def a_blob_stays_as_long_as_an_event_refers_to_it(store: Store, other: Store) -> None:
    shared, own = await store.put_blob(b"shared"), await store.put_blob(b"own")
    first = await written(store, "thr_1")
    second = await written(store, "thr_2")
    await store.append(Append(first, 0, [b"1"], blobs=[shared, own, shared]))
    await store.append(Append(second, 0, [b"1"], blobs=[shared]))
    await store.delete("thr_1")
    assert await other.blob(own) is None
    assert await other.blob(shared) == b"shared"
    await store.delete("thr_2")
    assert await other.blob(shared) is None


async def a_blob_put_again_outlives_its_first_thread(store: Store, other: Store) -> None:
    digest = await store.put_blob(b"data")
    first = await written(store, "thr_1")
    await store.append(Append(first, 0, [b"1"], blobs=[digest]))
    await other.put_blob(b"data")
    await store.delete("thr_1")
    second = await written(other, "thr_2")
    await other.append(Append(second, 0, [b"1"], blobs=[digest]))
    assert await store.blob(digest) == b"data"
