"""Pictures of all that waits for the person."""

import pytest

from longrein.testing import Reply, call, calls, say
from tests.support import run
from tests.tui.scenes import gallery, scene

SIZES = {"40x12": (40, 12), "80x24": (80, 24), "120x35": (120, 35)}

BEFORE = "def check(path):\n    text = read(path)\n    return parse(text).valid\n"
EDITS = [{"old_string": "(path):\n    text = read(path)", "new_string": "(text):"}]
EDIT = call("edit_file", path="check.py", edits=EDITS)
PLAN = """\
# Read the file once

1. Let `load()` hand its text on
2. Give `check()` a text, not a path
3. Run the tests

## What could go wrong

Other callers of `check()` still hand it a path.
"""
CHOICES = ["Only the parser", "The parser and its tests", "All of it"]


@pytest.mark.parametrize("size", SIZES)
def test_an_edit_waits(size: str) -> None:
    async def take() -> None:
        with gallery() as pictures:
            says = [EDIT, say("Done.")]
            async with scene(says, pictures, size=SIZES[size]) as shown:
                (shown.folder / "check.py").write_text(BEFORE)
                await shown.says("Make it quick", "Edit this file?")
                await shown.picture(f"approval-edit-{size}", "y")
                await shown.answers("escape")
                await shown.picture(f"approval-folded-{size}", "Tab answers")

    run(take())


def test_a_command_waits_and_each_way_to_answer_it() -> None:
    async def take() -> None:
        with gallery() as pictures:
            says = [call("execute", command="make release"), say("Released.")]
            async with scene(says, pictures) as shown:
                await shown.says("Release it", "Run this command?")
                await shown.picture("approval-command-80x24", "y yes")
                await shown.answers("a")
                await shown.picture("approval-always-80x24", "do not ask again")
                await shown.user.presses("escape", "n")
                await shown.picture("approval-no-80x24", "Why not?")
                await shown.user.presses("escape", "e")
                await shown.picture("approval-arguments-80x24", "Ctrl+S")

    run(take())


def test_a_dangerous_command_waits() -> None:
    async def take() -> None:
        with gallery() as pictures:
            async with scene(
                [call("execute", command="rm -rf / --no-preserve-root")], pictures
            ) as shown:
                await shown.says("Clean up", "Run this command?")
                await shown.picture("approval-dangerous-80x24", "y yes")

    run(take())


def test_several_wait() -> None:
    says = [calls(*(call("execute", command=f"make {what}") for what in ("lint", "test", "docs")))]

    async def take() -> None:
        with gallery() as pictures:
            async with scene(says, pictures) as shown:
                await shown.says("Check all of it", "1/3")
                await shown.picture("approval-several-80x24", "y yes")

    run(take())


@pytest.mark.parametrize(
    ("name", "asked", "sees"),
    [
        ("text", call("ask_user", question="What shall it be called?"), "called?"),
        ("choice", call("ask_user", question="How much of it?", choices=CHOICES), "3 All"),
        (
            "several",
            call("ask_user", question="Which of it?", choices=CHOICES, several=True),
            "All of it",
        ),
    ],
    ids=["text", "choice", "several"],
)
def test_a_question_waits(name: str, asked: Reply, sees: str) -> None:
    async def take() -> None:
        with gallery() as pictures:
            async with scene([asked, say("Thanks.")], pictures) as shown:
                await shown.says("Make it quick", sees)
                await shown.picture(f"question-{name}")

    run(take())


@pytest.mark.parametrize("size", SIZES)
def test_a_plan_waits(size: str) -> None:
    async def take() -> None:
        with gallery() as pictures:
            says = [call("submit_plan", title="Read the file once", plan=PLAN), say("Done.")]
            async with scene(says, pictures, size=SIZES[size]) as shown:
                await shown.says("Make it quick", "Plan: Read")
                await shown.picture(f"plan-card-{size}", "o open")
                await shown.answers("o")
                await shown.picture(f"plan-page-{size}", "Esc")

    run(take())
