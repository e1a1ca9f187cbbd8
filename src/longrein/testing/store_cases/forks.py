"""Forks, which read their parents, and what deleting leaves of a family."""

from longrein.core.errors import LeaseLost, NotFound, UsageError
from longrein.storage.base import Append, Posted, Snapshot, Store, ThreadRow
from longrein.testing.store_cases.setting import contents, new_thread, raised, written


async def a_fork_reads_its_parent_and_then_itself(store: Store, other: Store) -> None:
    lease = await written(store, "old", b"1", b"2", b"3")
    await written(store, "new", b"3'", parent="old", fork_at=2)
    await store.append(Append(lease, 3, [b"4"]))
    assert await contents(other, "new") == [(1, b"1"), (2, b"2"), (3, b"3'")]
    assert await contents(other, "old") == [(1, b"1"), (2, b"2"), (3, b"3"), (4, b"4")]
    assert [event.seq for event in await store.read("new", after=1, limit=2)] == [2, 3]
    assert [event.seq for event in await store.read("new", after=0, limit=1)] == [1]
    assert await store.read("new", after=3) == []


async def a_fork_without_events_ends_where_it_forked(store: Store, _: Store) -> None:
    await written(store, "old", b"1", b"2", b"3")
    row = await new_thread(store, "new", parent="old", fork_at=2)
    assert await store.head("new") == 2
    assert await store.thread("new") == row
    assert [event.data for event in await store.read("new")] == [b"1", b"2"]


async def a_fork_of_a_fork_reads_all_of_its_line(store: Store, _: Store) -> None:
    await written(store, "a", b"1", b"2", b"3")
    await written(store, "b", b"3b", b"4b", parent="a", fork_at=2)
    await written(store, "c", b"4c", parent="b", fork_at=3)
    await written(store, "d", b"2d", parent="b", fork_at=1)
    assert [event.data for event in await store.read("c")] == [b"1", b"2", b"3b", b"4c"]
    assert await contents(store, "d") == [(1, b"1"), (2, b"2d")]


async def a_fork_needs_a_point_that_is_there(store: Store, _: Store) -> None:
    await written(store, "old", b"1", b"2")
    beyond = ThreadRow("new", "res", parent="old", fork_at=3)
    await raised(store.create(beyond), UsageError)
    await raised(store.create(ThreadRow("new", "res", parent="none", fork_at=1)), NotFound)
    assert await store.thread("new") is None


async def a_fork_begins_with_a_snapshot_of_its_parent(store: Store, other: Store) -> None:
    await written(store, "old", b"1", b"2", b"3", b"4")
    early, late = Snapshot(2, "v", b"at 2", 2), Snapshot(4, "v", b"at 4", 4)
    await store.save_snapshot("old", early)
    await written(store, "new", b"4'", parent="old", fork_at=3)
    await store.save_snapshot("old", late)
    assert await other.snapshot("new", "v") == early
    assert await other.snapshot("old", "v") == late
    own = Snapshot(4, "v", b"own", 4)
    await store.save_snapshot("new", own)
    assert await other.snapshot("new", "v") == own


async def a_deleted_thread_is_hidden_at_once(store: Store, other: Store) -> None:
    lease = await written(store, "thr_1", b"1")
    await store.post(Posted("cmd_1", "thr_1", b"{}"))
    assert await other.delete("thr_1")
    assert not await store.delete("thr_1")
    assert await store.thread("thr_1") is None
    assert await store.threads("res") == []
    assert await store.pending("thr_1") == []
    assert await store.posted("thr_1", "cmd_1") is None
    assert await store.owner("thr_1") is None
    await raised(store.append(Append(lease, 1, [b"2"])), LeaseLost)
    await raised(store.read("thr_1"), NotFound)


async def a_fork_outlives_its_parent(store: Store, other: Store) -> None:
    kept, gone = await store.put_blob(b"kept"), await store.put_blob(b"gone")
    lease = await written(store, "old", b"1")
    await store.append(Append(lease, 1, [b"2"], blobs=[kept]))
    await store.append(Append(lease, 2, [b"3"], blobs=[gone]))
    await written(store, "new", b"3'", parent="old", fork_at=2)
    await store.delete("old")
    assert await contents(other, "new") == [(1, b"1"), (2, b"2"), (3, b"3'")]
    assert await other.blob(gone) is None
    assert await other.blob(kept) == b"kept"
    await store.delete("new")
    assert await other.blob(kept) is None


async def the_shared_part_goes_with_the_last_fork(store: Store, other: Store) -> None:
    digest = await store.put_blob(b"data")
    lease = await written(store, "a")
    await store.append(Append(lease, 0, [b"1"], blobs=[digest]))
    await written(store, "b", b"2b", parent="a", fork_at=1)
    await written(store, "c", b"2c", parent="a", fork_at=1)
    await written(store, "d", b"3d", parent="b", fork_at=2)
    for thread in ("a", "c", "b"):
        await store.delete(thread)
        assert await other.blob(digest) == b"data"
    assert await contents(other, "d") == [(1, b"1"), (2, b"2b"), (3, b"3d")]
    await store.delete("d")
    assert await other.blob(digest) is None
    await new_thread(store, "a")
    assert await contents(other, "a") == []
