"""`longrein run` with a person at the terminal."""

import json
from typing import Any
from unittest.mock import ANY

import pytest

from longrein.core.visible import visible
from longrein.testing import call, pause, reply, say
from tests.cli.terminal import Terminal
from tests.cli.world import World, provider

DEPLOY = [call("deploy", target="prod"), say("Done.")]
PROMPT = "a always > "
WITH = ("--tools", "tools.py")
CTRL_C, CTRL_D = "\x03", "\x04"


TOUCHING = """
from longrein import Touches, tool

def touched(arguments, ctx):
    line = f"git push {arguments['branch']}"
    return Touches(("/project/repo",), (line,), ("example.com",))

@tool(category="network", touches=touched)
def push(branch: str) -> str:
    "Push a branch."
    return "pushed"
"""
ASKING = """
from longrein import Context, tool

@tool(category="read", asks=True)
async def colour(ctx: Context) -> str:
    "Ask for a colour."
    return await ctx.ask("Which?", ("red", "green"), other=True)
"""


def events(world: World) -> list[dict[str, Any]]:
    return [json.loads(line) for line in world.run("show", "--json").stdout.splitlines()]


def deployed(world: World) -> str:
    file = world.project / "deployed.txt"
    return file.read_text() if file.exists() else ""


def test_yes_lets_the_call_run(world: World) -> None:
    with provider(world, DEPLOY), Terminal(world, "run", "Go", *WITH) as person:
        person.sees("deploy (execute) wants to run")
        person.sees('target: "prod"')
        person.sees(PROMPT)
        person.types("y\n")
        person.sees("Done.")
        assert person.ends() == 0
    assert deployed(world) == "prod\n"


def test_no_gives_the_reason_to_the_model(world: World) -> None:
    with provider(world, DEPLOY):
        with Terminal(world, "run", "Go", *WITH) as person:
            person.sees(PROMPT)
            person.types("n\n")
            person.sees("why not?")
            person.types("too late\n")
            person.sees("Done.")
            assert person.ends() == 0
        assert "too late" in world.run("show").stdout
    assert deployed(world) == ""


def test_edited_arguments_are_used_once_they_fit(world: World) -> None:
    with provider(world, DEPLOY), Terminal(world, "run", "Go", *WITH) as person:
        for edited in ('{"target": 7}\n', '{"target": "test"}\n'):
            person.sees(PROMPT)
            person.types("e\n")
            person.sees("instead > ")
            person.types(edited)
        assert person.ends() == 0
    assert "do not fit" in person.screen
    assert deployed(world) == "test\n"


@pytest.mark.parametrize(
    ("what", "where", "asked", "grant"),
    [
        ("1", "2", 2, {"tool": "deploy", "arguments": {"": '{"target":"a"}'}}),
        ("2", "1", 1, {"tool": "deploy", "run": ANY, "scope": "run"}),
        ("3", "3", 1, {"category": "execute", "scope": "resource"}),
    ],
)
def test_always_asks_for_what_and_where(
    world: World, what: str, where: str, asked: int, grant: dict[str, object]
) -> None:
    script = [call("deploy", target="a"), call("deploy", target="b"), say("Both.")]
    with provider(world, script):
        with Terminal(world, "run", "Go", *WITH) as person:
            person.sees(PROMPT)
            person.types("a\n")
            person.sees("1 exactly this call")
            person.sees("number > ")
            person.types(f"{what}\n")
            person.sees("3 this project > ")
            person.types(f"{where}\n")
            if asked == 2:
                person.sees(PROMPT)
                person.types("y\n")
            person.sees("Both.")
            assert person.ends() == 0
        (added,) = [event["grant"] for event in events(world) if event["type"] == "grant_added"]
    assert person.screen.count(PROMPT) == asked
    assert added == {"id": ANY, "rule": "default:execute", **grant}


def test_a_slip_at_where_keeps_what_was_chosen_and_an_empty_line_goes_back(world: World) -> None:
    with provider(world, [call("deploy", target="a"), say("Done.")]):
        with Terminal(world, "run", "Go", *WITH) as person:
            person.sees(PROMPT)
            person.types("a\n")
            person.sees("number > ")
            person.types("\n")
            person.sees(PROMPT)
            person.types("a\n")
            person.sees("number > ")
            person.types("2\n")
            person.sees("3 this project > ")
            person.types("x\n")
            person.sees("from 1 to 3")
            person.sees("3 this project > ")
            person.types("3\n")
            assert person.ends() == 0
        (added,) = [event["grant"] for event in events(world) if event["type"] == "grant_added"]
    assert (added["tool"], added["scope"]) == ("deploy", "resource")


def test_what_a_call_touches_is_shown_and_proposed(world: World) -> None:
    (world.project / "touching.py").write_text(TOUCHING)
    script = [call("push", branch="main"), say("Done.")]
    with (
        provider(world, script),
        Terminal(world, "run", "Go", "--tools", "touching.py") as person,
    ):
        person.sees("  touches /project/repo")
        person.sees("  runs git push main")
        person.sees("  connects to example.com")
        person.sees(PROMPT)
        person.types("a\n")
        person.sees("2 push on /project/repo running git push main connecting to example.com")
        person.sees("number > ")
        person.types("\n")
        person.sees(PROMPT)
        person.types("y\n")
        assert person.ends() == 0


