"""Threads that work under others: found by whoever asks for them, and gone with their parents."""

from longrein.core.errors import NotFound
from longrein.core.usage import Spent, Usage
from longrein.storage.base import Store, ThreadRow
from longrein.testing.store_cases.setting import contents, new_thread, raised, written


async def _child(
    store: Store, id: str, under: str, *, updated: int = 0, spent: Spent | None = None
) -> ThreadRow:
    row = ThreadRow(
        id,
        "res",
        title=f"apples of {id}",
        updated=updated,
        spent=spent or Spent(),
        under=under,
        agent="reader",
        call="call_1",
    )
    await store.create(row)
    return row


async def a_child_is_found_with_whom_it_works_for(store: Store, other: Store) -> None:
    await new_thread(store, "root")
    row = await _child(store, "child", "root")
    assert await other.thread("child") == row


async def a_child_of_nobody_is_not_created(store: Store, _: Store) -> None:
    await raised(_child(store, "child", "missing"), NotFound)
    assert await store.thread("child") is None


async def lists_leave_children_out_unless_asked(store: Store, other: Store) -> None:
    await new_thread(store, "root", updated=5)
    await _child(store, "one", "root", updated=6)
    await _child(store, "two", "root", updated=7)
    await _child(store, "below", "one", updated=8)
    assert [row.id for row in await other.threads("res")] == ["root"]
    assert [row.id for row in await other.threads("res", under="root")] == ["two", "one"]
    assert [row.id for row in await other.threads("res", under="one")] == ["below"]
    everybody = await other.threads("res", under=None)
    assert [row.id for row in everybody] == ["below", "two", "one", "root"]
    assert [row.id for row in await other.idle_since("res", 100)] == ["root"]


async def searches_leave_children_out(store: Store, other: Store) -> None:
    await written(store, "root", b"pears")
    await _child(store, "child", "root")
    assert [hit.row.id for hit in await other.search("res", "pears", bytes.decode)] == ["root"]
    assert await other.search("res", "apples", bytes.decode) == []


async def children_are_deleted_with_whom_they_work_for(store: Store, other: Store) -> None:
    await new_thread(store, "root")
    await _child(store, "child", "root", spent=Spent(Usage(1), 2))
    await _child(store, "below", "child", spent=Spent(Usage(3), 4))
    assert await other.delete("root")
    assert [await store.thread(id) for id in ("root", "child", "below")] == [None, None, None]
    assert (await store.spent("res")).cost == 6


async def a_fork_of_a_child_outlives_it(store: Store, other: Store) -> None:
    await new_thread(store, "root")
    await store.create(ThreadRow("child", "res", under="root"))
    await store.create(ThreadRow("fork", "res", parent="child"))
    assert await other.delete("root")
    assert await store.thread("child") is None
    assert await contents(store, "fork") == []
    assert [row.id for row in await store.threads("res", under=None)] == ["fork"]


async def a_forked_child_reads_its_parent(store: Store, other: Store) -> None:
    await written(store, "root", b"1", b"2")
    await store.create(ThreadRow("child", "res", parent="root", fork_at=2, under="root"))
    assert await contents(other, "child") == [(1, b"1"), (2, b"2")]
    assert await other.delete("root")
    assert await store.thread("child") is None
