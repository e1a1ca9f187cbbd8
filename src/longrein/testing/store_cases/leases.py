"""Leases: at any time one owner may write a thread."""

import asyncio

from longrein.core.errors import LeaseLost
from longrein.storage.base import Append, Lease, Store
from longrein.testing.store_cases.setting import lease_on, new_thread, raised, written

_SOON = 0.05
"""Seconds that an owner lives who is to die in the course of a case."""


async def only_one_of_many_gets_the_lease(store: Store, other: Store) -> None:
    await new_thread(store, "thr_1")
    for owner in ("a", "b", "c", "d"):
        await store.beat(owner, 60)
    takes = [
        each.take("thr_1", owner)
        for each, owner in zip((store, other, store, other), "abcd", strict=True)
    ]
    taken = [lease for lease in await asyncio.gather(*takes) if lease is not None]
    assert len(taken) == 1
    assert await other.owner("thr_1") == taken[0].owner


async def a_lease_of_the_living_is_not_given_away(store: Store, other: Store) -> None:
    lease = await written(store, "thr_1", b"1")
    await other.beat("you", 60)
    assert await other.take("thr_1", "you") is None
    assert await store.append(Append(lease, 1, [b"2"])) == 2


async def every_lease_has_a_later_epoch(store: Store, other: Store) -> None:
    await new_thread(store, "thr_1")
    first = await lease_on(store, "thr_1")
    again = await lease_on(store, "thr_1")
    await store.release(again)
    third = await lease_on(other, "thr_1", "you")
    assert first.epoch < again.epoch < third.epoch
    assert third == Lease("thr_1", "you", third.epoch)


async def an_older_epoch_of_the_same_owner_cannot_write(store: Store, _: Store) -> None:
    first = await written(store, "thr_1", b"1")
    again = await lease_on(store, "thr_1")
    await raised(store.append(Append(first, 1, [b"x"])), LeaseLost)
    assert await store.append(Append(again, 1, [b"2"])) == 2


async def the_lease_of_the_dead_is_taken_over(store: Store, other: Store) -> None:
    await new_thread(store, "thr_1")
    lease = await lease_on(store, "thr_1")
    await store.append(Append(lease, 0, [b"1"]))
    await store.beat("me", _SOON)
    await asyncio.sleep(2 * _SOON)
    assert await store.owner("thr_1") is None
    taken = await lease_on(other, "thr_1", "you")
    await store.beat("me", 60)
    assert "thr_1" in await raised(store.append(Append(lease, 1, [b"x"])), LeaseLost)
    assert await other.append(Append(taken, 1, [b"2"])) == 2
    assert await store.owner("thr_1") == "you"


async def a_late_owner_may_write_until_somebody_takes_over(store: Store, _: Store) -> None:
    await new_thread(store, "thr_1")
    lease = await lease_on(store, "thr_1")
    await store.beat("me", _SOON)
    await asyncio.sleep(2 * _SOON)
    assert await store.append(Append(lease, 0, [b"1"])) == 1


async def only_the_living_take_a_lease(store: Store, _: Store) -> None:
    await new_thread(store, "thr_1")
    await raised(store.take("thr_1", "never beaten"), LeaseLost)
    await store.beat("late", _SOON)
    await asyncio.sleep(2 * _SOON)
    await raised(store.take("thr_1", "late"), LeaseLost)


async def a_beat_makes_a_life_longer(store: Store, other: Store) -> None:
    await new_thread(store, "thr_1")
    await lease_on(store, "thr_1")
    await store.beat("me", _SOON)
    await store.beat("me", 60)
    await asyncio.sleep(2 * _SOON)
    assert await other.owner("thr_1") == "me"


async def a_released_lease_is_free_and_writes_no_more(store: Store, other: Store) -> None:
    lease = await written(store, "thr_1", b"1")
    await store.release(lease)
    assert await other.owner("thr_1") is None
    await raised(store.append(Append(lease, 1, [b"x"])), LeaseLost)
    taken = await lease_on(other, "thr_1", "you")
    await store.release(lease)
    assert await other.append(Append(taken, 1, [b"2"])) == 2


async def who_retires_frees_all_leases(store: Store, other: Store) -> None:
    leases = [await written(store, thread, b"1") for thread in ("thr_1", "thr_2")]
    await store.retire("me")
    for lease in leases:
        assert await other.owner(lease.thread) is None
        await raised(store.append(Append(lease, 1, [b"x"])), LeaseLost)
        await lease_on(other, lease.thread, "you")