def test_a_question_takes_an_answer_of_its_own_where_that_will_do(world: World) -> None:
    (world.project / "asking.py").write_text(ASKING)
    script = [call("colour"), call("colour"), say("Good.")]
    with provider(world, script):
        with Terminal(world, "run", "Go", "--tools", "asking.py") as person:
            for answer in ("2\n", "7 of them\n"):
                person.sees("number, or your own answer > ")
                person.types(answer)
            assert person.ends() == 0
        values = [one["value"] for one in events(world) if one["type"] == "question_answered"]
    assert values == ["green", "7 of them"]


def test_a_question_takes_numbers_and_words_and_asks_again_for_other_numbers(world: World) -> None:
    ask = call("ask_user", question="Which?", choices=["red", "green", "blue"], several=True)
    with provider(world, [ask, say("Good.")]):
        with Terminal(world, "run", "Go") as person:
            person.sees("with commas, or your own answer > ")
            person.types("7\n")
            person.sees("with commas, or your own answer > ")
            person.types("3, 1, mauve\n")
            assert person.ends() == 0
        (answered,) = [one for one in events(world) if one["type"] == "question_answered"]
    assert answered["value"] == ["blue", "red", "mauve"]


def test_the_end_of_input_leaves_it_open(world: World) -> None:
    with provider(world, DEPLOY):
        with Terminal(world, "run", "Go", *WITH) as person:
            person.sees(PROMPT)
            person.types(CTRL_D)
            person.sees("longrein approve apr_")
            assert person.ends() == 3
        assert world.run("resume", "--unattended", "deny", *WITH).returncode == 0


def test_what_another_process_answers_ends_the_asking(world: World) -> None:
    with provider(world, DEPLOY), Terminal(world, "run", "Go", *WITH) as person:
        person.sees(PROMPT)
        shown = world.run("show").stdout
        id = next(word for word in shown.split() if word.startswith("apr_"))
        assert world.run("approve", id, "--no-wait").returncode == 0
        person.sees("settled meanwhile")
        person.sees("Done.")
        assert person.ends() == 0
    assert deployed(world) == "prod\n"


def test_an_approval_survives_a_kill_and_is_asked_again(world: World) -> None:
    with provider(world, DEPLOY):
        with Terminal(world, "run", "Go", *WITH) as person:
            person.sees(PROMPT)
            person.kill()
        with Terminal(world, "resume", *WITH) as person:
            person.sees(PROMPT)
            person.types("y\n")
            person.sees("Done.")
            assert person.ends() == 0
    assert deployed(world) == "prod\n"


def test_ctrl_c_stops_the_run_and_the_thread_goes_on(world: World) -> None:
    long = reply(say("Once upon"), pause(60))
    with provider(world, [long, say("The end.")]):
        with Terminal(world, "run", "Tell") as person:
            person.sees("Once upon")
            person.types(CTRL_C)
            person.sees("Ctrl-C again quits")
            person.sees("to go on in the thread")
            assert person.ends() == 130
        assert "Once upon [interrupted]" in world.run("show").stdout
        assert world.run("run", "--continue", "And?").stdout == "The end.\n"


def test_ctrl_c_twice_quits_at_once(world: World) -> None:
    (world.project / "stubborn.py").write_text(
        "import asyncio\nfrom longrein import tool\n"
        "@tool(category='read')\nasync def dig() -> str:\n    'Dig.'\n"
        "    while True:\n        try:\n            await asyncio.sleep(60)\n"
        "        except asyncio.CancelledError:\n            pass\n"
    )
    script, tools = [call("dig"), say("Done.")], ("--tools", "stubborn.py")
    with provider(world, script), Terminal(world, "run", "Go", *tools) as person:
        person.sees("→ dig")
        person.types(CTRL_C)
        person.sees("Ctrl-C again quits")
        person.types(CTRL_C)
        assert person.ends() == 130


def test_what_is_said_cannot_steer_the_terminal(world: World) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202eback\u200b"
    script = [reply(say(evil), call("deploy", target=evil)), say("Done.")]
    with provider(world, script), Terminal(world, "run", "Go", *WITH, NO_COLOR="1") as person:
        person.sees(PROMPT)
        person.types("y\n")
        assert person.ends() == 0
    assert "\\x1b]0;owned\\x07\\x1b[2J\\u202eback\\u200b" in person.screen
    assert "\x1b" not in person.screen
    assert "\u202e" not in person.screen


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tab\tand\nline", "tab\tand\nline"),
        ("windows\r\n", "windows\n"),
        ("over\rwritten", "over\\x0dwritten"),
        ("\x9b31m \x7f", "\\x9b31m \\x7f"),
        ("\U000e0041", "\\U000e0041"),
        (
            "\u0646\u200c\u0647 \U0001f469\u200d\U0001f4bb",
            "\u0646\u200c\u0647 \U0001f469\u200d\U0001f4bb",
        ),
    ],
)
def test_only_what_steers_or_hides_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_nothing_is_hidden_from_whoever_says_yes() -> None:
    assert visible("rm\u200d\u00ad", strict=True) == "rm\\u200d\\xad"
