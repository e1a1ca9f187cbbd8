"""What commands do with what they are given, in the whole app."""

from pathlib import Path

from longrein.testing import say
from longrein.tui.pages.dialog import LineDialog
from tests.support import run
from tests.tui.apps import using
from tests.tui.kit import client

ANSWERS = [say("answer 0")]


def test_an_export_in_a_format_that_there_is_not_is_told(tmp_path: Path) -> None:
    async def test() -> None:
        async with client(ANSWERS, tmp_path) as made, using(made) as person:
            await person.types("/export pdf x", "enter")
            await person.until(lambda: person.notes, "a word")
            assert person.notes[0].startswith("There is no format 'pdf'; known: markdown, json.")
            assert person.app.main.editor.draft.text == "/export pdf x"

    run(test())


def test_renaming_begins_with_the_title_that_is_there(tmp_path: Path) -> None:
    async def test() -> None:
        async with client(ANSWERS, tmp_path) as made, using(made) as person:
            await person.types("fix the parser", "enter")
            await person.sees("answer 0")
            await person.types("/rename", "enter")
            await person.until(lambda: isinstance(person.app.screen, LineDialog), "a question")
            await person.types(" now", "enter")
            await person.until(
                lambda: person.app.stage.desk.thread.display.title == "fix the parser now"
            )

    run(test())
