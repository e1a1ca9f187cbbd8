"""What is given to a session or a harness by mistake is refused in words that help."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from longrein.core.errors import NotFound, UsageError
from longrein.core.events import RunEnded
from longrein.core.messages import Text, User
from longrein.core.policy import Rule
from longrein.core.usage import Limits
from longrein.session.bus import Anything
from longrein.session.session import Session
from longrein.testing import call, reply, say
from tests.session.kit import harness, of, until, waiting, with_session
from tests.session.tools import confirm, write
from tests.support import run

anything = cast(Any, None)


async def sends_bytes(session: Session) -> None:
    await session.send(cast(Any, b"hello"))


async def tags_with_one_text(session: Session) -> None:
    await session.tag("kitchen")


async def keeps_a_set(session: Session) -> None:
    await session.configure({"a": {1, 2}})


async def keeps_bytes(session: Session) -> None:
    await session.configure({"b": [b"x"]})


async def remembers_nothing(session: Session) -> None:
    await session.approve("apr_1", scope="resource")


async def misspells_trust(session: Session) -> None:
    await session.set_trust(cast(Any, "yollo"))


async def adds_a_text(session: Session) -> None:
    await session.add_rule(cast(Any, "deny"))


async def misspells_a_tool(session: Session) -> None:
    await session.add_rule(Rule("deny", tool="wirte"))


async def updates_with_a_list(session: Session) -> None:
    await session.update(cast(Any, ["a"]))


async def limits_below_zero(session: Session) -> None:
    await session.send("Hi", limits=Limits(steps=-1))


@pytest.mark.parametrize(
    ("slip", "problem"),
    [
        (sends_bytes, "An input is a text.*files="),
        (tags_with_one_text, r"tags is a list of texts.*write \['kitchen'\]"),
        (keeps_a_set, r"The setting 'a' is kept as JSON"),
        (keeps_bytes, r"The setting 'b' is kept as JSON"),
        (remembers_nothing, "remember="),
        (misspells_trust, "There is no trust 'yollo'. Did you mean 'yolo'"),
        (adds_a_text, "Give a Rule"),
        (misspells_a_tool, "'wirte'.*Did you mean 'write'"),
        (updates_with_a_list, "keys with their new values"),
        (limits_below_zero, "steps=-1"),
    ],
)
def test_a_slip_is_refused(slip: Callable[[Session], Awaitable[None]], problem: str) -> None:
    async def body(session: Session) -> None:
        with pytest.raises(UsageError, match=problem):
            await slip(session)
        assert session.folded.queue == ()
        assert session.folded.run is None

    with_session(harness([say("ok")], write), body)


def test_a_harness_refuses_what_it_cannot_look_for() -> None:
    async def test() -> None:
        async with harness([say("ok")]) as host:
            session = await host.session("tester")
            with pytest.raises(
                UsageError, match=r"There is no status 'Idle'\. Did you mean 'idle'"
            ):
                await host.threads("tester", status=cast(Any, "Idle"))
            with pytest.raises(UsageError, match="limit is -1"):
                await host.threads("tester", limit=-1)
            with pytest.raises(UsageError, match="not both"):
                await host.session("tester", thread=session.thread, new=True)
            with pytest.raises(UsageError, match="There is no format 'html'"):
                async for _ in host.export("tester", session.thread, format=cast(Any, "html")):
                    pass

    run(test())


def test_an_async_listener_is_awaited() -> None:
    async def body(session: Session) -> None:
        heard: list[Anything] = []

        async def hear(event: Anything) -> None:
            await asyncio.sleep(0)
            heard.append(event)

        session.subscribe(hear, only=RunEnded)
        await (await session.send("Hi"))
        await until(lambda: bool(heard))

    with_session(harness([say("Hello.")]), body)


def test_what_cannot_listen_is_refused_at_once() -> None:
    async def body(session: Session) -> None:
        with pytest.raises(UsageError, match="not None"):
            session.subscribe(anything)
        with pytest.raises(UsageError, match="not a kind of event"):
            session.subscribe(print, only=cast(Any, "run_ended"))
        with pytest.raises(UsageError, match="not a kind of event"):
            session.events(only=cast(Any, (RunEnded, "run_started")))

    with_session(harness([]), body)


def test_a_run_that_there_never_was_is_not_found() -> None:
    async def body(session: Session) -> None:
        await (await session.send("Hi"))
        with pytest.raises(NotFound, match="run_typo"):
            await session.run("run_typo")
        with pytest.raises(NotFound, match="run_typo"):
            async for _ in session.run("run_typo"):
                pass

    with_session(harness([say("Hello.")]), body)


def test_what_waits_for_another_answer_says_for_which() -> None:
    async def body(session: Session) -> None:
        asked = await waiting(await session.send("Hi"))
        (question,), (approval,) = asked.questions, asked.approvals
        with pytest.raises(UsageError, match=r"is a question.*answer\(\)"):
            await session.approve(question)
        with pytest.raises(UsageError, match=r"is an approval.*approve\(\)"):
            await session.answer(approval, "yes")

    script = [reply(call("write", path="a"), call("confirm", what="it")), say("ok")]
    with_session(harness(script, write, confirm), body)


def test_a_rule_of_the_harness_is_not_removed_from_a_thread() -> None:
    async def body(session: Session) -> None:
        with pytest.raises(UsageError, match=r"'deny:write' is not of this thread.*harness"):
            await session.remove_rule("deny:write")

    with_session(harness([], write, rules=[Rule("deny", tool="write")]), body)


def test_a_rule_is_removed_by_the_id_that_adding_it_gave_or_by_its_name() -> None:
    async def body(session: Session) -> None:
        added = await session.add_rule(Rule("deny", tool="write"))
        assert session.folded.rules[0].id == added.message
        assert (await session.remove_rule(added.message)).status == "applied"
        await session.add_rule(Rule("deny", tool="write"))
        assert (await session.remove_rule("deny:write")).status == "applied"
        assert session.folded.rules == ()

    with_session(harness([], write), body)


def test_a_call_that_could_not_run_is_not_explained() -> None:
    async def body(session: Session) -> None:
        with pytest.raises(
            UsageError, match="There is no tool in the mode 'default' called 'wirte'"
        ):
            await session.explain("wirte")
        with pytest.raises(UsageError, match="The model would hear"):
            await session.explain("write", {"pth": 1})

    with_session(harness([], write), body)


def test_what_waits_can_be_given_itself() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("Hi")
        await waiting(handle)
        await session.approve(session.folded.approvals[0])
        await handle
        assert len(await of(session, RunEnded)) == 1

    with_session(harness([reply(call("write", path="a")), say("ok")], write), body)


def test_what_a_person_said_has_a_text() -> None:
    assert User((Text("a"), Text("b"))).text == "ab"
