"""A process on a machine so busy that its own heartbeat runs out under it."""

from longrein.core.errors import LeaseLost
from longrein.core.ids import SystemClock
from longrein.session.host import Host
from longrein.storage.base import Lease, ThreadRow
from longrein.storage.memory import MemoryStore
from tests.support import run


class SlowStore(MemoryStore):
    """A store that gets to the first attempts to take a lease only after the heartbeat is over."""

    def __init__(self, late: int) -> None:
        super().__init__()
        self.late = late

    async def take(self, thread: str, owner: str) -> Lease | None:
        self.late -= 1
        if self.late >= 0:
            await self.retire(owner)
        return await super().take(thread, owner)


def test_a_lease_is_taken_though_the_heartbeat_ran_out_on_the_way() -> None:
    async def main() -> None:
        store = SlowStore(late=2)
        await store.create(ThreadRow("thr_1", "user"))
        host = Host(store, "ses_1", SystemClock())
        lease = await host.take("thr_1")
        assert lease is not None
        assert lease.owner == host.owner
        await host.close()

    run(main())


def test_a_process_that_never_gets_there_in_time_is_told_so() -> None:
    async def main() -> str:
        store = SlowStore(late=1000)
        await store.create(ThreadRow("thr_1", "user"))
        host = Host(store, "ses_1", SystemClock())
        try:
            await host.take("thr_1")
        except LeaseLost as error:
            return str(error)
        finally:
            await host.close()
        return ""

    assert "lives" in run(main())


def test_a_heartbeat_after_a_lapse_does_not_bring_back_a_lease_that_was_taken() -> None:
    async def main() -> None:
        store, clock = MemoryStore(), Clock()
        await store.create(ThreadRow("thr_1", "user"))
        host = Host(store, "ses_1", clock, every=60)
        await host.take("thr_1")
        clock.ahead = 20.0
        await store.retire(host.owner)
        await store.beat("ses_2", 15)
        assert await store.take("thr_1", "ses_2")
        await host.beat()
        assert host.fresh
        assert not await host.confirm("thr_1")
        await host.close()

    run(main())


def test_a_lease_that_nobody_took_in_a_lapse_is_still_there() -> None:
    async def main() -> None:
        store, clock = MemoryStore(), Clock()
        await store.create(ThreadRow("thr_1", "user"))
        host = Host(store, "ses_1", clock, every=60)
        await host.take("thr_1")
        clock.ahead = 20.0
        assert await host.confirm("thr_1")
        assert await host.confirm("thr_1")
        await host.close()

    run(main())


class Clock(SystemClock):
    """The machine's clock, for a process that stood still for `ahead` seconds."""

    ahead = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead
