"""What went wrong without hurting a run stands in the conversation where it happened."""

from pathlib import Path

from msgspec.structs import replace

from longrein.capabilities.custom_commands.capability import CustomCommands
from longrein.core.display import Display, display
from longrein.core.growing import Trail
from longrein.core.messages import Assistant, Message, Text, ToolCall, ToolResult, User
from longrein.core.outcomes import Problem
from longrein.core.state import State
from longrein.testing import say
from longrein.tui.view.entries import Entry, Told
from longrein.tui.view.transcript import transcript
from tests.capabilities.hooks.kit import Shell
from tests.support import run
from tests.tui.apps import using
from tests.tui.kit import client

EMPTY = display(State(thread="thr_1"))
MINE, OTHER = Problem("hook", "The hook failed."), Problem("commands", "b.md is not read.")
ASKED = User((Text("Hi"),), "cmd_1")
CALLS = Assistant((ToolCall("call_1", "look", "{}"),))
ENDED = ToolResult("call_1", "look", (Text("fine"),))
ANSWER = Assistant((Text("Done."),))


def showing(*messages: Message, warned: dict[int, Problem]) -> Display:
    return replace(
        EMPTY,
        messages=Trail(messages),
        warnings=tuple(warned.values()),
        warned=tuple(warned),
    )


def told(entries: list[Entry]) -> list[str]:
    return [one.text if isinstance(one, Told) else type(one).__name__ for one in entries]


def test_a_warning_stays_where_it_came_while_the_thread_goes_on() -> None:
    displays = [
        showing(ASKED, warned={}),
        showing(ASKED, CALLS, warned={2: MINE}),
        showing(ASKED, CALLS, ENDED, warned={2: MINE}),
        showing(ASKED, CALLS, ENDED, ANSWER, warned={2: MINE, 4: OTHER}),
    ]
    made = None
    for shown in displays:
        made = transcript(shown, made)
        assert list(made.entries) == list(transcript(shown).entries)
    assert made
    expected = ["Said", "Called", MINE.message, "Spoke", OTHER.message]
    assert told(list(made.entries)) == expected
    assert [one.tone for one in made.entries if isinstance(one, Told)] == ["warn", "warn"]


def test_what_is_wrong_still_stands_at_the_end() -> None:
    shown = replace(showing(ASKED, ANSWER, warned={1: MINE}), warnings=(MINE, OTHER))
    assert told(list(transcript(shown).entries)) == ["Said", MINE.message, "Spoke", OTHER.message]


def test_a_warning_that_was_rewound_is_not_shown() -> None:
    shown = showing(ASKED, ANSWER, warned={-1: MINE})
    assert told(list(transcript(shown).entries)) == ["Said", "Spoke"]


def test_a_hook_that_fails_is_told_in_the_app_and_not_after_a_rewind(tmp_path: Path) -> None:
    hooks = Shell(tmp_path).on("UserPromptSubmit", "echo No compiler here. >&2; exit 1")

    async def main() -> None:
        able = [hooks.capability()]
        async with (
            client([say("Hello."), say("Again.")], tmp_path, capabilities=able) as made,
            using(made) as person,
        ):
            await person.types("Hi", "enter")
            screen = await person.sees("Hello.")
            assert "! The hook" in screen
            assert screen.index("Hi") < screen.index("No compiler here.") < screen.index("Hello.")
            thread = person.app.stage.desk.thread
            (point,) = await thread.points()
            await thread.rewind(point.input, files=False, conversation=True)
            await person.misses("No compiler here.")

    run(main())


def test_a_custom_command_that_is_hidden_is_told_in_the_app(tmp_path: Path) -> None:
    folder = tmp_path / "commands"
    folder.mkdir()
    (folder / "help.md").write_text("Help me.", encoding="utf-8")

    async def main() -> None:
        able = [CustomCommands([folder], taken=["help"])]
        async with (
            client([say("Hello.")], tmp_path, capabilities=able) as made,
            using(made, size=(200, 24)) as person,
        ):
            await person.types("Hi", "enter")
            await person.sees("Hello.")
            (warning,) = (line for line in person.screen.splitlines() if "help.md" in line)
            assert warning.startswith("! ")

    run(main())


def test_a_custom_command_is_given_its_arguments_when_it_was_completed(tmp_path: Path) -> None:
    folder = tmp_path / "commands"
    folder.mkdir()
    text = "---\nargument-hint: FILE\n---\nReview $ARGUMENTS."
    (folder / "review.md").write_text(text, encoding="utf-8")

    async def main() -> None:
        able = [CustomCommands([folder])]
        async with (
            client([say("Fine.")], tmp_path, capabilities=able) as made,
            using(made) as person,
        ):
            await person.types("/revi")
            await person.sees("FILE")
            await person.presses("enter")
            await person.types("a.py", "enter")
            await person.sees("Review a.py.")

    run(main())
