"""Questions and their answers, what children ask, and how long something still waits."""

from pathlib import Path

from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.subagents.spec import Subagent
from longrein.testing import Script, call, say
from longrein.testing.scripted import when
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.support import run
from tests.tui.asking import asking

DONE = say("Done.")
ONE = call("ask_user", question="Which way?", choices=["left", "right"])
SEVERAL = call("ask_user", question="Which files?", choices=["a", "b", "c"], several=True)
FREE = call("ask_user", question="What is its name?")


@tool(category="edit")
def note(text: str) -> str:
    """Write something down."""
    return f"noted {text}"


@tool(asks=True)
async def colour(ctx: Context) -> str:
    """Ask for a colour."""
    return await ctx.ask("Which colour?", ("red", "green"), other=True)


def test_a_number_answers(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([ONE, DONE], tmp_path) as d:
            assert "Which way?" in await d.sees("2 right")
            await d.press("2")
            await d.idle()
            assert d.results() == ["right"]

    run(body())


def test_arrows_and_enter_answer(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([ONE, DONE], tmp_path) as d:
            await d.sees("2 right")
            await d.press("down", "up", "enter")
            await d.idle()
            assert d.results() == ["left"]

    run(body())


def test_an_answer_is_not_given_by_a_key_typed_before_the_question_was_seen(
    tmp_path: Path,
) -> None:
    async def body() -> None:
        async with asking([ONE, DONE], tmp_path) as d:
            await d.sees("2 right")
            await d.presses("enter", "1", "n")
            assert len(d.display.questions) == 1
            assert "1 question waits" in d.screen
            assert d.written == "1n"

    run(body())


def test_several_are_marked_and_taken_together(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([SEVERAL, DONE], tmp_path) as d:
            await d.sees("1 [ ] a")
            await d.press("enter")
            await d.sees("Mark at least one")
            await d.press("3", "up", "up", "space", "enter")
            await d.idle()
            assert d.results() == ['["a","c"]']

    run(body())


def test_a_free_answer_is_written(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([FREE, DONE], tmp_path) as d:
            await d.sees("Your answer")
            await d.press("enter", "enter")
            await d.sees("Write an answer first")
            await d.press(*"Ada", "enter")
            await d.idle()
            assert d.results() == ["Ada"]

    run(body())


def test_a_message_that_was_begun_is_no_answer_to_a_free_question(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([FREE, DONE], tmp_path) as d:
            await d.sees("Your answer")
            await d.presses(*"also")
            await d.sees("1 question waits")
            assert d.written == "also"

    run(body())


def test_a_question_is_declined_with_a_reason(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([FREE, DONE], tmp_path) as d:
            await d.sees("Your answer")
            await d.press(*"nn", "escape")
            await d.press("n", *"secret", "enter")
            await d.idle()
            assert "secret" in d.results()[0]

    run(body())


def test_something_else_than_the_choices_is_written(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([call("colour"), DONE], tmp_path, tools=[colour]) as d:
            await d.sees("3 something else")
            await d.press("3")
            await d.sees("Your answer")
            await d.press(*"blue", "enter")
            await d.idle()
            assert d.results() == ["blue"]

    run(body())


def test_hostile_questions_are_shown_as_what_they_are(tmp_path: Path) -> None:
    async def body() -> None:
        ask = call("ask_user", question="\x1b[8mhidden \u202e", choices=["a\u200b", "b\x07"])
        async with asking([ask, DONE], tmp_path) as d:
            seen = await d.sees("1 a")
            assert "\\x1b[8mhidden \\u202e" in seen
            assert "1 a\\u200b" in seen
            assert "2 b\\x07" in seen

    run(body())


def test_a_question_fits_a_small_screen(tmp_path: Path) -> None:
    async def body() -> None:
        ask = call("ask_user", question="Why? " * 60, choices=[f"choice {n}" for n in range(30)])
        async with asking([ask, DONE], tmp_path, size=(40, 10)) as d:
            await d.sees("more lines, PageDown")
            await d.press("end", "up", "enter")
            await d.idle()
            assert d.results() == ["choice 29"]

    run(body())


def test_what_a_child_asks_says_who_and_is_answered_here(tmp_path: Path) -> None:
    async def body() -> None:
        delegates = call("task", agent="scribe", description="Write", prompt="write it")
        script = Script(
            rules=[
                when("Go.", delegates, DONE),
                when("write it", call("note", text="x"), say("Written.")),
            ]
        )
        agents = Subagents([Subagent("scribe", "Writes.", tools=["note"])])
        async with asking(script, tmp_path, tools=[note], capabilities=[agents]) as d:
            await d.sees("asked by the subagent scribe")
            await d.press("y")
            await d.idle()
            assert "Written." in d.results()[0]

    run(body())


def test_a_very_long_question_is_shown_and_answered(tmp_path: Path) -> None:
    async def body() -> None:
        ask = call("ask_user", question="Which of them? " * 70_000, choices=["a", "b"])
        async with asking([ask, DONE], tmp_path) as d:
            assert "Which of them?" in await d.sees("more lines")
            await d.press("2")
            await d.idle()
            assert d.results() == ["b"]

    run(body())
