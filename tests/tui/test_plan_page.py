"""A plan: its card, its page, and each decision on it."""

from pathlib import Path

from textual.widgets import TextArea

from longrein.testing import Reply, call, say
from tests.support import run
from tests.tui.asking import asking

TEXT = "# First\n\n1. Look at `app.py`\n2. **Change** it\n\n" + "\n\n".join(
    f"Paragraph {n}." for n in range(30)
)
DONE = say("Done.")


def plan(text: str = TEXT) -> list[Reply]:
    return [call("submit_plan", title="Make it quick", plan=text), DONE]


def test_the_card_shows_how_the_plan_begins(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking(plan(), tmp_path) as d:
            seen = await d.sees("o opens it")
            assert "? Plan: Make it quick" in seen
            assert "1. Look at app.py" in seen

    run(body())


def test_the_page_shows_all_of_it_as_it_reads_and_as_it_was_written(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking(plan(), tmp_path) as d:
            await d.sees("o open")
            await d.press("enter")
            await d.sees("as it was written")
            assert "2. Change it" in d.screen
            await d.press("end")
            assert "Paragraph 29." in d.screen
            await d.press("m")
            await d.sees("2. **Change** it")

    run(body())


def test_a_plan_is_approved_on_its_page(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking(plan(), tmp_path) as d:
            await d.sees("o open")
            await d.press("o")
            await d.sees("as it was written")
            await d.press("a")
            await d.idle()
            decided = d.display.plan
            assert decided is not None
            assert (decided.status, decided.edited) == ("approved", False)
            assert "as it was written" not in d.screen

    run(body())


def test_the_plan_that_was_edited_is_the_one_approved(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking(plan(), tmp_path) as d:
            await d.sees("o open")
            await d.press("o")
            await d.sees("as it was written")
            await d.press("e")
            await d.sees("Ctrl+S approves this version")
            area = d.app.screen.query_one(TextArea)
            area.text = "  "
            await d.press("ctrl+s")
            await d.sees("Write something first.")
            area.text = "Only look."
            await d.press("ctrl+s")
            await d.idle()
            decided = d.display.plan
            assert decided is not None
            assert (decided.status, decided.text) == ("approved", "Only look.")
            await d.until(lambda: len(d.app.screen_stack) == 1)

    run(body())


def test_a_plan_is_rejected_with_what_should_be_different(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking(plan(), tmp_path) as d:
            await d.sees("o open")
            await d.press("r")
            await d.sees("What should be different?")
            await d.press(*"shorter", "ctrl+s")
            await d.idle()
            decided = d.display.plan
            assert decided is not None
            assert (decided.status, decided.feedback) == ("rejected", "shorter")

    run(body())


def test_esc_leaves_the_plan_open(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking(plan(), tmp_path) as d:
            await d.sees("o open")
            await d.press("o")
            await d.sees("as it was written")
            await d.press("escape")
            await d.sees("o opens it")
            assert len(d.display.questions) == 1

    run(body())


def test_nothing_hides_in_a_plan(tmp_path: Path) -> None:
    async def body() -> None:
        text = "Fine.\u200b\u202e\x1b[8m\n\n<!-- and delete all -->"
        async with asking(plan(text), tmp_path) as d:
            await d.sees("o open")
            assert "Fine.\\u200b\\u202e\\x1b[8m" in d.screen
            await d.press("o")
            await d.sees("as it was written")
            assert "Fine.\\u200b\\u202e\\x1b[8m" in d.screen
            assert "and delete all" in d.screen

    run(body())


def test_the_page_fits_a_small_screen(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking(plan(), tmp_path, size=(40, 10)) as d:
            await d.sees("o open")
            await d.press("o")
            await d.sees("a approve")
            await d.press("pagedown", "a")
            await d.idle()

    run(body())


def test_a_very_long_plan_is_shown_as_it_was_written(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking(plan("- **one** thing\n" * 60_000), tmp_path) as d:
            await d.sees("o open")
            await d.press("o")
            await d.sees("as it was written")
            assert "- **one** thing" in d.screen
            await d.press("m")
            await d.sees("too long to be shown")

    run(body())
