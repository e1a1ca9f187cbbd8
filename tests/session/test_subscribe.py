"""Listeners that are called: what they hear, and what becomes of those that fail."""

from longrein.core.live import Signalled
from longrein.events import AnyEvent, RunEnded, TextFragment, ToolStarted
from longrein.session.session import Session
from longrein.testing import call, say
from tests.session.kit import harness, until, with_session
from tests.session.tools import read


def test_a_listener_hears_everything_from_now_on() -> None:
    heard: list[AnyEvent] = []

    async def body(session: Session) -> None:
        await (await session.send("before"))
        session.subscribe(heard.append)
        await (await session.send("after"))
        await until(lambda: any(isinstance(event, RunEnded) for event in heard))
        assert {type(event).__name__ for event in heard} >= {"InputAdmitted", "TextFragment"}
        first = next(event for event in heard if not isinstance(event, Signalled | TextFragment))
        assert getattr(first, "cause", "")

    with_session(harness([say("one"), say("two")]), body)


def test_a_listener_can_pick_kinds_and_be_ended() -> None:
    heard: list[AnyEvent] = []

    async def body(session: Session) -> None:
        end = session.subscribe(heard.append, only=ToolStarted)
        await (await session.send("go"))
        await until(lambda: len(heard) == 1)
        end()
        await (await session.send("again"))
        assert [type(event) for event in heard] == [ToolStarted]

    with_session(harness([call("read"), say("ok"), call("read"), say("ok")], read), body)


def test_a_listener_that_always_raises_is_told_of_and_stops_nobody() -> None:
    failing: list[AnyEvent] = []
    heard: list[AnyEvent] = []

    def broken(event: AnyEvent) -> None:
        failing.append(event)
        raise RuntimeError("no")

    async def body(session: Session) -> None:
        session.subscribe(broken)
        session.subscribe(heard.append)
        await (await session.send("go"))
        await until(lambda: any(isinstance(event, RunEnded) for event in failing))
        signals = [event for event in heard if isinstance(event, Signalled)]
        assert {signal.kind for signal in signals} == {"listener_failed"}
        assert "RuntimeError: no" in signals[0].message
        assert len(failing) < 100

    with_session(harness([say("one")]), body)
