"""The conversation on a screen: what is seen, what keys and the mouse do, what is copied."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import pytest
from textual.events import MouseScrollUp
from textual.geometry import Region
from textual.strip import Strip

from longrein.tui.look import LIGHT, look_of
from longrein.tui.view.entries import Called, ChildBody, Entry, OutputBody, Said, Spoke
from longrein.tui.view.transcript import Transcript
from longrein.tui.widgets.conversation import NEW_BELOW, Conversation
from tests.support import run
from tests.tui.host import Host, Person, before
from tests.tui.screens import lines

Size = tuple[int, int]
SECOND = 1_000_000


class Counting(Conversation):
    """Counts how often something of it was drawn, and takes its time from a variable."""

    def __init__(self) -> None:
        self.now = 0
        self.drawn = 0
        super().__init__(clock=lambda: self.now)

    def render_lines(self, crop: Region) -> list[Strip]:
        self.drawn += 1
        return super().render_lines(crop)


class Alone(Host):
    """Nothing but a conversation."""

    AUTO_FOCUS = None

    def __init__(self) -> None:
        self.conversation = Counting()
        super().__init__(self.conversation)


@asynccontextmanager
async def seen(
    entries: Sequence[Entry], size: Size = (60, 12)
) -> AsyncGenerator[tuple[Alone, Person[Alone]], None]:
    app = Alone()
    async with before(app, size) as person:
        await shown(app, person, entries)
        yield app, person


async def shown(app: Alone, person: Person[Alone], entries: Sequence[Entry]) -> list[str]:
    app.conversation.show(Transcript(tuple(entries), mark=object(), after=object()))
    await person.settles()
    return lines(app)


def inside(app: Alone) -> list[str]:
    """What is seen without the scroll bar."""
    return [line[: app.size.width - 1].rstrip() for line in lines(app)]


def bar(app: Alone) -> list[Strip]:
    """The scroll bar as it is seen."""
    compositor = app.screen._compositor  # pyright: ignore[reportPrivateUsage]
    return [strip.crop(app.size.width - 1) for strip in compositor.render_strips()]


def spoken(count: int) -> list[Entry]:
    return [Spoke(f"s{n}", f"text {n}.") for n in range(count)]


def ran(key: str, output: str = "first\nsecond") -> Called:
    return Called(key, "execute", "Run", f"make {key}", "ok", bodies=(OutputBody(output),))


def row(app: Alone, text: str) -> int:
    return next((n for n, line in enumerate(lines(app)) if text in line), -1)


def test_the_end_is_followed_while_it_is_seen() -> None:
    async def check() -> None:
        async with seen(spoken(30)) as (app, person):
            assert "text 29." in "".join(lines(app))
            assert "text 30." in "".join(await shown(app, person, spoken(31)))

    run(check())


def test_who_scrolled_up_stays_there_and_is_told_of_what_is_new() -> None:
    async def check() -> None:
        async with seen(spoken(30)) as (app, person):
            app.conversation.page(-1)
            await person.settles()
            before = inside(app)
            await shown(app, person, spoken(40))
            assert inside(app)[:-1] == before[:-1]
            assert NEW_BELOW in lines(app)[-1]
            await person.pilot.click(Conversation, offset=(9, 11))
            assert row(app, "text 39.") >= 0
            assert row(app, NEW_BELOW) < 0

    run(check())


def test_keys_scroll_by_pages_and_to_both_ends() -> None:
    async def check() -> None:
        async with seen(spoken(50)) as (app, person):
            app.conversation.focus()
            await person.presses("home")
            assert row(app, "text 0.") == 0
            await person.presses("pagedown", "pagedown", "pageup")
            assert row(app, "text 5.") == 0
            await person.presses("end")
            assert row(app, "text 49.") == 11

    run(check())


def test_the_wheel_scrolls_by_as_many_lines_as_it_says() -> None:
    async def check() -> None:
        async with seen([Spoke(f"{n}", f"text {n}. " * (n + 1)) for n in range(40)]) as (
            app,
            person,
        ):
            conversation = app.conversation
            for _ in range(30):
                before = inside(app)
                at = (3, 3, 0, -1, 0, False, False, False)
                conversation.post_message(MouseScrollUp(conversation, *at))
                await person.settles()
                turn = round(app.scroll_sensitivity_y)
                assert inside(app)[turn:] == before[:-turn]

    run(check())


def test_the_scroll_bar_can_be_dragged_to_any_place() -> None:
    async def check() -> None:
        async with seen(spoken(200)) as (app, person):
            app.conversation.scroll_to(y=100)
            await person.settles()
            assert row(app, "text 50.") == 0
            app.conversation.scroll_to(y=app.conversation.max_scroll_y)
            await person.settles()
            assert "text 200." in "".join(await shown(app, person, spoken(201)))

    run(check())


def test_the_scroll_bar_goes_along() -> None:
    async def check() -> None:
        async with seen(spoken(50)) as (app, person):
            app.conversation.focus()
            pictures = list[list[Strip]]()
            for key in ("home", "pagedown", "end", "home"):
                await person.presses(key)
                pictures.append(bar(app))
            first, second, last, again = pictures
            assert first == again
            assert first != second != last != first

    run(check())


def test_the_cursor_goes_over_what_can_be_opened_and_opens_it() -> None:
    async def check() -> None:
        async with seen([*spoken(2), ran("a"), *spoken(1), ran("b")]) as (app, person):
            app.conversation.focus()
            await person.presses("up", "enter")
            assert row(app, "second") == row(app, "make a") + 2
            await person.presses("space", "j", "space")
            assert row(app, "second") == row(app, "make b") + 2

    run(check())


def test_the_cursor_is_seen_only_with_the_focus() -> None:
    async def check() -> None:
        async with seen([ran("a")]) as (app, person):
            assert "\u203a" not in lines(app)[0]
            app.conversation.focus()
            await person.settles()
            assert lines(app)[0].startswith("✓\u203aRun")

    run(check())


def test_a_click_opens_and_closes() -> None:
    async def check() -> None:
        async with seen([*spoken(2), ran("a")]) as (app, person):
            at = row(app, "make a")
            await person.pilot.click(Conversation, offset=(5, at))
            assert row(app, "second") == at + 2
            await person.pilot.pause(0.6)
            await person.pilot.click(Conversation, offset=(5, at))
            assert row(app, "second") < 0

    run(check())


def test_the_newest_call_is_opened_from_anywhere() -> None:
    async def check() -> None:
        async with seen([ran("a"), ran("b"), *spoken(2)]) as (app, person):
            app.conversation.toggle_newest()
            await person.settles()
            assert row(app, "second") == row(app, "make b") + 2

    run(check())


def test_a_child_is_chosen_with_enter() -> None:
    async def check() -> None:
        done, works = (ChildBody(f"thr_{s}", "x", s, "hm") for s in ("finished", "running"))
        call = Called("t", "task", "Delegate", "x", "running", bodies=(done, works))
        async with seen([call]) as (app, person):
            app.conversation.focus()
            await person.presses("enter")
            assert [one.thread for one in person.told(Conversation.ChildChosen)] == ["thr_running"]

    run(check())


def test_what_runs_shows_its_seconds_and_nothing_else_is_drawn_for_it() -> None:
    async def check() -> None:
        call = Called("c", "execute", "Run", "make", "running", began=SECOND)
        async with seen([*spoken(2), call]) as (app, person):
            app.conversation.now = 43 * SECOND
            await person.sees("42s")
            assert "42s" in lines(app)[row(app, "make")]

    run(check())


def test_the_newest_call_is_opened_where_the_person_looks() -> None:
    async def check() -> None:
        async with seen([ran("a"), *spoken(30), ran("b"), *spoken(30)]) as (app, person):
            app.conversation.toggle_newest()
            await person.settles()
            assert row(app, "second") == row(app, "make b") + 2
            app.conversation.page(-9)
            app.conversation.toggle_newest()
            await person.settles()
            assert row(app, "second") == row(app, "make a") + 2

    run(check())


def test_a_conversation_that_is_shown_before_it_is_on_the_screen_is_seen_there() -> None:
    async def check() -> None:
        app = Alone()
        app.conversation.show(Transcript(tuple(spoken(3))))
        async with before(app, (60, 12)):
            assert row(app, "text 2.") >= 0

    run(check())


def test_a_click_does_not_take_the_focus_from_whoever_types() -> None:
    async def check() -> None:
        async with seen(spoken(3)) as (app, person):
            await person.pilot.click(Conversation, offset=(4, 0))
            assert app.focused is None

    run(check())


def test_equal_entries_draw_nothing() -> None:
    async def check() -> None:
        entries = spoken(20)
        async with seen(entries) as (app, person):
            drawn = app.conversation.drawn
            app.conversation.show(Transcript(tuple(entries), mark=object(), after=object()))
            await person.settles()
            assert app.conversation.drawn == drawn

    run(check())


def test_what_is_selected_is_copied_without_the_margin() -> None:
    async def check() -> None:
        async with seen([Said("a", "nothing"), *spoken(3)]) as (app, person):
            first, last = row(app, "text 0."), row(app, "text 2.")
            await person.pilot.mouse_down(Conversation, offset=(2, first))
            await person.pilot.hover(Conversation, offset=(6, last))
            await person.pilot.mouse_up(Conversation, offset=(6, last))
            assert app.screen.get_selected_text() == "text 0.\n\ntext 1.\n\ntext"

    run(check())


def test_what_is_selected_stays_so_when_something_comes_above_it() -> None:
    async def check() -> None:
        entries = spoken(3)
        async with seen(entries) as (app, person):
            at = row(app, "text 1.")
            await person.pilot.mouse_down(Conversation, offset=(2, at))
            await person.pilot.hover(Conversation, offset=(7, at))
            await person.pilot.mouse_up(Conversation, offset=(7, at))
            await shown(app, person, [Spoke("s0", "longer\n\nthan before"), *entries[1:]])
            assert app.screen.get_selected_text() == "text 1"

    run(check())


def test_two_clicks_select_the_entry() -> None:
    async def check() -> None:
        async with seen(spoken(3)) as (app, person):
            await person.pilot.click(Conversation, offset=(4, row(app, "text 1.")), times=2)
            assert app.screen.get_selected_text() == "text 1."

    run(check())


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (200, 60), (3, 2)])
def test_every_size_will_do(size: Size) -> None:
    async def check() -> None:
        entries = [Said("a", "say " * 40), ran("b"), *spoken(80)]
        async with seen(entries, size) as (app, person):
            app.conversation.focus()
            await person.presses("pageup", "up", "space", "home", "end")
            assert len(lines(app)) == size[1]

    run(check())


def test_another_size_while_something_is_written_keeps_the_place() -> None:
    async def check() -> None:
        entries = spoken(60)
        async with seen(entries, (60, 12)) as (app, person):
            app.conversation.page(-2)
            await person.settles()
            top = inside(app)[0] or inside(app)[1]
            for width in (50, 30, 70):
                await person.pilot.resize_terminal(width, 9)
                growing = Spoke("g", "more and more " * width, open=True)
                await shown(app, person, [*entries, growing])
                assert top in inside(app)[:2]

    run(check())


def test_another_look_draws_everything_anew() -> None:
    async def check() -> None:
        async with seen(spoken(3)) as (app, person):
            drawn, before = app.conversation.drawn, inside(app)
            app.conversation.redraw(look_of(LIGHT))
            await person.settles()
            assert app.conversation.drawn > drawn
            assert inside(app) == before

    run(check())
