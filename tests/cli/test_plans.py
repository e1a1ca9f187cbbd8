"""Plans, todos and modes of the command line's own agent."""

import json
from pathlib import Path

import pytest

from longrein.testing import call, say
from tests.cli.terminal import Terminal
from tests.cli.world import World, provider

PLAN = "# Steps\n\n1. Look\n2. Deploy"
SUBMIT = call("submit_plan", title="Ship it", plan=PLAN)
SCRIPT = [SUBMIT, call("deploy", target="prod"), say("Done.")]
WITH = ("--tools", "tools.py")
PROMPT = "n reject > "
YOLO = ("--mode", "plan", "--trust", "yolo", *WITH)
EDITOR = "#!/bin/sh\nsed -i 's/Deploy/Deploy on Monday/' \"$1\"\n"


def recorded(world: World) -> dict[str, object]:
    """The plan as the thread keeps it."""
    lines = world.run("show", "--json").stdout.splitlines()
    (fact,) = [one for one in map(json.loads, lines) if one["type"] == "recorded"]
    return fact["data"]


def test_an_approved_plan_leads_from_plan_to_build(world: World) -> None:
    with provider(world, SCRIPT), Terminal(world, "run", "Go", *YOLO) as person:
        person.sees("? Plan: Ship it")
        person.sees("    # Steps")
        person.sees("    2. Deploy")
        person.sees(PROMPT)
        person.types("y\n")
        person.sees("plan approved: Ship it")
        person.sees("mode: build")
        person.sees("✓ deploy")
        person.sees("Done.")
        assert person.ends() == 0
    assert (world.project / "deployed.txt").read_text() == "prod\n"


def test_a_rejected_plan_stays_in_its_mode_with_the_feedback(world: World) -> None:
    with provider(world, [SUBMIT, SUBMIT, say("Done.")]):
        with Terminal(world, "run", "Go", *YOLO) as person:
            person.sees(PROMPT)
            person.types("n\n")
            person.sees("what should be different?")
            person.types("smaller\n")
            person.sees("plan rejected: Ship it (smaller)")
            person.sees(PROMPT)
            person.types("y\n")
            assert person.ends() == 0
        shown = world.run("show")
    feedback = shown.stdout.partition("The feedback:")[2]
    assert feedback.split()[0] == "smaller"


def test_a_plan_is_edited_in_the_editor(world: World) -> None:
    editor = world.root / "editor.sh"
    editor.write_text(EDITOR)
    editor.chmod(0o755)
    with provider(world, [SUBMIT, say("Done.")]):
        with Terminal(world, "run", "Go", *YOLO, EDITOR=str(editor)) as person:
            person.sees(PROMPT)
            person.types("e\n")
            person.sees("plan approved, with changes: Ship it")
            assert person.ends() == 0
        kept = recorded(world)
    assert kept["text"] == "# Steps\n\n1. Look\n2. Deploy on Monday"
    assert kept["edited"]


def test_the_editor_of_the_settings_is_used_before_that_of_the_environment(world: World) -> None:
    editor = world.root / "editor.sh"
    editor.write_text(EDITOR)
    editor.chmod(0o755)
    with provider(world, [SUBMIT, say("Done.")]):
        assert world.run("config", "app.editor", str(editor)).returncode == 0
        with Terminal(world, "run", "Go", *YOLO, EDITOR="false") as person:
            person.sees(PROMPT)
            person.types("e\n")
            person.sees("plan approved, with changes: Ship it")
            assert person.ends() == 0


def test_without_an_editor_a_plan_is_typed_anew(world: World) -> None:
    with provider(world, [SUBMIT, say("Done.")]):
        with Terminal(world, "run", "Go", *YOLO) as person:
            person.sees(PROMPT)
            person.types("e\n")
            person.sees("  | ")
            person.types("1. Look\n   closely\n\n2. Stop\n.\n")
            person.sees("plan approved, with changes: Ship it")
            assert person.ends() == 0
        kept = recorded(world)
    assert kept["text"] == "1. Look\n   closely\n\n2. Stop"


@pytest.mark.parametrize("editor", ["false", "/nowhere/editor", "true"])
def test_an_editor_that_changes_nothing_leaves_the_plan_open(world: World, editor: str) -> None:
    with (
        provider(world, [SUBMIT, say("Done.")]),
        Terminal(world, "run", "Go", *YOLO, EDITOR=editor) as person,
    ):
        person.sees(PROMPT)
        person.types("e\n")
        person.sees(PROMPT)
        person.types("y\n")
        person.sees("plan approved: Ship it")
        assert person.ends() == 0


