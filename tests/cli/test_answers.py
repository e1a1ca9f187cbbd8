"""Approvals and questions without a terminal: parked, and answered by other processes."""

import json

import pytest

from longrein.testing import call, calls, say
from tests.cli.world import SECONDS, World, asked, provider, until

DEPLOY = [call("deploy", target="prod"), say("Done.")]
ASK = [call("ask_user", question="Where to?", choices=["north", "south"]), say("Off we go.")]
WITH = ("--tools", "tools.py")


def deployed(world: World) -> str:
    file = world.project / "deployed.txt"
    return file.read_text() if file.exists() else ""


def test_a_run_that_needs_a_person_is_parked_and_says_how_to_go_on(world: World) -> None:
    with provider(world, DEPLOY):
        done = world.run("run", "Go", *WITH)
        result = world.json("run", "Go", *WITH)
    assert done.returncode == 3
    assert "longrein approve apr_" in done.stderr
    assert "--tools tools.py" in done.stderr
    assert f"longrein resume {result['thread']}"[:20] in done.stderr
    assert result["outcome"] == "waiting"
    (pending,) = result["pending"]
    assert (pending["kind"], pending["tool"]) == ("approval", "deploy")
    assert pending["command"] == f"longrein approve {pending['id']} --tools tools.py"
    assert deployed(world) == ""


def test_approving_later_goes_on_with_the_run_once(world: World) -> None:
    with provider(world, DEPLOY):
        (pending,) = world.json("run", "Go", *WITH)["pending"]
        done = world.run("approve", pending["id"], *WITH)
        again = world.run("approve", pending["id"], *WITH)
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert deployed(world) == "prod\n"
    assert again.returncode == 5
    assert "stale" in again.stderr


def test_approving_with_other_arguments_uses_those(world: World) -> None:
    with provider(world, DEPLOY):
        (pending,) = world.json("run", "Go", *WITH)["pending"]
        wrong = world.run("approve", pending["id"], "--edit", '{"target": 7}', *WITH)
        done = world.run("approve", pending["id"], "--edit", '{"target": "test"}', *WITH)
    assert wrong.returncode == 2
    assert "do not fit" in wrong.stderr
    assert done.returncode == 0
    assert deployed(world) == "test\n"


def test_always_is_remembered_in_the_thread(world: World) -> None:
    script = [call("deploy", target="a"), call("deploy", target="b"), say("Both.")]
    with provider(world, script):
        (pending,) = world.json("run", "Go", *WITH)["pending"]
        done = world.run("approve", pending["id"], "--always", "tool", *WITH)
    assert done.returncode == 0
    assert deployed(world) == "a\nb\n"


def test_without_its_tools_an_approval_is_refused_and_stays(world: World) -> None:
    with provider(world, DEPLOY):
        (pending,) = world.json("run", "Go", *WITH)["pending"]
        refused = world.run("approve", pending["id"])
        done = world.run("approve", pending["id"], *WITH)
    assert refused.returncode == 2
    assert "deploy, which is not loaded here" in refused.stderr
    assert done.returncode == 0


def test_without_its_agent_a_thread_says_that_it_needs_one(world: World) -> None:
    (world.project / "mine.py").write_text(
        "from longrein import Agent\n"
        "from tools import deploy\n"
        "agent = Agent('mine', model='local:scripted', tools=[deploy])\n"
    )
    with provider(world, DEPLOY):
        settings = world.user_file.read_text()
        world.user_file.write_text(settings.replace('model = "local:scripted"', ""))
        (pending,) = world.json("run", "Go", "--agent", "mine.py")["pending"]
        shown = world.run("show")
        refused = world.run("approve", pending["id"])
        done = world.run("approve", pending["id"], "--agent", "mine.py")
        nothing = world.run("run", "--continue", "And?")
    assert "--agent" in shown.stderr
    assert refused.returncode == 2
    assert "add the same --tools or --agent" in refused.stderr
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert "started with --agent or --tools needs the same again" in nothing.stderr


