"""Other bytes in the place of events, which is how something is erased from a log."""

from longrein.core.errors import LeaseLost, UsageError
from longrein.storage.base import Append, Lease, Snapshot, Store
from longrein.testing.store_cases.search import text_of
from longrein.testing.store_cases.setting import contents, lease_on, raised, written


async def a_rewritten_event_keeps_its_place(store: Store, other: Store) -> None:
    lease = await written(store, "thr_1", b"1", b"2", b"3")
    await store.rewrite(lease, {2: b"two", 3: b"x" * 100_000})
    assert await contents(other, "thr_1") == [(1, b"1"), (2, b"two"), (3, b"x" * 100_000)]
    await store.rewrite(lease, {3: b"three"})
    assert await store.append(Append(lease, 3, [b"4"])) == 4
    assert [event.data for event in await other.read("thr_1")] == [b"1", b"two", b"three", b"4"]
    await store.rewrite(lease, {})


async def only_the_newest_lease_rewrites(store: Store, other: Store) -> None:
    first = await written(store, "thr_1", b"1")
    again = await lease_on(other, "thr_1")
    await raised(store.rewrite(first, {1: b"x"}), LeaseLost)
    await raised(store.rewrite(Lease("thr_1", "you", again.epoch), {1: b"x"}), LeaseLost)
    assert await contents(store, "thr_1") == [(1, b"1")]
    await store.delete("thr_1")
    await raised(store.rewrite(again, {1: b"x"}), LeaseLost)


async def a_refused_rewriting_changes_nothing(store: Store, _: Store) -> None:
    lease = await written(store, "thr_1", b"1", b"2")
    snapshot = Snapshot(2, "v", b"at 2", 2)
    await store.save_snapshot("thr_1", snapshot)
    for seq in (0, -1, 3):
        assert str(seq) in await raised(store.rewrite(lease, {1: b"x", seq: b"x"}), UsageError)
    await raised(store.rewrite(lease, {1: b"x"}, ["0" * 64]), UsageError)
    assert await contents(store, "thr_1") == [(1, b"1"), (2, b"2")]
    assert await store.snapshot("thr_1", "v") == snapshot


async def what_a_fork_shares_is_rewritten_where_it_was_written(store: Store, other: Store) -> None:
    old = await written(store, "old", b"1", b"2", b"3")
    new = await written(store, "new", b"3'", parent="old", fork_at=2)
    newest = await written(store, "newest", b"4'", parent="new", fork_at=3)
    for lease, seq, writer in ((new, 2, "old"), (newest, 1, "old"), (newest, 3, "new")):
        assert writer in await raised(store.rewrite(lease, {seq: b"x"}), UsageError)
    await store.rewrite(old, {2: b"two"})
    await store.rewrite(new, {3: b"three"})
    assert [event.data for event in await other.read("newest")] == [b"1", b"two", b"three", b"4'"]
    await store.delete("old")
    assert "deleted" in await raised(store.rewrite(new, {1: b"x"}), UsageError)


async def the_blobs_of_rewritten_events_go(store: Store, other: Store) -> None:
    a, b, both, shared = [await store.put_blob(each) for each in (b"a", b"b", b"both", b"shared")]
    lease = await written(store, "thr_1", b"1")
    events = [each.encode() for each in ("none", f"{a} {both}", f"{both} {b} {shared}")]
    await store.append(Append(lease, 1, events, blobs=[a, b, both, shared]))
    second = await written(store, "thr_2")
    await store.append(Append(second, 0, [shared.encode()], blobs=[shared]))
    await store.rewrite(lease, {3: b"erased"})
    assert [await other.blob(each) for each in (a, b, both)] == [None, b"b", b"both"]
    await store.rewrite(lease, {2: b"erased", 4: b"erased"})
    assert [await other.blob(each) for each in (b, both, shared)] == [None, None, b"shared"]
    await store.delete("thr_2")
    assert await other.blob(shared) is None