def test_what_another_process_answers_ends_the_editing(world: World) -> None:
    editor = world.root / "editor.sh"
    editor.write_text("#!/bin/sh\necho editing\nexec sleep 60\n")
    editor.chmod(0o755)
    with (
        provider(world, [SUBMIT, say("Done.")]),
        Terminal(world, "run", "Go", *YOLO, EDITOR=str(editor)) as person,
    ):
        person.sees(PROMPT)
        person.types("e\n")
        person.sees("editing")
        shown = world.run("show").stdout
        id = next(word for word in shown.split() if word.startswith("qst_"))
        assert world.run("answer", id, "approve", "--no-wait").returncode == 0
        person.sees("settled meanwhile")
        person.sees("Done.")
        assert person.ends() == 0


def test_a_plan_is_parked_and_answered_from_another_process(world: World) -> None:
    with provider(world, SCRIPT):
        parked = world.run("run", "Go", *YOLO)
        (plan,) = world.json("resume", *WITH)["pending"]
        done = world.run("answer", plan["id"], "approve", *WITH)
    assert parked.returncode == 3
    assert "Plan: Ship it\n  # Steps\n" in parked.stderr
    assert (plan["kind"], plan["title"], plan["question"]) == ("plan", "Ship it", PLAN)
    assert plan["command"] == f"longrein answer {plan['id']} approve --tools tools.py"
    assert (done.returncode, done.stdout) == (0, "Done.\n")


@pytest.mark.parametrize("said", [["no"], ["reject"], [" "], ["1. Look"], [" ", "--edited"]])
@pytest.mark.parametrize("more", [(), ("--no-wait",)])
def test_only_a_yes_approves_a_plan(world: World, said: list[str], more: tuple[str, ...]) -> None:
    with provider(world, SCRIPT):
        (plan,) = world.json("run", "Go", *YOLO)["pending"]
        refused = world.run("answer", plan["id"], *said, *more, *WITH)
        (still,) = world.json("resume", *WITH)["pending"]
    assert refused.returncode == 2
    assert f"longrein decline {plan['id']}" in refused.stderr
    assert still["id"] == plan["id"]


def test_a_plan_is_edited_from_another_process(world: World) -> None:
    with provider(world, [SUBMIT, say("Done.")]):
        (plan,) = world.json("run", "Go", *YOLO)["pending"]
        done = world.run("answer", plan["id"], "-", "--edited", *WITH, input="1. Look\n2. Stop\n")
        kept = recorded(world)
    assert done.returncode == 0
    assert (kept["text"], kept["edited"]) == ("1. Look\n2. Stop", True)


def test_an_approved_plan_ends_the_trust_that_only_lets_plan(world: World) -> None:
    with provider(world, SCRIPT):
        (plan,) = world.json("run", "Go", "--mode", "plan", "--trust", "plan", *WITH)["pending"]
        done = world.run("answer", plan["id"], "approve", *WITH)
    assert done.returncode == 3
    assert "trust: ask\n" in done.stderr
    assert "longrein approve apr_" in done.stderr


def test_nothing_is_changed_run_or_fetched_while_planning(world: World) -> None:
    with provider(world, [call("deploy", target="prod"), say("I cannot.")]):
        done = world.run("run", "Go", *YOLO)
        outside = world.run("run", "Go", "--mode", "build", "--trust", "yolo", *WITH)
    assert done.stdout == "I cannot.\n"
    assert outside.returncode == 0
    assert (world.project / "deployed.txt").read_text() == "prod\n"


def test_todos_are_shown_as_they_change_and_with_the_thread(world: World) -> None:
    script = [
        call("write_todos", todos=[{"text": "Look", "status": "in_progress"}, {"text": "Tell"}]),
        call("update_todos", changes=[{"number": 1, "status": "completed"}]),
        say("So far."),
    ]
    with provider(world, script):
        done = world.run("run", "Go")
        shown = world.run("show")
    assert done.stdout == "So far.\n"
    assert done.stderr == (
        "todos: 0 of 2 done\n  1. [~] Look\n  2. [ ] Tell\ntodos: 1 of 2 done\n  1. [x] Look\n"
    )
    assert "todos: 1 of 2 done\n  1. [x] Look\n  2. [ ] Tell\n" in shown.stdout


def test_a_tool_of_a_capability_is_known_when_a_thread_is_taken_over(world: World) -> None:
    agent: Path = world.project / "mine.py"
    agent.write_text(
        "from longrein import Agent, AskUser\n"
        "agent = Agent('mine', tools=lambda deps: [], capabilities=[AskUser()])\n"
    )
    with provider(world, [call("ask_user", question="Why?"), say("I see.")]):
        (asked,) = world.json("run", "Go", "--agent", "mine.py")["pending"]
        done = world.run("answer", asked["id"], "so", "--agent", "mine.py", *WITH)
    assert (done.returncode, done.stdout) == (0, "I see.\n")
