"""What one process changes and another one goes by: grants, rules, and the application's state."""

import asyncio
from pathlib import Path

from longrein.core.outcomes import Finished, Waiting
from longrein.core.policy import Rule, Scope
from longrein.session.session import Session
from longrein.testing.crash.equip import Kept
from tests.processes.owner import harness
from tests.processes.support import effects, other, owner, until
from tests.support import run


async def grant(session: Session[Kept], scope: Scope) -> str:
    """Let `deploy` pass from now on; returns the id of the grant."""
    handle = await session.send("deploy it")
    waiting = await handle
    assert isinstance(waiting, Waiting)
    await session.approve(waiting.approvals[0], remember="tool", scope=scope)
    assert isinstance(await handle, Finished)
    (given,) = session.grants()
    return given.id


async def asked_again(session: Session[Kept]) -> bool:
    """Whether the process that owns the thread asks before it deploys once more."""
    outcome = await (await session.send("again"))
    assert not session.conductor.owns
    return isinstance(outcome, Waiting)


def test_a_grant_for_the_resource_counts_at_the_next_decision_of_another_process(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with harness(str(tmp_path), 15.0) as host:
            await grant(await host.session("user", "beside"), "resource")
            assert not await asked_again(await host.session("user"))

    with owner(tmp_path, "hello"):
        run(main())
    assert sorted(effects(tmp_path)) == ["d1", "d2", "w1"]


def test_a_grant_for_the_resource_that_another_process_revoked_counts_no_more(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with harness(str(tmp_path), 15.0) as host:
            beside = await host.session("user", "beside")
            given = await grant(beside, "resource")
            assert (await beside.revoke(given)).status == "applied"
            assert await asked_again(await host.session("user"))

    with owner(tmp_path, "hello"):
        run(main())
    assert sorted(effects(tmp_path)) == ["d1", "w1"]


def test_a_grant_that_a_whole_process_revoked_counts_no_more_in_the_others(tmp_path: Path) -> None:
    async def main() -> None:
        async with harness(str(tmp_path), 15.0) as host:
            given = await grant(await host.session("user", "beside"), "resource")
            await host.revoke("user", given)
            assert await asked_again(await host.session("user"))

    with owner(tmp_path, "hello"):
        run(main())


def test_a_grant_for_the_thread_is_given_and_revoked_from_another_process(tmp_path: Path) -> None:
    async def main() -> None:
        async with other(tmp_path) as session:
            state = await until(session, lambda state: bool(state.approvals))
            await session.approve(state.approvals[0].id, remember="tool", scope="thread")
            state = await until(session, lambda state: state.run is None)
            (given,) = state.grants
            assert (await session.revoke(given.id, command="no more")).status == "applied"
            assert (await session.revoke(given.id, command="no more")).status == "already"
            assert session.grants() == []
            assert await asked_again(session)

    with owner(tmp_path, "deploy"):
        run(main())


def test_a_rule_from_another_process_holds_where_the_thread_is_run(tmp_path: Path) -> None:
    async def main() -> None:
        async with other(tmp_path) as session:
            state = await until(session, lambda state: bool(state.approvals))
            rule = Rule("deny", tool="deploy", id="never")
            assert (await session.add_rule(rule)).status == "applied"
            await session.decline(state.approvals[0].id)
            await until(session, lambda state: state.run is None)
            assert not await asked_again(session)

    with owner(tmp_path, "deploy"):
        run(main())
    assert effects(tmp_path) == ["w1"]


def test_the_state_is_updated_from_another_process(tmp_path: Path) -> None:
    async def main() -> None:
        async with other(tmp_path) as session:
            assert (await session.update({"note": "from here"}, command="u1")).status == "applied"
            assert (await session.update({"note": "from here"}, command="u1")).status == "already"
            assert session.state == Kept(0, "from here")
            assert not session.conductor.owns

    with owner(tmp_path, "deploy") as process:
        run(main())
        process.until(lambda it: "StateChanged" in it.kinds)


def test_no_update_is_lost_where_two_processes_count(tmp_path: Path) -> None:
    async def count_up(session: Session[Kept], name: str) -> None:
        for n in range(5):
            answer = await session.update(_one_more, command=f"{name}{n}")
            assert answer.status == "applied"

    async def main() -> None:
        async with other(tmp_path) as one, other(tmp_path) as two:
            await asyncio.gather(count_up(one, "one"), count_up(two, "two"))
            await one.conductor.refresh()
            assert one.state.count == 10

    with owner(tmp_path, "deploy"):
        run(main())


def _one_more(kept: Kept) -> None:
    kept.count += 1
