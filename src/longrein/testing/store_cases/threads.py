"""The index of threads, and which of them is current."""

import asyncio

from longrein.core.errors import NotFound, UsageError
from longrein.core.usage import Spent, Usage
from longrein.storage.base import Append, Facts, Store, ThreadRow
from longrein.testing.store_cases.setting import lease_on, new_thread, raised


async def a_created_thread_is_found_by_every_store(store: Store, other: Store) -> None:
    row = ThreadRow(
        "thr_1",
        "res",
        title="Título",
        status="waiting",
        created=5,
        updated=7,
        tags=("one", "two, ünd [three]"),
        spent=Spent(Usage(1, 2, 3, 4, 5), 6, 7, 8),
    )
    await store.create(row)
    assert await store.thread("thr_1") == row
    assert await other.thread("thr_1") == row
    assert await store.thread("thr_2") is None


async def a_thread_is_created_once(store: Store, other: Store) -> None:
    await new_thread(store, "thr_1")
    await raised(other.create(ThreadRow("thr_1", "another")), UsageError)
    found = await store.thread("thr_1")
    assert found is not None
    assert found.resource == "res"


async def threads_are_listed_last_updated_first(store: Store, other: Store) -> None:
    for id, updated in (("a", 2), ("b", 3), ("c", 1), ("d", 2)):
        await new_thread(store, id, updated=updated)
    await store.create(ThreadRow("e", "another", updated=9))
    assert [row.id for row in await other.threads("res")] == ["b", "d", "a", "c"]


async def threads_are_listed_in_pages(store: Store, _: Store) -> None:
    for number in range(5):
        await new_thread(store, f"t{number}", updated=number // 2)
    seen: list[str] = []
    page = await store.threads("res", limit=2)
    while page:
        seen += [row.id for row in page]
        page = await store.threads("res", before=(page[-1].updated, page[-1].id), limit=2)
    assert seen == ["t4", "t3", "t2", "t1", "t0"]


async def threads_are_listed_by_tag_and_status(store: Store, other: Store) -> None:
    for number in range(6):
        tags = ("even", "all") if number % 2 == 0 else ("all",)
        status = "waiting" if number < 3 else "idle"
        await store.create(ThreadRow(f"t{number}", "res", updated=number, tags=tags, status=status))
    assert [row.id for row in await other.threads("res", tag="even")] == ["t4", "t2", "t0"]
    assert [row.id for row in await other.threads("res", status="waiting")] == ["t2", "t1", "t0"]
    assert [row.id for row in await other.threads("res", tag="even", status="idle")] == ["t4"]
    for nothing in ("eve", "EVEN", "%", '"even"', "none"):
        assert await other.threads("res", tag=nothing) == []
    page = await other.threads("res", tag="all", before=(3, "t3"), limit=2)
    assert [row.id for row in page] == ["t2", "t1"]


async def idle_threads_are_listed_oldest_first(store: Store, other: Store) -> None:
    for id, updated in (("a", 2), ("b", 3), ("c", 1), ("d", 2), ("e", 4)):
        await new_thread(store, id, updated=updated)
    await store.create(ThreadRow("f", "another", updated=1))
    assert [row.id for row in await other.idle_since("res", 4)] == ["c", "a", "d", "b"]
    assert [row.id for row in await other.idle_since("res", 4, limit=2)] == ["c", "a"]
    assert await other.idle_since("res", 1) == []
    await store.delete("c")
    assert [row.id for row in await other.idle_since("res", 3)] == ["a", "d"]


async def all_who_have_threads_are_listed(store: Store, other: Store) -> None:
    assert await store.resources() == []
    for id, resource in (("a", "you"), ("b", "me"), ("c", "you"), ("d", "them")):
        await store.create(ThreadRow(id, resource))
    await store.delete("d")
    await store.delete("a")
    assert await other.resources() == ["me", "you"]


async def what_a_resource_spent_is_the_sum_of_its_threads(store: Store, other: Store) -> None:
    assert await store.spent("res") == Spent()
    await store.create(ThreadRow("a", "res", spent=Spent(Usage(1, 10), 100, 1, 3)))
    await store.create(ThreadRow("b", "res"))
    await store.create(ThreadRow("c", "another", spent=Spent(Usage(7), 7)))
    lease = await lease_on(store, "b")
    for input in (1, 5):
        facts = Facts("", "idle", 1, (), Spent(Usage(input, 2, 3, 4, 5), 50, steps=2))
        await store.append(Append(lease, await store.head("b"), [b"1"], facts))
    assert await other.spent("res") == Spent(Usage(6, 12, 3, 4, 5), 150, 1, 5)
    assert await other.spent("another") == Spent(Usage(7), 7)


async def what_a_deleted_thread_spent_still_counts(store: Store, other: Store) -> None:
    for number in range(3):
        await store.create(ThreadRow(f"t{number}", "res", spent=Spent(Usage(10**number), 1)))
    lease = await lease_on(store, "t2")
    await store.append(Append(lease, 0, [b"1"]))
    await new_thread(store, "fork", parent="t2", fork_at=1)
    for thread in ("t0", "t2", "fork"):
        assert await store.delete(thread)
        assert await other.spent("res") == Spent(Usage(111), 3)
    await store.create(ThreadRow("t0", "res", spent=Spent(Usage(1000))))
    assert await other.spent("res") == Spent(Usage(1111), 3)


async def facts_of_an_append_change_the_row(store: Store, other: Store) -> None:
    row = await new_thread(store, "thr_1")
    lease = await lease_on(store, "thr_1")
    facts = Facts("New", "running", 99, ("tag",), Spent(Usage(1), 2))
    await store.append(Append(lease, 0, [b"1"], facts))
    changed = ThreadRow(
        "thr_1", "res", "New", "running", row.created, 99, tags=facts.tags, spent=facts.spent
    )
    assert await other.thread("thr_1") == changed
    assert await other.threads("res") == [changed]
    await store.append(Append(lease, 1, [b"2"]))
    assert await store.thread("thr_1") == changed


async def the_current_thread_is_remembered_by_resource_and_scope(
    store: Store, other: Store
) -> None:
    await new_thread(store, "thr_1")
    await new_thread(store, "thr_2")
    await store.set_current("res", "one", "thr_1")
    await store.set_current("res", "two", "thr_1")
    await store.set_current("res", "one", "thr_2")
    assert await other.current("res", "one") == "thr_2"
    assert await other.current("res", "two") == "thr_1"
    assert await other.current("res", "three") is None
    assert await other.current("another", "one") is None
    await raised(store.set_current("res", "one", "missing"), NotFound)


async def the_current_thread_is_claimed_once(store: Store, other: Store) -> None:
    claims = [
        each.claim_current("res", "default", ThreadRow(f"thr_{number}", "res"))
        for number, each in enumerate((store, other, store, other))
    ]
    claimed = set(await asyncio.gather(*claims))
    assert len(claimed) == 1
    assert [row.id for row in await store.threads("res")] == list(claimed)


async def a_deleted_thread_is_current_no_more(store: Store, other: Store) -> None:
    first = await store.claim_current("res", "default", ThreadRow("thr_1", "res"))
    assert await store.delete(first)
    assert await store.current("res", "default") is None
    assert await other.claim_current("res", "default", ThreadRow("thr_2", "res")) == "thr_2"
