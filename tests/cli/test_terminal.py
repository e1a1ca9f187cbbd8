"""`longrein run` with a person at the terminal."""

import json

import pytest

from longrein.cli.terminal import visible
from longrein.testing import call, pause, reply, say
from tests.cli.terminal import Terminal
from tests.cli.world import World, provider

DEPLOY = [call("deploy", target="prod"), say("Done.")]
PROMPT = "always for this tool > "
WITH = ("--tools", "tools.py")
CTRL_C, CTRL_D = "\x03", "\x04"


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


def test_always_is_asked_once(world: World) -> None:
    script = [call("deploy", target="a"), call("deploy", target="b"), say("Both.")]
    with provider(world, script), Terminal(world, "run", "Go", *WITH) as person:
        person.sees(PROMPT)
        person.types("a\n")
        person.sees("Both.")
        assert person.ends() == 0
    assert person.screen.count(PROMPT) == 1
    assert deployed(world) == "a\nb\n"


def test_a_question_takes_numbers_and_asks_again_for_anything_else(world: World) -> None:
    ask = call("ask_user", question="Which?", choices=["red", "green", "blue"], several=True)
    with provider(world, [ask, say("Good.")]):
        with Terminal(world, "run", "Go") as person:
            person.sees("with commas > ")
            person.types("7\n")
            person.sees("with commas > ")
            person.types("3, 1\n")
            assert person.ends() == 0
        events = [json.loads(line) for line in world.run("show", "--json").stdout.splitlines()]
    (answered,) = [event for event in events if event["type"] == "question_answered"]
    assert answered["value"] == ["blue", "red"]


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
