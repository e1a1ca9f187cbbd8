"""Events: numbered, replayed and followed without a gap, never slowed by whoever listens."""

import asyncio
from contextlib import aclosing

from longrein.core.events import Durable, RunEnded, RunStarted
from longrein.core.live import Signalled, TextFragment
from longrein.session import bus
from longrein.session.session import Session
from longrein.testing import Script, ScriptedModel, pause, reply, say
from tests.session.kit import harness, log, until, with_session


def test_durable_events_are_numbered_without_gaps_and_dated() -> None:
    async def body(session: Session) -> None:
        await (await session.send("hi"))
        seen = await log(session)
        assert [event.seq for event in seen] == list(range(1, len(seen) + 1))
        assert all(event.time and event.epoch == 1 for event in seen)
        assert len({event.run for event in seen[2:]}) == 1

    with_session(harness([say("hello")]), body)


def test_whoever_comes_back_at_a_cursor_gets_the_rest_and_then_what_comes() -> None:
    async def body(session: Session) -> None:
        await (await session.send("one"))
        middle = session.folded.seq
        got: list[int] = []

        async def follow() -> None:
            async for event in session.events(after=4):
                if isinstance(event, Durable):
                    got.append(event.seq)
                    if isinstance(event, RunEnded) and event.seq > middle:
                        return

        follower = asyncio.create_task(follow())
        await until(lambda: len(got) == middle - 4)
        await (await session.send("two"))
        await follower
        assert got == list(range(5, session.folded.seq + 1))

    with_session(harness([say("1"), say("2")]), body)


def test_fragments_are_numbered_and_end_in_a_durable_event_with_the_whole() -> None:
    async def body(session: Session) -> None:
        run = await session.send("hi")
        text = ""
        async for event in run:
            if isinstance(event, TextFragment):
                assert event.offset == len(text)
                text += event.text
        assert text == "a long answer in many pieces"

    script = [reply(pause(0.01), say("a long answer in many pieces", size=3))]
    with_session(harness(script), body)


def test_whoever_joins_in_the_middle_first_gets_all_of_it_so_far() -> None:
    model = ScriptedModel(Script([reply(say("one two ", size=2), pause(None), say("three"))]))

    async def body(session: Session) -> None:
        run = await session.send("hi")
        await until(lambda: (w := session.display.writing) is not None and w.text == "one two ")
        pieces: list[TextFragment] = []

        async def join() -> None:
            async for event in session.events(after=session.folded.seq):
                if isinstance(event, TextFragment):
                    pieces.append(event)
                if isinstance(event, RunEnded):
                    return

        joined = asyncio.create_task(join())
        await until(lambda: len(pieces) == 1)
        model.release()
        await run
        await joined
        assert pieces[0].text == "one two "
        assert "".join(piece.text for piece in pieces) == "one two three"

    with_session(harness(model), body)


def test_a_slow_subscriber_is_dropped_with_its_cursor_and_the_run_goes_on() -> None:
    pieces = bus.MOST_WAITING + 100

    async def body(session: Session) -> None:
        await session.rename("started")
        slow = session.events()
        first = await anext(slow)
        assert isinstance(first, Durable)
        await (await session.send("much"))
        rest = [event async for event in slow]
        last = rest[-1]
        assert isinstance(last, Signalled)
        assert last.kind == "dropped"
        seen = [event.seq for event in rest if isinstance(event, Durable)]
        assert last.after == max([first.seq, *seen])
        again = [event async for event in until_end(session, last.after)]
        assert [event.seq for event in again][-1] == session.folded.seq

    async def until_end(session: Session, after: int):
        async for event in session.events(after=after):
            if isinstance(event, Durable):
                yield event
                if event.seq == session.folded.seq:
                    return

    with_session(harness([say("x" * pieces, size=1)]), body)


def test_whoever_wants_only_some_kinds_gets_only_these() -> None:
    async def body(session: Session) -> None:
        await (await session.send("one"))
        async with aclosing(session.events(only=(RunStarted, RunEnded))) as some:
            assert isinstance(await anext(some), RunStarted)
            assert isinstance(await anext(some), RunEnded)

    with_session(harness([say("1")]), body)
