"""What somebody sees who does not know the app yet, on whatever screen they have."""

from pathlib import Path

import pytest

from longrein.client.local import LocalClient
from longrein.client.port import About
from longrein.core.rewinds import RewindPoint
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.testing import Script, ScriptedModel, say
from longrein.tui.opening import Choice
from longrein.tui.pages.dialog import Dialog
from longrein.tui.stage import Left
from longrein.tui.view.rewinding import point_rows
from longrein.tui.widgets.hints import fitted
from tests.support import run
from tests.tui.apps import using
from tests.tui.host import shown
from tests.tui.kit import client
from tests.tui.screens import lines
from tests.tui.working import talked

LONG = "\n".join(f"line {number}" for number in range(60))


@pytest.mark.parametrize("width", [36, 24, 12])
def test_the_key_that_a_page_is_for_is_never_left_out(width: int) -> None:
    assert fitted("Ctrl+S approves it · Ctrl+G your editor · Esc close", width)[:6] == "Ctrl+S"


def test_a_long_notice_can_be_read_to_its_end_on_a_small_screen(tmp_path: Path) -> None:
    async def main() -> None:
        about = About(str(tmp_path), (), notices=("word " * 60 + "then do this.",))
        agent = Agent("assistant", model=ScriptedModel(Script([])))
        async with (
            Harness(agent, store="memory", environ={}) as harness,
            using(LocalClient(harness, "me", about), size=(40, 12)) as person,
        ):
            assert "then do this." not in await person.sees("word word")
            await person.presses("pagedown", "pagedown")
            await person.sees("then do this.")
            await person.presses("ctrl+end")
            await person.sees("changes the mode")

    run(main())


def test_a_question_takes_all_of_a_small_screen_for_what_it_is_about() -> None:
    async def main() -> None:
        choices = [Choice("no", "Ignore them", "n"), Choice("yes", "Use them", "y")]
        async with shown(Dialog("Count?", "They run.", choices, shown=LONG), (40, 12)) as (app, _):
            assert [line.strip() for line in lines(app)[2:8]] == ["", *LONG.split("\n")[:5]]
            assert "Esc close" in lines(app)[-1]

    run(main())


def test_two_notes_at_most_are_shown_and_none_after_the_next_message(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("Hi.")], tmp_path) as made, using(made) as person:
            for name in ("one", "two", "three"):
                await person.types(f"/mode no{name}", "enter")
                await person.until(lambda said=name: any(f"no{said}" in n for n in person.notes))
                await person.presses("ctrl+c")
                person.app.stage.tell(f"note of {name}")
            await person.until(lambda: len(person.notes) == 2)
            assert person.notes[-1] == "note of three"
            await person.types("Hello", "enter")
            await person.until(lambda: not person.notes)

    run(main())


def test_keys_go_to_the_beginning_and_to_the_newest(tmp_path: Path) -> None:
    async def main() -> None:
        said = "\n\n".join(f"paragraph {number}" for number in range(100))
        async with client([say(said), say("newest")], tmp_path) as made, using(made) as person:
            await person.types("Go", "enter")
            await person.sees("paragraph 99")
            await person.presses("ctrl+home")
            await person.sees("paragraph 0")
            await person.presses("end")
            await person.sees("paragraph 99")
            await person.presses("ctrl+home")
            await person.app.stage.desk.thread.say("send", "More")
            await person.sees("↓ newer below · Ctrl+End")
            await person.presses("ctrl+end")
            await person.sees("newest")

    run(main())


def test_that_older_inputs_cannot_be_gone_back_to_is_said() -> None:
    points = [RewindPoint(f"cmd_{n}", n, 0, "Hi", "run_1") for n in range(1_000)]
    assert not point_rows(points[1:], 0)[0].heading
    assert "The last 1,000" in point_rows(points, 0)[0].title


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("/trust edit", "Did you mean edits?"),
        ("/mode bild", "Did you mean build?"),
        ("/theme longrein-lite", "Did you mean longrein"),
        ("/trust everything", "Known: ask, edits, plan, yolo."),
    ],
)
def test_a_name_that_nobody_knows_leads_to_the_nearest(
    tmp_path: Path, written: str, told: str
) -> None:
    async def main() -> None:
        async with client([], tmp_path) as made, using(made) as person:
            await person.types(written, "escape", "enter")
            await person.until(lambda: any(told in note for note in person.notes), told)

    run(main())


def test_whoever_leaves_is_told_what_to_go_on_with_if_something_was_said(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("Hi.")], tmp_path) as made, using(made) as person:
            assert await person.app.stage.left() is None
            await person.types("Fix the parser", "enter")
            await person.sees("Hi.")
            left = await person.app.stage.left()
            assert left == Left(person.app.stage.desk.thread.thread, "Fix the parser", True)

    run(main())


def test_whoever_only_looked_into_a_thread_is_told_that_one(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("One."), say("Two.")], tmp_path) as made:
            first = await talked(made, "First")
            await talked(made, "Second")
            async with using(made, thread=first.thread) as person:
                assert await person.app.stage.left() == Left(first.thread, "First", False)

    run(main())
