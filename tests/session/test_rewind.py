"""Going back in a conversation: what the model hears next, what stays, and what is refused."""

from pathlib import Path

import pytest

from longrein.capabilities.todos import TODOS
from longrein.core import events as e
from longrein.core.errors import NotFound, UsageError
from longrein.core.outcomes import Aborted, Finished
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.session.rewound import REASON
from longrein.session.session import Session
from longrein.storage.base import Snapshot
from longrein.testing import ScriptedModel, call, say
from tests.session.kit import harness as scripted
from tests.session.kit import of, said, until, waiting, with_session
from tests.session.rewinds import Model, harness, tell
from tests.session.tools import Gate, deploy
from tests.support import run


def test_the_next_request_holds_exactly_what_was_said_before_the_point() -> None:
    model = Model()

    async def body(session: Session) -> None:
        await tell(session, "one")
        earlier = said(session)
        two, _ = await tell(session, "two", "three")
        assert (await session.rewind(two)).status == "applied"
        assert said(session) == earlier
        await tell(session, "other")
        assert model.heard[-1][:-1] == earlier
        assert model.last[-1] == "other"
        assert len(model.heard[-1]) == len(earlier) + 1

    with_session(harness(model=model), body)


def test_the_prefix_of_requests_stays_the_same() -> None:
    async def body(session: Session) -> None:
        _, two = await tell(session, "one", "two")
        await session.rewind(two)
        await tell(session, "other")
        assert len(await of(session, e.PrefixStarted)) == 1

    with_session(harness(), body)


def test_points_are_the_inputs_the_newest_first() -> None:
    async def body(session: Session) -> None:
        first = await session.send("one \n line")
        await first
        await tell(session, "two")
        newest, oldest = session.points()
        assert (newest.text, oldest.text) == ("two", "one line")
        assert oldest.run == first.id
        assert (await of(session, e.RunStarted))[0].seq == oldest.seq
        assert not oldest.files_changed

    with_session(harness(), body)


def test_a_point_is_named_by_itself_its_input_or_its_run() -> None:
    async def body(session: Session) -> None:
        for name in ("itself", "input", "run"):
            await tell(session, "one", "two")
            point = session.points()[1]
            await session.rewind(point if name == "itself" else getattr(point, name))
            assert said(session) == []

    with_session(harness(), body)


def test_todos_go_back_with_the_conversation_and_come_again_when_it_is_undone() -> None:
    async def body(session: Session) -> None:
        await tell(session, "todo bake")
        before = session.read(TODOS)
        (clean,) = await tell(session, "todo clean")
        after, messages = session.read(TODOS), said(session)
        assert after != before
        await session.rewind(clean)
        assert session.read(TODOS) == before
        assert (await session.undo()).status == "applied"
        assert session.read(TODOS) == after
        assert said(session) == messages
        assert [point.text for point in session.points()] == ["todo clean", "todo bake"]

    with_session(harness(), body)


def test_an_undo_is_undone_by_another() -> None:
    async def body(session: Session) -> None:
        (one,) = await tell(session, "one")
        await session.rewind(one)
        await session.undo()
        assert said(session)
        await session.undo()
        assert said(session) == []

    with_session(harness(), body)


def test_nothing_can_be_undone_once_the_next_input_is_before_the_model() -> None:
    async def body(session: Session) -> None:
        (one,) = await tell(session, "one")
        assert (await session.undo()).status == "stale"
        await session.rewind(one)
        await tell(session, "other")
        assert (await session.undo(command="late")).status == "stale"
        assert (await session.undo(command="late")).status == "stale"

    with_session(harness(), body)


def test_rules_state_settings_and_spending_stay() -> None:
    async def body(session: Session) -> None:
        (one,) = await tell(session, "one")
        await session.update({"count": 3})
        await session.configure({"colour": "red"})
        await session.rename("A title")
        before = session.folded
        await session.rewind(one)
        after = session.folded
        assert (after.data, after.settings, after.title) == (
            before.data,
            {"colour": "red"},
            "A title",
        )
        assert after.spent == before.spent

    with_session(harness(), body)


def test_the_same_command_again_changes_nothing() -> None:
    async def body(session: Session) -> None:
        one, _ = await tell(session, "one", "two")
        assert (await session.rewind(one, command="back")).status == "applied"
        await tell(session, "other")
        assert (await session.rewind(one, command="back")).status == "already"
        assert len(said(session)) == 2

    with_session(harness(), body)


def test_it_is_refused_while_a_run_is_under_way() -> None:
    gate = Gate()

    async def body(session: Session) -> None:
        handle = await session.send("go")
        await until(lambda: gate.inside == ["a"])
        with pytest.raises(UsageError, match="under way"):
            await session.rewind(handle.id)
        gate.open("a")
        assert await handle == Finished("ok")

    with_session(scripted([call("work", name="a"), say("ok")], *gate.tools()), body)