def test_declining_tells_the_model_and_stop_ends_the_run(world: World) -> None:
    with provider(world, DEPLOY):
        (pending,) = world.json("run", "Go", *WITH)["pending"]
        done = world.run("decline", pending["id"], "--reason", "not on a Friday", *WITH)
        shown = world.run("show")
        (other,) = world.json("run", "Go", *WITH)["pending"]
        stopped = world.run("decline", other["id"], "--stop", *WITH)
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert "not on a Friday" in shown.stdout
    assert (stopped.returncode, stopped.stdout) == (0, "")
    assert deployed(world) == ""


@pytest.mark.parametrize("way", ["south", "up"])
def test_a_question_is_answered_with_one_of_its_choices_or_freely(world: World, way: str) -> None:
    with provider(world, ASK):
        result = world.json("run", "Go")
        (pending,) = result["pending"]
        blank = world.run("answer", pending["id"], " ")
        done = world.run("answer", pending["id"], way, "--thread", result["thread"])
    assert (pending["choices"], pending["other"]) == (["north", "south"], True)
    assert blank.returncode == 2
    assert (done.returncode, done.stdout) == (0, "Off we go.\n")


def test_unattended_deny_declines_and_goes_on(world: World) -> None:
    with provider(world, DEPLOY):
        done = world.run("run", "Go", "--unattended", "deny", *WITH)
        shown = world.run("show")
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert "this run is unattended" in shown.stdout
    assert deployed(world) == ""


def test_an_id_that_nobody_knows_is_missing(world: World) -> None:
    with provider(world, ASK):
        parked = world.json("run", "Go")
        nowhere = world.run("approve", "apr_nothing")
        here = world.run("approve", "apr_nothing", "--thread", parked["thread"])
        no_thread = world.run("approve", "apr_nothing", "--thread", "thr_nothing")
    assert [done.returncode for done in (nowhere, here, no_thread)] == [6, 6, 6]


def test_no_wait_keeps_the_answer_for_whoever_goes_on(world: World) -> None:
    with provider(world, DEPLOY):
        result = world.json("run", "Go", *WITH)
        (pending,) = result["pending"]
        left = world.run("approve", pending["id"], "--no-wait", *WITH)
        assert deployed(world) == ""
        done = world.run("resume", result["thread"], *WITH)
    assert left.returncode == 7
    assert "accepted" in left.stderr
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert deployed(world) == "prod\n"


def test_whoever_waits_takes_over_when_the_owner_is_killed(world: World) -> None:
    both = calls(call("wait"), call("deploy", target="prod"))
    with provider(world, [both, say("Done.")]):
        owner = world.start("run", "Go", *WITH)
        until(world.project / "waiting.txt")
        approval = asked(world)
        second = world.start("approve", approval, *WITH)
        until(world.project / "deployed.txt", size=5)
        owner.kill()
        owner.communicate(timeout=SECONDS)
        shown, told = second.communicate(timeout=SECONDS)
    assert (second.returncode, shown) == (0, "Done.\n")
    assert "wait unknown" in told
    assert deployed(world) == "prod\n"


def test_the_owner_applies_what_a_second_process_answers(world: World) -> None:
    both = calls(call("wait"), call("deploy", target="prod"))
    with provider(world, [both, say("Done.")]):
        running = world.start("run", "Go", "--output", "stream-json", *WITH)
        with running:
            assert running.stdout is not None
            approval = ""
            for line in running.stdout:
                event = json.loads(line)
                if event["type"] == "approval_requested":
                    approval = event["approval"]["id"]
                    break
            until(world.project / "waiting.txt")
            answered = world.run("approve", approval, "--no-wait")
            until(world.project / "deployed.txt")
            (world.project / "go.txt").write_text("")
            rest, _ = running.communicate(timeout=SECONDS)
    assert answered.returncode == 0
    assert "applied" in answered.stderr
    assert running.returncode == 0
    assert json.loads(rest.splitlines()[-1])["text"] == "Done."
    assert deployed(world) == "prod\n"
