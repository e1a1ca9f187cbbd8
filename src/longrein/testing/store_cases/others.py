"""The inbox, key-value pairs, and hearing of what others write."""

import asyncio

from longrein.core.errors import NotFound
from longrein.storage.base import Append, Posted, Store
from longrein.testing.store_cases.setting import new_thread, raised, written


async def a_command_is_posted_once(store: Store, other: Store) -> None:
    await new_thread(store, "thr_1")
    command = Posted("cmd_1", "thr_1", b"first")
    assert await other.post(command) == command
    assert await store.post(Posted("cmd_1", "thr_1", b"second")) == command
    assert await store.pending("thr_1") == [command]
    await raised(store.post(Posted("cmd_1", "missing", b"")), NotFound)


async def commands_wait_oldest_first_in_their_own_thread(store: Store, other: Store) -> None:
    await new_thread(store, "thr_1")
    await new_thread(store, "thr_2")
    for id in ("c", "a", "b"):
        await other.post(Posted(id, "thr_1", b""))
    await other.post(Posted("a", "thr_2", b""))
    assert [command.id for command in await store.pending("thr_1")] == ["c", "a", "b"]
    assert [command.id for command in await store.pending("thr_2")] == ["a"]


async def the_first_answer_to_a_command_stays(store: Store, other: Store) -> None:
    await new_thread(store, "thr_1")
    command = Posted("cmd_1", "thr_1", b"data")
    await other.post(command)
    await store.answer("thr_1", "cmd_1", b"first")
    await store.answer("thr_1", "cmd_1", b"second")
    await store.answer("thr_1", "unknown", b"ignored")
    answered = Posted("cmd_1", "thr_1", b"", b"first")
    assert await other.posted("thr_1", "cmd_1") == answered
    assert await other.post(command) == answered
    assert await other.pending("thr_1") == []
    assert await other.posted("thr_1", "unknown") is None


async def an_append_answers_the_commands_that_it_settles(store: Store, other: Store) -> None:
    lease = await written(store, "thr_1", b"1")
    for id in ("a", "b"):
        await other.post(Posted(id, "thr_1", b""))
    answered = [("a", b"yes"), ("never posted", b"no")]
    await store.append(Append(lease, 1, [b"2"], answered=answered))
    assert await other.posted("thr_1", "a") == Posted("a", "thr_1", b"", b"yes")
    assert [command.id for command in await other.pending("thr_1")] == ["b"]


async def an_owner_finds_the_inboxes_that_wait_for_it(store: Store, other: Store) -> None:
    for thread in ("thr_1", "thr_2", "thr_3"):
        await written(store, thread, b"1")
    await new_thread(store, "thr_4")
    for thread in ("thr_1", "thr_2", "thr_4"):
        await other.post(Posted("cmd_1", thread, b""))
    await store.answer("thr_2", "cmd_1", b"yes")
    assert await store.inboxes("me") == ["thr_1"]
    assert await store.inboxes("you") == []


async def pairs_are_put_read_and_removed(store: Store, other: Store) -> None:
    assert await store.get("k") is None
    await store.put("k", b"1")
    await store.put("k", b"\x002")
    assert await other.get("k") == b"\x002"
    await other.remove("k")
    await other.remove("k")
    assert await store.get("k") is None


async def several_pairs_change_at_once(store: Store, other: Store) -> None:
    await store.put("a", b"1")
    await store.change([("a", None), ("b", b"2"), ("c", None)])
    assert [await other.get(key) for key in "abc"] == [None, b"2", None]
    await store.change([])


async def pairs_that_changed_meanwhile_are_not_swapped(store: Store, other: Store) -> None:
    assert await store.swap([("a", None)], [("a", b"1"), ("b", b"1")])
    assert not await other.swap([("a", None)], [("a", b"2")])
    assert not await other.swap([("a", b"1"), ("b", b"2")], [("a", None)])
    assert await other.swap([("a", b"1"), ("b", b"1")], [("a", b"2"), ("b", None)])
    assert [await store.get(key) for key in "ab"] == [b"2", None]


async def keys_are_listed_by_prefix_in_order(store: Store, other: Store) -> None:
    keys = ["a", "a/", "a/b", "a/ü", "a/\U0010ffff!", "a%", "b", "A/b"]
    for key in keys:
        await store.put(key, b"")
    assert await other.keys("a/") == ["a/", "a/b", "a/ü", "a/\U0010ffff!"]
    assert await other.keys("") == sorted(keys)
    assert await other.keys("c") == []


async def a_watcher_hears_what_another_store_writes(store: Store, other: Store) -> None:
    lease = await written(other, "thr_1", b"1")
    changed = asyncio.Event()
    end = store.watch(changed.set)
    await store.head("thr_1")
    await asyncio.sleep(0.1)
    for after in (1, 2):
        changed.clear()
        await other.append(Append(lease, after, [b"x"]))
        async with asyncio.timeout(20):
            await changed.wait()
        assert await store.head("thr_1") == after + 1
    end()
    end()
    changed.clear()
    await other.put("k", b"")
    await asyncio.sleep(0.1)
    assert not changed.is_set()


async def a_busy_watcher_hears_too(store: Store, other: Store) -> None:
    await new_thread(store, "thr_1")
    changed = asyncio.Event()
    end = store.watch(changed.set)

    async def keep_busy() -> None:
        while not changed.is_set():
            await store.head("thr_1")
            await asyncio.sleep(0)

    await store.head("thr_1")
    changed.clear()
    await other.put("k", b"")
    async with asyncio.timeout(20):
        await keep_busy()
    end()
