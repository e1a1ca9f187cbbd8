"""What subscribers hear of children, and what the display shows of them."""

from contextlib import aclosing

from longrein.core import events as e
from longrein.core.live import FromChild, TextFragment
from longrein.core.outcomes import Finished
from longrein.session.session import Session
from longrein.testing import Script, ScriptedModel, pause, reply, say
from longrein.testing.scripted import when
from tests.session.families import family, task
from tests.session.kit import until, with_session

DONE = say("Done.")
NESTED = [
    when("begin", task("first"), DONE),
    when("first", task("second"), say("I am the first.")),
    when("second", say("I am the second.")),
]


def test_events_of_children_reach_the_subscribers_of_the_root_with_their_path() -> None:
    heard: list[FromChild] = []

    async def body(session: Session) -> None:
        stop = session.subscribe(heard.append, only=FromChild)  # pyright: ignore[reportArgumentType]
        assert await (await session.send("begin")) == Finished("Done.")
        await until(lambda: any(_ended(one) for one in heard if len(one.path) == 1))
        stop()
        (child,) = session.folded.children
        assert {one.path[0] for one in heard} == {child.thread}
        deep = [one for one in heard if len(one.path) == 2]
        text = "".join(one.event.text for one in deep if isinstance(one.event, TextFragment))
        assert text == "I am the second."
        assert any(_ended(one) for one in deep)

    with_session(family(NESTED), body)


def _ended(heard: FromChild) -> bool:
    return isinstance(heard.event, e.RunEnded)


def test_events_of_children_are_no_cursor_and_come_not_again() -> None:
    async def body(session: Session) -> None:
        await (await session.send("begin"))
        async with aclosing(session.events()) as events:
            async for event in events:
                assert not isinstance(event, FromChild)
                if isinstance(event, e.Durable) and event.seq == session.folded.seq:
                    break

    with_session(family(NESTED), body)


def test_the_display_shows_every_child_with_what_it_says_and_has_used() -> None:
    rules = [*NESTED[:2], when("second", reply(say("I am writ"), pause(), say("ing.")))]
    model = ScriptedModel(Script(rules=rules))

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await until(lambda: any(one.text == "I am writ" for one in session.display.children))
        first, second = session.display.children
        assert (first.state, second.state) == ("running", "running")
        assert second.path == (first.thread, second.thread)
        assert session.display.below.steps == 1
        assert session.display.spent.steps == 2
        model.release()
        await sent
        assert [one.state for one in session.display.children] == ["finished"]
        assert session.display.below.steps == 3
        assert session.display.spent.steps == 5
        assert session.folded.spent.steps == 2

    with_session(family(model), body)


def test_displays_change_when_something_happens_below() -> None:
    model = ScriptedModel(Script(rules=[*NESTED[:2], when("second", reply(pause(), say("x")))]))

    async def body(session: Session) -> None:
        await session.send("begin")
        async for shown in session.displays():
            if len(shown.children) == 2:
                break
        model.release()
        async for shown in session.displays():
            if shown.activity == "idle":
                break

    with_session(family(model), body)
