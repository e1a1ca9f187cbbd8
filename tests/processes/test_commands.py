"""Commands from a second process on the same SQLite file, and what they are answered."""

from pathlib import Path

from longrein.core import commands as c
from longrein.core.commands import Answer
from longrein.core.messages import Text
from longrein.core.outcomes import Finished, Waiting
from longrein.session.session import Session
from tests.processes.support import effects, other, owner, until
from tests.support import run


async def pending(session: Session) -> str:
    """The id of the approval that waits."""
    state = await until(session, lambda state: bool(state.approvals))
    return state.approvals[0].id


def test_an_approval_is_answered_from_another_process(tmp_path: Path) -> None:
    async def main() -> None:
        async with other(tmp_path) as session:
            approval = await pending(session)
            answer = await session.approve(approval, command="yes")
            assert answer.status == "applied"
            state = await until(session, lambda state: state.run is None)
            assert answer.run in state.outcomes
            assert not session.conductor.owns

    with owner(tmp_path, "deploy"):
        run(main())
    assert sorted(effects(tmp_path)) == ["d1", "w1"]


def test_questions_are_answered_from_another_process(tmp_path: Path) -> None:
    async def main() -> None:
        async with other(tmp_path) as session:
            for _ in range(2):
                state = await until(session, lambda state: bool(state.questions))
                answer = await session.answer(state.questions[0].id, "yes")
                assert answer.status == "applied"
            await until(session, lambda state: state.run is None)

    with owner(tmp_path, "confirm"):
        run(main())
    assert effects(tmp_path) == ["q1"]


def test_the_same_command_from_two_processes_is_applied_once(tmp_path: Path) -> None:
    async def main() -> list[Answer]:
        async with other(tmp_path) as session:
            await pending(session)
            command = c.Say("send", "run_other", (Text("deploy"),), id="first")
            answers = [await session.submit(command), await session.submit(command)]
            assert session.folded.queue == ()
            return answers

    with owner(tmp_path, "deploy") as process:
        answers = run(main())
        assert [answer.status for answer in answers] == ["already", "already"]
        assert process.kinds.count("InputAdmitted") == 1
        assert {answer.run for answer in answers} != {"run_other"}


def test_an_answer_sent_twice_is_already_there(tmp_path: Path) -> None:
    async def main() -> None:
        async with other(tmp_path) as session:
            approval = await pending(session)
            first = await session.approve(approval, command="yes")
            again = await session.approve(approval, command="yes")
            assert (first.status, again.status) == ("applied", "already")
            assert first.run == again.run

    with owner(tmp_path, "deploy"):
        run(main())
    assert effects(tmp_path).count("d1") == 1


def test_an_answer_to_what_is_settled_is_stale(tmp_path: Path) -> None:
    async def main() -> None:
        async with other(tmp_path) as session:
            approval = await pending(session)
            await session.decline(approval, "no")
            assert (await session.approve(approval)).status == "stale"

    with owner(tmp_path, "deploy"):
        run(main())
    assert effects(tmp_path) == ["w1"]


def test_an_answer_to_what_never_was_is_missing(tmp_path: Path) -> None:
    async def main() -> None:
        async with other(tmp_path) as session:
            await pending(session)
            assert (await session.approve("apr_nothing")).status == "missing"
            assert (await session.withdraw("cmd_nothing")).status == "missing"

    with owner(tmp_path, "deploy"):
        run(main())


def test_a_command_that_the_owner_does_not_take_up_is_accepted_and_not_lost(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with other(tmp_path) as session:
            approval = await pending(session)
            process.stop()
            assert (await session.approve(approval, command="yes")).status == "accepted"
            assert session.folded.approvals
            process.go_on()
            await until(session, lambda state: state.run is None)
            assert (await session.approve(approval, command="yes")).status == "already"

    with owner(tmp_path, "deploy") as process:
        run(main())
    assert sorted(effects(tmp_path)) == ["d1", "w1"]


def test_what_is_sent_into_the_run_of_another_process_is_heard_there(tmp_path: Path) -> None:
    async def main() -> None:
        async with other(tmp_path) as session:
            approval = await pending(session)
            handle = await session.send("and this")
            assert isinstance(await handle, Waiting)
            await session.approve(approval)
            outcome = await handle
            assert isinstance(outcome, Finished)
            assert not session.conductor.owns

    with owner(tmp_path, "deploy"):
        run(main())
