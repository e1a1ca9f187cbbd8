"""Who writes a thread: following an owner, taking over from a dead one, and a stale one."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from longrein.core import events as e
from longrein.core.outcomes import Finished
from longrein.session.bus import Anything
from tests.processes.support import Owner, effects, other, owner, until
from tests.support import run


def test_a_second_process_follows_live_without_a_gap(tmp_path: Path) -> None:
    async def main() -> list[int]:
        async with other(tmp_path) as session:
            seqs: list[int] = []
            async for event in session.events():
                if isinstance(event, e.Durable):
                    seqs.append(event.seq)
                if isinstance(event, e.RunEnded):
                    break
            assert not session.conductor.owns
            return seqs

    with owner(tmp_path, "slowly") as process:
        seqs = run(main())
        process.until(lambda it: "RunEnded" in it.kinds)
        assert seqs == process.seqs == list(range(1, len(seqs) + 1))


def test_the_other_process_goes_on_when_the_owner_is_killed(tmp_path: Path) -> None:
    async def main() -> None:
        async with other(tmp_path, lease=1.0) as session:
            state = await until(session, lambda state: bool(state.approvals))
            process.kill()
            answer = await session.approve(state.approvals[0].id)
            assert answer.status == "applied"
            outcome = await session.run(answer.run)
            assert outcome == Finished("Deployed.")
            assert session.conductor.owns

    with owner(tmp_path, "deploy", lease=1.0) as process:
        process.until(lambda it: "ToolEnded" in it.kinds)
        run(main())
    assert sorted(effects(tmp_path)) == ["d1", "w1"]


def test_a_call_of_a_killed_owner_is_reported_as_unknown(tmp_path: Path) -> None:
    async def main() -> None:
        async with other(tmp_path, lease=1.0) as session:
            process.kill()
            await session.resume()
            async for event in session.events():
                if isinstance(event, e.ToolEnded):
                    assert event.status == "unknown"
                if isinstance(event, e.RunEnded):
                    break

    with owner(tmp_path, "hang", lease=1.0) as process:
        process.until(lambda it: "ToolStarted" in it.kinds)
        run(main())


def test_a_thread_is_resumed_though_the_dead_owners_lease_lasts_longer_than_the_wait(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with other(tmp_path) as session:
            process.kill()
            await session.resume()
            state = await until(session, lambda state: state.run is None)
            assert state.outcomes

    with owner(tmp_path, "haltingly", lease=8.0) as process:
        run(main(), seconds=40)
    assert effects(tmp_path) == ["s1"]


async def take_over(folder: Path, process: Owner) -> int:
    """Go on in the place of an owner that stands still, wake it, and wait until it follows."""
    async with other(folder, lease=1.0) as session:
        await session.resume()
        assert session.conductor.owns
        state = await until(session, lambda state: state.run is None)
        process.go_on()
        await asyncio.to_thread(process.until, lambda it: "lease_lost" in it.kinds)
        await session.rename("taken over")
        head = session.folded.seq
        await asyncio.to_thread(process.until, lambda it: it.seqs[-1:] == [head])
        assert session.conductor.owns
        assert len(state.outcomes) == 1
        epochs = [decoded async for decoded in _epochs(session.events(), head)]
        assert epochs == sorted(epochs)
        return head


async def _epochs(events: AsyncIterator[Anything], head: int) -> AsyncIterator[int]:
    async for event in events:
        if isinstance(event, e.Durable):
            yield event.epoch
            if event.seq == head:
                return


def test_a_stale_owner_writes_nothing_starts_nothing_and_then_follows(tmp_path: Path) -> None:
    with owner(tmp_path, "haltingly", lease=1.0) as process:
        process.until(lambda it: "StepStarted" in it.kinds)
        process.stop()
        head = run(take_over(tmp_path, process))
        assert process.seqs == list(range(1, head + 1))
        assert process.kinds.count("RunEnded") == 1
    assert effects(tmp_path) == ["s1"]


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_an_owner_that_stood_still_after_a_write_does_not_start_what_it_wrote(
    tmp_path: Path, nth: int
) -> None:
    """The second write starts a tool, which another process then settled as unknown."""
    with owner(tmp_path, "deploy", lease=1.0, stop_at="journal.durable", stop_nth=nth) as process:
        process.until_stopped()
        run(approve_and_wake(tmp_path, process))
    assert effects(tmp_path).count("w1") <= 1
    assert effects(tmp_path).count("d1") == 1
    if nth == 2:
        assert "w1" not in effects(tmp_path)


async def approve_and_wake(folder: Path, process: Owner) -> None:
    async with other(folder, lease=1.0) as session:
        await session.resume()
        state = await until(session, lambda state: bool(state.approvals))
        await session.approve(state.approvals[0].id)
        await until(session, lambda state: state.run is None)
        process.go_on()
        head = session.folded.seq
        await asyncio.to_thread(process.until, lambda it: it.seqs[-1:] == [head])
        assert session.folded.seq == head
