"""What waits, on the screen: time that runs out, an answer that cannot be kept, themes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from longrein.core.commands import AnswerQuestion, Decline
from longrein.testing.clock import ManualClock
from longrein.tui.grace import Grace
from longrein.tui.look import DARK, LIGHT
from longrein.tui.view.asks import QuestionAsk
from longrein.tui.widgets.asks import Asks
from tests.support import run
from tests.tui.host import Host, Person, before


def question(id: str, deadline: int = 0) -> QuestionAsk:
    return QuestionAsk(id, "", deadline, f"About {id}?", ("yes", "no"), several=False, other=False)


@asynccontextmanager
async def showing(
    *waiting: QuestionAsk, theme: str = DARK.name, size: tuple[int, int] = (80, 24)
) -> AsyncGenerator[tuple[Asks, Person[Host], ManualClock], None]:
    """Nothing but what waits. Decisions are told, not carried out."""
    clock = ManualClock(now=1_000_000)
    asks = Asks(Grace(clock.monotonic, hold=0), clock)
    async with before(Host(asks, theme=theme), size) as person:
        asks.show(waiting, typing=False)
        await person.settles()
        clock.advance(1)
        yield asks, person, clock


def test_the_time_that_is_left_goes_on_by_itself() -> None:
    async def body() -> None:
        async with showing(question("a", deadline=66_000_000)) as (_, person, clock):
            assert "1m 05s left" in person.screen
            clock.advance(5)
            await person.sees("59s left")

    run(body())


def test_an_answer_is_sent_once_and_again_only_when_it_was_refused() -> None:
    async def body() -> None:
        async with showing(question("a")) as (_, person, _):
            await person.presses("1", "2")
            (sent,) = person.told(Asks.Decided)
            assert isinstance(sent.command, AnswerQuestion)
            assert (sent.command.question, sent.command.value) == ("a", "yes")
            assert sent.command.id.startswith("cmd_")
            assert "sent" in person.screen
            sent.heard("Not so \x1b[2J.")
            await person.settles()
            assert "Not so \\x1b[2J." in person.screen
            await person.presses("2")
            assert len(person.told(Asks.Decided)) == 2

    run(body())


def test_the_card_stays_when_another_one_is_gone() -> None:
    async def body() -> None:
        first, second, third = question("a"), question("b"), question("c")
        async with showing(first, second, third) as (asks, person, clock):
            await person.presses("tab")
            await person.settles()
            assert "About b?" in person.screen
            clock.advance(1)
            await person.presses("down")
            asks.show((second, third), typing=False)
            await person.settles()
            assert "1/2" in person.screen
            await person.presses("enter")
            (sent,) = person.told(Asks.Decided)
            assert isinstance(sent.command, AnswerQuestion)
            assert (sent.command.question, sent.command.value) == ("b", "no")

    run(body())


def test_a_name_that_comes_later_does_not_disturb_an_answer() -> None:
    async def body() -> None:
        async with showing(question("a")) as (asks, person, _):
            await person.presses("n", *"becau")
            asks.show((replace(question("a"), by="scribe"),), typing=False)
            await person.settles()
            await person.presses(*"se", "enter")
            assert "asked by the subagent scribe" in person.screen
            (sent,) = person.told(Asks.Decided)
            assert isinstance(sent.command, Decline)
            assert sent.command.reason == "because"

    run(body())


def test_the_focus_is_given_back_when_nothing_waits_any_more() -> None:
    async def body() -> None:
        async with showing(question("a")) as (asks, person, _):
            asks.show((), typing=False)
            await person.settles()
            assert len(person.told(Asks.Left)) == 1
            assert person.screen == ""

    run(body())


@pytest.mark.parametrize("theme", [DARK.name, LIGHT.name, "ansi-dark"])
@pytest.mark.parametrize("size", [(200, 60), (40, 10), (12, 4)])
def test_a_card_is_drawn_in_any_theme_and_size(theme: str, size: tuple[int, int]) -> None:
    async def body() -> None:
        async with showing(question("a"), theme=theme, size=size) as (_, person, _):
            await person.presses("n")
            await person.settles()
            assert not person.told(Asks.Decided)

    run(body())
