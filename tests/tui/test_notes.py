"""What is told in passing while something waits for the person."""

from pathlib import Path

import pytest

from longrein.models.base import Request
from longrein.testing import Reply, call, calls, say
from longrein.tui.app import LongreinApp
from longrein.tui.commanding import perform
from longrein.tui.opening import Dialogs
from tests.support import run
from tests.tui.apps import User, answer, using
from tests.tui.kit import client

LONG = "Something happened that is told at length. " * 9


def says(request: Request) -> Reply:
    if len(request.messages) > 1:
        return say("Done.")
    return calls(*(call("execute", command=f"touch {name}") for name in "ab"))


async def asked(person: User) -> list[str]:
    """The lines of the first card, from its question to its last key, once it is there."""
    await person.types("Go", "enter")
    await person.until(lambda: person.app.main.asks.has_focus_within, "a card")
    await person.sees("y yes")
    return card(person)


def card(person: User) -> list[str]:
    asks = person.app.main.asks.region
    return [line[: asks.right].rstrip() for line in person.screen.split("\n")[asks.y : asks.bottom]]


@pytest.mark.parametrize("size", [(80, 24), (60, 16), (40, 12)])
def test_a_note_is_never_drawn_over_a_card(tmp_path: Path, size: tuple[int, int]) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made, using(made, size=size) as person:
            before = await asked(person)
            person.app.stage.tell(LONG)
            person.app.stage.tell("Another.")
            await person.sees("Something happened")
            await person.until(lambda: card(person) == before, "the card as it was")

    run(main())


def test_other_calls_that_an_always_lets_run_are_told(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made, using(made) as person:
            await asked(person)
            await answer(person, "a", "down", "down", "enter")
            await person.until(lambda: person.notes)
            assert person.notes == ["This also covers 1 other call that waited: it runs now."]
            await person.sees("Done.")

    run(main())


def test_a_yes_for_the_whole_project_leaves_the_keyboard_to_the_editor(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made, using(made) as person:
            await asked(person)
            # The other call is settled a moment later, while its card takes the place of the first.
            await answer(person, "a", "3", "right", "enter")
            await person.sees("Done.")
            await person.types("hello")
            await person.sees("› hello")
            await person.until(lambda: person.notes)
            assert person.notes == ["This also covers 1 other call that waited: it runs now."]

    run(main())


def test_many_notes_one_after_the_other_leave_no_rows_behind(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made, using(made) as person:
            for number in range(30):
                person.app.stage.tell(f"Note {number}.")
                await person.sees(f"Note {number}.")
            lines = person.screen.split("\n")
            (row,) = (n for n, line in enumerate(lines) if "Note 29." in line)
            assert row <= 3
            assert len(person.app.screen.query("ToastHolder")) <= 4

    run(main())


def test_a_note_without_a_screen_that_could_show_it_is_no_error() -> None:
    async def opener(dialogs: Dialogs) -> None:
        return None

    app = LongreinApp(opener, perform)
    app._refresh_notifications()  # pyright: ignore[reportPrivateUsage]
