"""Commands of capabilities: what a person gives by name, and what comes of it."""

from collections.abc import Sequence

import pytest

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import CommandContext, SlashCommand
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.slices import Slice
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.session.session import Session
from longrein.testing import say
from tests.capabilities.kit import hosting, scripted, words
from tests.session.kit import log, of, said, until, with_session


def fold(notes: tuple[str, ...], event: e.Event) -> tuple[str, ...]:
    match event:
        case e.Recorded(kind="desk.noted", data=str(text)):
            return (*notes, text)
        case _:
            return notes


NOTES: Slice[tuple[str, ...]] = Slice("desk", tuple[str, ...], (), fold)


class Desk(Capability):
    """Commands of every kind."""

    slice = NOTES

    def commands(self) -> Sequence[SlashCommand]:
        return [
            SlashCommand("count", "Tell how many notes there are.", self.count),
            SlashCommand("note", "Note something.", self.note),
            SlashCommand("begin", "Do everything.", self.begin),
            SlashCommand("break", "Fail after some of it.", self.fail),
            SlashCommand("misfit", "Change the state into what it cannot be.", self.misfit),
            SlashCommand("quiet", "Say nothing.", lambda ctx, arguments: None),
        ]

    def count(self, ctx: CommandContext, arguments: str) -> str:
        return f"{len(ctx.read(NOTES))} notes"

    async def note(self, ctx: CommandContext, arguments: str) -> str:
        ctx.record("desk.noted", arguments)
        return "noted"

    def begin(self, ctx: CommandContext, arguments: str) -> None:
        ctx.record("desk.noted", "first")
        ctx.update({"begun": True})
        ctx.switch_mode("build")
        ctx.record("desk.noted", "last")
        ctx.send(arguments)
        ctx.note("by command")

    def fail(self, ctx: CommandContext, arguments: str) -> str:
        ctx.record("desk.noted", "never")
        raise LookupError("nothing found")

    def misfit(self, ctx: CommandContext, arguments: str) -> None:
        ctx.record("desk.noted", "never")
        ctx.update({"n": object()})


class OtherDesk(Capability):
    """A command of a name that is taken."""

    def commands(self) -> Sequence[SlashCommand]:
        return [SlashCommand("count", "", lambda ctx, arguments: None)]


MODES = [Mode("plan", default=True), Mode("build")]


def test_a_session_lists_its_commands_for_people_to_choose_from() -> None:
    async def body(session: Session) -> None:
        listed = [command.name for command in session.commands]
        assert listed == ["count", "note", "begin", "break", "misfit", "quiet", "context"]
        assert session.commands[0].description == "Tell how many notes there are."

    with_session(hosting([], Desk()), body)


def test_what_a_command_says_is_for_the_person() -> None:
    async def body(session: Session) -> None:
        assert await session.invoke("note", "milk") == "noted"
        assert await session.invoke("count") == "1 notes"
        assert await session.invoke("quiet") == ""
        assert said(session) == []

    with_session(hosting([], Desk()), body)


def test_what_a_command_brings_about_comes_in_its_order_and_before_what_it_says() -> None:
    model = scripted(say("ok"))

    async def body(session: Session) -> None:
        assert await session.invoke("begin", "go") == ""
        await until(lambda: session.display.activity == "idle")
        kinds = (e.Recorded, e.StateChanged, e.ModeChanged, e.RunStarted)
        happened = [event for event in await log(session) if isinstance(event, kinds)]
        assert [type(event).__name__ for event in happened] == [
            "Recorded",
            "StateChanged",
            "ModeChanged",
            "Recorded",
            "RunStarted",
        ]
        assert session.read(NOTES) == ("first", "last")
        assert session.state == {"begun": True}
        assert words(model.requests[0].messages)[:2] == ["command:begin: by command", "user: go"]

    with_session(hosting(model, Desk(), modes=MODES), body)


def test_a_command_that_is_not_there_is_named_with_those_that_are() -> None:
    async def body(session: Session) -> None:
        with pytest.raises(UsageError, match="'fly'; known: count, note"):
            await session.invoke("fly")

    with_session(hosting([], Desk()), body)


def test_a_command_that_raises_brings_nothing_about() -> None:
    async def body(session: Session) -> None:
        with pytest.raises(LookupError, match="nothing found"):
            await session.invoke("break")
        assert await of(session, e.Recorded) == []
        assert await session.invoke("count") == "0 notes"

    with_session(hosting([], Desk()), body)


def test_a_command_whose_change_does_not_fit_brings_nothing_about() -> None:
    async def body(session: Session) -> None:
        with pytest.raises(UsageError, match="not changed"):
            await session.invoke("misfit")
        assert await of(session, e.Recorded) == []

    with_session(hosting([], Desk()), body)


def test_two_commands_cannot_have_one_name() -> None:
    with pytest.raises(UsageError, match="'count'"):
        Harness(Agent("tester", model="openai:x", capabilities=[Desk(), OtherDesk()]), environ={})


@pytest.mark.parametrize("name", ["", "two words", "/slash"])
def test_a_command_has_one_word_for_a_name(name: str) -> None:
    with pytest.raises(UsageError, match="one word"):
        SlashCommand(name, "", lambda ctx, arguments: None)


class Fickle(Capability):
    """A command whose last change can be made once only."""

    def __init__(self) -> None:
        self.called = 0

    def commands(self) -> Sequence[SlashCommand]:
        return [SlashCommand("go", "Do it.", self.go)]

    def go(self, ctx: CommandContext, arguments: str) -> None:
        ctx.note("never heard")
        ctx.record("desk.noted", "never")
        ctx.update(self.change)

    def change(self, state: dict[str, int]) -> None:
        self.called += 1
        if state.get("n", 0):
            raise ValueError("only once")
        state["n"] = 1


def test_a_command_is_written_in_one_piece() -> None:
    async def body(session: Session) -> None:
        await session.rename("opened")
        before = session.folded.seq
        await session.invoke("begin", "go")
        await until(lambda: session.display.activity == "idle")
        written = [event for event in await log(session) if event.seq > before and event.cause]
        assert len({event.cause for event in written}) == 1
        assert [type(event).__name__ for event in written] == [
            "InputAdmitted",
            "Recorded",
            "StateChanged",
            "ModeChanged",
            "Recorded",
            "InputAdmitted",
        ]

    with_session(hosting([say("ok")], Desk(), modes=MODES), body)


def test_a_command_whose_function_raises_when_it_is_called_brings_nothing_about() -> None:
    async def body(session: Session) -> None:
        await session.update({"n": 1})
        with pytest.raises(UsageError, match="only once"):
            await session.invoke("go")
        assert await of(session, e.Recorded) == []
        assert session.display.queue == ()

    with_session(hosting([], Fickle()), body)


def test_a_function_of_a_command_is_called_once_where_nobody_else_changes_the_state() -> None:
    fickle = Fickle()

    async def body(session: Session) -> None:
        await session.invoke("go")
        assert session.state == {"n": 1}
        assert fickle.called == 1

    with_session(hosting([], fickle), body)


def test_the_same_command_again_brings_nothing_more_about() -> None:
    async def body(session: Session) -> None:
        for _ in range(2):
            await session.invoke("note", "milk", command="c1")
        assert await session.invoke("count") == "1 notes"

    with_session(hosting([], Desk()), body)