def test_a_run_that_waits_is_ended_and_what_waits_is_declined_and_the_queue_stays() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("go")
        (approval,) = (await waiting(handle)).approvals
        await session.queue("later")
        await session.rewind(handle.id)
        assert await handle == Aborted(REASON)
        assert said(session) == []
        (answered,) = await of(session, e.ApprovalAnswered)
        assert (answered.approval, answered.decision) == (approval, "declined")
        assert [input.text for input in session.display.queue] == ["later"]
        assert session.display.held
        await session.release()
        await until(lambda: bool(session.display.approvals))
        assert len(said(session)) == 2

    with_session(scripted([call("deploy", target="x"), say("ok")], deploy), body)


def test_an_input_that_waits_or_that_there_is_not_is_no_point() -> None:
    async def body(session: Session) -> None:
        await tell(session, "one")
        await session.interrupt()
        assert (await session.rewind("cmd_none")).status == "missing"
        with pytest.raises(NotFound):
            await session.preview_rewind("cmd_none")
        with pytest.raises(UsageError, match="workspace"):
            await session.rewind(session.points()[0], conversation=False)

    with_session(harness(), body)


def test_a_preview_tells_how_many_messages_go_and_changes_nothing() -> None:
    async def body(session: Session) -> None:
        _, two, _ = await tell(session, "one", "two", "three")
        before = session.folded
        preview = await session.preview_rewind(two)
        assert (preview.messages, preview.point.text) == (4, "two")
        assert not preview.files
        assert session.folded is before

    with_session(harness(), body)


def test_it_works_in_a_process_that_opened_the_thread_later(tmp_path: Path) -> None:
    store, model = f"sqlite:{tmp_path / 'a.db'}", Model()

    async def talk(keep: bool) -> None:
        async with harness(model=model, store=store) as made:
            session = await made.session("ada")
            await tell(session, "todo bake", "todo clean", "three")
            if keep:
                await session.conductor.journal.snapshot()

    async def go_back() -> None:
        async with harness(model=model, store=store) as made:
            session = await made.session("ada")
            await session.rewind(session.points()[1])
            await session.conductor.journal.snapshot()

    async def undo() -> None:
        async with harness(model=model, store=store) as made:
            session = await made.session("ada")
            assert [todo.text for todo in session.read(TODOS)] == ["bake"]
            assert [point.text for point in session.points()] == ["todo bake"]
            await session.undo()
            assert [todo.text for todo in session.read(TODOS)] == ["clean"]
            await session.undo()
            await tell(session, "other")
            assert model.last[0] == "todo bake"
            assert "todo clean" not in model.last

    run(talk(keep=True))
    run(go_back())
    run(undo())


def test_a_thread_whose_snapshot_is_of_an_older_version_has_all_its_points(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    async def body() -> None:
        async with harness(store=store) as made:
            session = await made.session("ada")
            await tell(session, "one", "two")
            kept = session.folded
            old = Snapshot(kept.seq, "2", b'{"seq":1}', 10)
            await session.conductor.store.save_snapshot(session.thread, old, 0)
        async with harness(store=store) as made:
            session = await made.session("ada")
            assert [point.text for point in session.points()] == ["two", "one"]

    run(body())


def test_the_owner_carries_out_what_another_process_asks_for(tmp_path: Path) -> None:
    store, files = f"sqlite:{tmp_path / 'a.db'}", tmp_path / "files"
    files.mkdir()

    async def body() -> None:
        async with harness(files, store=store) as here, harness(files, store=store) as there:
            owner = await here.session("ada")
            one, _ = await tell(owner, "one", "two")
            other = await there.session("ada", thread=owner.thread)
            with pytest.raises(UsageError, match="files=False"):
                await other.rewind(one)
            assert (await other.preview_rewind(one)).files is None
            assert (await other.rewind(one, files=False)).status == "applied"
            assert said(owner) == said(other) == []
            assert owner.conductor.owns

    run(body())


def test_a_run_that_a_process_left_open_is_ended_instead_of_gone_on_with(
    tmp_path: Path,
) -> None:
    store, gate = f"sqlite:{tmp_path / 'a.db'}", Gate()

    async def crash() -> str:
        async with scripted([call("work", name="a")], *gate.tools(), store=store) as made:
            session = await made.session("ada")
            handle = await session.send("go")
            await until(lambda: gate.inside == ["a"])
            session.conductor.journal.stop()
            return handle.id

    async def open_again(id: str) -> None:
        async with scripted([say("never")], *gate.tools(), store=store) as made:
            session = await made.session("ada")
            await session.rewind(id)
            assert await session.run(id) == Aborted(REASON)
            assert said(session) == []
            assert [one.status for one in await of(session, e.ToolEnded)] == ["interrupted"]

    run(open_again(run(crash())))


def test_the_model_is_told_of_its_mode_again_where_it_has_not_heard_of_it() -> None:
    model = Model()

    async def body() -> None:
        async with _with_modes(model) as made:
            session = await made.session("ada")
            _, two = await tell(session, "one", "two")
            await session.rewind(two)
            await session.switch_mode("plan")
            (three,) = await tell(session, "three")
            assert "Only plan." in model.last
            await session.rewind(three)
            assert session.display.mode == "plan"
            await tell(session, "four")
            assert model.last.count("Only plan.") == 1

    run(body())


def _with_modes(model: Model) -> Harness:
    modes = [Mode("build"), Mode("plan", instructions="Only plan.")]
    return Harness(Agent("tester", model=ScriptedModel(model)), modes=modes, environ={})