async def the_new_bytes_keep_their_blobs(store: Store, other: Store) -> None:
    old, new, named = [await store.put_blob(each) for each in (b"old", b"new", b"named")]
    lease = await written(store, "thr_1")
    await store.append(Append(lease, 0, [b"1", b"2"], blobs=[old]))
    await store.rewrite(lease, {1: b"one", 2: named.encode()}, [old, new, named])
    await store.rewrite(lease, {2: b"two"})
    assert [await other.blob(each) for each in (old, new, named)] == [b"old", b"new", None]
    await store.rewrite(lease, {1: b"1"}, [new])
    assert [await other.blob(each) for each in (old, new)] == [None, b"new"]
    await store.delete("thr_1")
    assert await other.blob(new) is None


async def snapshots_that_could_hold_the_old_bytes_go(store: Store, other: Store) -> None:
    old = await written(store, "old", b"1", b"2", b"3", b"4")
    early, late = Snapshot(1, "v", b"at 1", 1), Snapshot(4, "v", b"at 4", 4)
    await store.save_snapshot("old", early)
    await written(store, "before", b"2'", parent="old", fork_at=1)
    await written(store, "after", b"4'", parent="old", fork_at=3)
    await written(store, "deep", b"5'", parent="after", fork_at=4)
    await store.save_snapshot("old", late)
    for thread, seq in (("before", 2), ("after", 4), ("deep", 5)):
        await store.save_snapshot(thread, Snapshot(seq, "v", thread.encode(), seq))
    await store.rewrite(old, {2: b"erased"})
    for thread in ("old", "after", "deep"):
        assert await other.snapshot(thread, "v") == early
    assert await other.snapshot("before", "v") == Snapshot(2, "v", b"before", 2)


async def a_search_finds_the_new_bytes_and_not_the_old(store: Store, other: Store) -> None:
    lease = await written(store, "old", b"apple", b"banana", b"cherry")
    await written(store, "new", b"date", parent="old", fork_at=2)

    async def places(query: str) -> list[tuple[str, int]]:
        hits = await other.search("res", query, text_of)
        return [(hit.row.id, hit.seq) for hit in hits]

    assert await places("banana") == [("old", 2), ("new", 2)]
    await store.rewrite(lease, {2: b"elder"})
    assert await places("banana") == []
    assert await places("elder") == [("old", 2), ("new", 2)]
    assert await places("cherry") == [("old", 3)]
    await store.rewrite(lease, {2: b"-", 3: b"fig"})
    assert await places("elder") == []
    assert await places("fig") == [("old", 3)]


async def rewritings_are_counted_for_all_who_read_the_event(store: Store, other: Store) -> None:
    old = await written(store, "old", b"1", b"2", b"3")
    await written(store, "before", b"2'", parent="old", fork_at=1)
    await written(store, "after", b"3'", parent="old", fork_at=2)
    await written(store, "deep", b"4'", parent="after", fork_at=3)

    async def counted() -> dict[str, int]:
        return {row.id: row.rewrites for row in await other.threads("res")}

    await store.rewrite(old, {2: b"erased", 3: b"erased"})
    assert await counted() == {"old": 1, "before": 0, "after": 1, "deep": 1}
    await store.rewrite(old, {})
    await store.rewrite(old, {1: b"erased"})
    assert await counted() == {"old": 2, "before": 1, "after": 2, "deep": 2}
    for thread, rewrites in (await counted()).items():
        assert (await lease_on(other, thread)).rewrites == rewrites
    assert old.rewrites == 0


async def a_snapshot_from_before_a_rewriting_is_not_kept(store: Store, other: Store) -> None:
    lease = await written(store, "thr_1", b"1", b"2")
    await store.rewrite(lease, {2: b"erased"})
    await other.save_snapshot("thr_1", Snapshot(2, "v", b"before", 2), 0)
    assert await store.snapshot("thr_1", "v") is None
    after = Snapshot(2, "v", b"after", 2)
    await other.save_snapshot("thr_1", after, 1)
    assert await store.snapshot("thr_1", "v") == after
