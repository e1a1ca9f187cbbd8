"""The index of threads, and which of them is current."""

import asyncio

from longrein.core.errors import NotFound, UsageError
from longrein.storage.base import Append, Facts, Store, ThreadRow
from longrein.testing.store_cases.setting import lease_on, new_thread, raised


async def a_created_thread_is_found_by_every_store(store: Store, other: Store) -> None:
    row = ThreadRow("thr_1", "res", title="Título", status="waiting", created=5, updated=7)
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


async def facts_of_an_append_change_the_row(store: Store, other: Store) -> None:
    row = await new_thread(store, "thr_1")
    lease = await lease_on(store, "thr_1")
    await store.append(Append(lease, 0, [b"1"], Facts("New", "running", 99)))
    changed = ThreadRow("thr_1", "res", "New", "running", row.created, 99)
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


CASES = (
    a_created_thread_is_found_by_every_store,
    a_thread_is_created_once,
    threads_are_listed_last_updated_first,
    threads_are_listed_in_pages,
    facts_of_an_append_change_the_row,
    the_current_thread_is_remembered_by_resource_and_scope,
    the_current_thread_is_claimed_once,
    a_deleted_thread_is_current_no_more,
)
