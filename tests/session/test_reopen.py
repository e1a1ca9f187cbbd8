"""Closing and opening again: everything is where it was."""

from pathlib import Path

from longrein.core import events as e
from longrein.core.codec import decode_state, encode_state
from longrein.core.messages import ToolResult
from longrein.core.outcomes import Finished, Waiting
from longrein.session import journal
from longrein.testing import ScriptedModel, call, calls, say
from longrein.testing.scripted import spoken
from tests.session.kit import harness, log, of, said, until, waiting
from tests.session.tools import Gate, confirm, deploy, read
from tests.support import run


def test_a_pending_approval_is_answered_after_a_restart(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    script = [call("deploy", target="x"), say("ok")]

    async def first() -> tuple[str, str]:
        async with harness(script, deploy, store=store) as made:
            session = await made.session("ada")
            handle = await session.send("go")
            pending = await waiting(handle)
            return handle.id, pending.approvals[0]

    async def second(run_id: str, approval: str) -> None:
        async with harness(script, deploy, store=store) as made:
            session = await made.session("ada")
            handle = session.run(run_id)
            assert await handle == Waiting((approval,))
            assert (await session.approve(approval)).status == "applied"
            assert await handle == Finished("ok")
            assert await session.run(run_id) == Finished("ok")

    run(second(*run(first())))


def test_a_question_is_answered_after_a_restart(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    script = [call("confirm", what="cleanup"), say("ok")]

    async def ask() -> str:
        async with harness(script, confirm, store=store) as made:
            session = await made.session("ada")
            handle = await session.send("go")
            await session.answer((await waiting(handle)).questions[0], "yes")
            await waiting(handle)
            return handle.id

    async def answer(run_id: str) -> None:
        async with harness(script, confirm, store=store) as made:
            session = await made.session("ada")
            await session.answer(session.display.questions[0].id, "gently")
            assert await session.run(run_id) == Finished("ok")
            (result,) = [m for m in said(session) if isinstance(m, ToolResult)]
            assert result.text == "cleanup: yes, gently"

    run(answer(run(ask())))


def test_closing_interrupts_what_runs_and_opening_with_resume_goes_on(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    gate = Gate()
    script = [calls(call("work", name="a"), call("read")), say("ok")]

    async def first() -> str:
        async with harness(script, *gate.tools(), read, store=store) as made:
            session = await made.session("ada")
            handle = await session.send("go")
            await session.queue("later")
            await until(lambda: gate.inside == ["a"])
            return handle.id

    async def second(run_id: str) -> None:
        async with harness([*script, say("later too")], *gate.tools(), read, store=store) as made:
            session = await made.session("ada")
            assert [i.text for i in session.display.queue] == ["later"]
            assert session.display.activity == "running"
            again = await made.session("ada", resume=True)
            assert again is session
            assert await session.run(run_id) == Finished("ok")
            statuses = [m.status for m in said(session) if isinstance(m, ToolResult)]
            assert statuses == ["interrupted", "ok"]
            await until(lambda: session.display.activity == "idle")
            assert session.display.queue == ()

    run(second(run(first())))


def test_opening_takes_no_lease_and_writes_nothing(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    script = [call("deploy", target="x"), say("ok")]

    async def first() -> int:
        async with harness(script, deploy, store=store) as made:
            session = await made.session("ada")
            await waiting(await session.send("go"))
            return session.folded.seq

    async def second(head: int) -> None:
        async with harness(script, deploy, store=store) as made:
            session = await made.session("ada")
            assert session.folded.seq == head
            assert await made.store.owner(session.thread) is None
            assert await made.store.head(session.thread) == head

    run(second(run(first())))


def test_a_long_thread_opens_from_its_newest_snapshot(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    big = "x" * (journal.SMALLEST_SNAPSHOT // 8)
    model = ScriptedModel(lambda request: say(f"{spoken(request.messages)} {big}", size=0))

    async def write() -> tuple[str, bytes]:
        async with harness(model, store=store) as made:
            session = await made.session("ada")
            for n in range(40):
                await (await session.send(f"message {n}"))
            return session.thread, encode_state(session.folded)

    async def read_again(thread: str, before: bytes) -> None:
        async with harness(model, store=store) as made:
            kept = await made.store.snapshot(thread, journal.STATE_VERSION)
            assert kept is not None
            assert kept.seq > 100
            session = await made.session("ada", thread=thread)
            assert session.folded == decode_state(before)
            assert len(await log(session)) == session.folded.seq

    run(read_again(*run(write())))


def test_a_tool_that_is_no_more_is_told_to_the_model(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    script = [call("deploy", target="x"), say("ok")]

    async def first() -> str:
        async with harness(script, deploy, store=store) as made:
            session = await made.session("ada")
            handle = await session.send("go")
            return (await waiting(handle)).approvals[0]

    async def second(approval: str) -> None:
        async with harness(script, read, store=store) as made:
            session = await made.session("ada")
            await session.approve(approval)
            await until(lambda: session.display.activity == "idle")
            (ended,) = await of(session, e.ToolEnded)
            assert ended.status == "refused"
            assert "deploy" in ended.parts[0].text  # pyright: ignore

    run(second(run(first())))
