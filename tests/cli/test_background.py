"""Children in the background of a run on the command line."""

import json
import re
import signal
import time
from typing import Any

from longrein.testing import Script, call, calls, say, when
from tests.cli.terminal import Terminal
from tests.cli.world import SECONDS, World, provider, until

WITH = ("--tools", "tools.py")


def task(prompt: str) -> Any:
    """A call that has a child work; its title is not in the prompt, by which it is scripted."""
    return call(
        "task", agent="general-purpose", description="Beside", prompt=prompt, background=True
    )


WORKS = Script(
    [task("Wait for it"), say("It is begun."), say("It is done.")],
    rules=[when("Wait for it", call("wait"), say("Waited."))],
)
ASKS = Script(
    [task("Deploy to prod"), say("It is begun."), say("It is done.")],
    rules=[when("Deploy to prod", call("deploy", target="prod"), say("It is out."))],
)
BOTH = Script(
    [calls(task("Wait for it"), task("Deploy to prod")), say("It is begun.")],
    rules=[
        when("Wait for it", call("wait"), say("Waited.")),
        when("Deploy to prod", call("deploy", target="prod"), say("It is out.")),
    ],
    otherwise=say("It is done."),
)


def status(world: World) -> str:
    return json.loads(world.run("threads", "--json").stdout)["status"]


def approvals(text: str) -> set[str]:
    return set(re.findall(r"longrein approve (apr_\w+)", text))


def test_a_run_ends_when_its_children_and_the_runs_that_they_wake_have_ended(world: World) -> None:
    with provider(world, WORKS):
        running = world.start("run", "Go", *WITH)
        until(world.project / "waiting.txt")
        assert status(world) == "running"
        (world.project / "go.txt").touch()
        said, told = running.communicate(timeout=SECONDS)
        assert (running.returncode, said) == (0, "It is begun.\nIt is done.\n")
        assert "✓ general-purpose: finished" in told
        assert status(world) == "idle"
        shown = world.run("show").stdout
    assert re.search(r"subagents:\n  general-purpose 'Beside' \(finished\), thr_\w+", shown)


def test_as_json_it_is_the_last_answer_with_what_children_used(world: World) -> None:
    (world.project / "go.txt").touch()
    with provider(world, WORKS):
        done = world.json("run", "Go", *WITH)
        events = world.run("show", "--json").stdout
    assert (done["outcome"], done["text"], done["subagents"]) == ("finished", "It is done.", [])
    assert done["steps"] == 5
    assert '"type":"child_ended"' in events


def test_as_a_stream_it_has_the_events_of_children_and_the_result_last(world: World) -> None:
    (world.project / "go.txt").touch()
    with provider(world, WORKS):
        streamed = world.run("run", "Go", "--output", "stream-json", *WITH).stdout
    lines = [json.loads(line) for line in streamed.splitlines()]
    kinds = [line["type"] for line in lines]
    assert kinds.index("run_ended") < kinds.index("child_ended") < len(kinds) - 1
    assert "from_child" in kinds
    assert (kinds[-1], lines[-1]["text"]) == ("result", "It is done.")


def test_a_schema_holds_for_the_run_and_not_for_those_that_children_wake(world: World) -> None:
    (world.project / "go.txt").touch()
    (world.project / "schema.json").write_text('{"type": "object"}')
    script = Script(
        [task("Wait for it"), say('{"begun": true}'), say("Not JSON at all.")],
        rules=[when("Wait for it", call("wait"), say("Waited."))],
    )
    with provider(world, script):
        done = world.json("run", "Go", "--schema", "schema.json", *WITH)
    assert (done["exit"], done["value"]) == (0, {"begun": True})


def test_what_a_child_asks_ends_the_run_as_waiting_once_nothing_works(world: World) -> None:
    with provider(world, BOTH):
        running = world.start("run", "Go", *WITH)
        until(world.project / "waiting.txt")
        assert running.stderr is not None
        heard = ""
        while not approvals(heard):
            heard += running.stderr.readline()
        assert "Subagents are still at work. Meanwhile this can be answered" in heard
        time.sleep(0.1)
        assert running.poll() is None
        (world.project / "go.txt").touch()
        _, told = running.communicate(timeout=SECONDS)
        assert running.returncode == 3
        assert len(approvals(heard + told)) == 1
        assert status(world) == "waiting"
        assert world.run("resume", *WITH).returncode == 3


def test_a_child_of_an_idle_thread_is_seen_through_after_a_yes(world: World) -> None:
    with provider(world, ASKS):
        (id,) = approvals(world.run("run", "Go", *WITH).stderr)
        done = world.run("approve", id, *WITH)
        late = world.run("approve", id, *WITH)
        other = world.run("decline", id, *WITH)
    assert (done.returncode, done.stdout) == (0, "It is done.\n")
    assert "✓ general-purpose: finished" in done.stderr
    assert (world.project / "deployed.txt").read_text() == "prod\n"
    assert (late.returncode, other.returncode) == (5, 5)


def test_a_yes_to_one_child_does_not_end_before_that_one_is_done(world: World) -> None:
    script = Script(
        [calls(task("Deploy to one"), task("Deploy to two")), say("It is begun.")],
        rules=[
            when("Deploy to one", call("deploy", target="one"), say("Out.")),
            when("Deploy to two", call("deploy", target="two"), say("Out.")),
        ],
        otherwise=say("It is done."),
    )
    with provider(world, script):
        first, second = sorted(approvals(world.run("run", "Go", *WITH).stderr))
        one = world.run("approve", first, *WITH)
        assert (one.returncode, one.stdout) == (3, "It is done.\n")
        assert approvals(one.stderr) == {second}
        assert world.run("approve", second, *WITH).returncode == 0
    assert sorted((world.project / "deployed.txt").read_text().split()) == ["one", "two"]


def test_a_yes_to_a_child_needs_the_tool_that_it_lets_run(world: World) -> None:
    with provider(world, ASKS):
        (id,) = approvals(world.run("run", "Go", *WITH).stderr)
        done = world.run("approve", id)
        assert done.returncode == 2
        assert "This thread waits with deploy, which is not loaded here" in done.stderr
        assert world.run("approve", id, *WITH).returncode == 0


def test_unattended_what_a_child_asks_is_declined_and_the_run_goes_on(world: World) -> None:
    with provider(world, ASKS):
        done = world.run("run", "Go", "--unattended", "deny", *WITH)
    assert (done.returncode, done.stdout) == (0, "It is begun.\nIt is done.\n")
    assert not (world.project / "deployed.txt").exists()


def test_what_a_child_asks_can_be_answered_from_elsewhere_before_the_deadline(
    world: World,
) -> None:
    with provider(world, ASKS):
        running = world.start("run", "Go", "--deadline", "20", *WITH)
        assert running.stderr is not None
        heard = ""
        while not (asked := approvals(heard)):
            heard += running.stderr.readline()
        assert "Waiting for an answer, from anywhere, for 20 s" in heard
        assert world.run("approve", asked.pop(), "--no-wait", *WITH).returncode == 0
        said, _ = running.communicate(timeout=SECONDS)
    assert (running.returncode, said) == (0, "It is begun.\nIt is done.\n")
    assert (world.project / "deployed.txt").exists()


def test_a_limit_holds_for_the_run_together_with_those_that_children_wake(world: World) -> None:
    (world.project / "go.txt").touch()
    with provider(world, WORKS):
        done = world.json("run", "Go", "--max-steps", "2", *WITH)
    assert (done["outcome"], done["exit"]) == ("limit_reached", 4)


def test_a_person_at_a_terminal_is_asked_what_a_child_asks_after_the_run(world: World) -> None:
    with provider(world, ASKS), Terminal(world, "run", "Go", *WITH) as person:
        person.sees("The subagent general-purpose asks:")
        person.sees("y yes")
        person.types("y\n")
        person.sees("It is done.")
        assert person.ends() == 0


def test_whoever_does_not_wait_is_told_who_is_left_and_goes_on_later(world: World) -> None:
    with provider(world, WORKS):
        running = world.start("run", "Go", *WITH)
        until(world.project / "waiting.txt")
        ended = '"type":"run_ended"'
        _until_shown(world, ended)
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=SECONDS)
        assert running.returncode == 130
        assert re.search(r"not ended: general-purpose 'Beside' \(running\), thr_\w+", told)
        assert re.search(r"longrein resume thr_\w+ --tools tools.py +to go on with the sub", told)
        assert status(world) == "stopped"

        (world.project / "go.txt").touch()
        done = world.run("resume", *WITH)
        assert (done.returncode, done.stdout) == (0, "It is done.\n")
        assert status(world) == "idle"


def _until_shown(world: World, text: str) -> None:
    """Come back when the log of the last thread has it."""
    ends = time.monotonic() + SECONDS
    while text not in world.run("show", "--json").stdout:
        assert time.monotonic() < ends


def test_usage_counts_children_with_their_thread(world: World) -> None:
    (world.project / "go.txt").touch()
    with provider(world, WORKS):
        world.run("run", "Go", *WITH)
        rows = [json.loads(line) for line in world.run("usage", "--json").stdout.splitlines()]
    thread, everything = rows
    assert thread["steps"] == everything["steps"] == 5
    assert thread["usage"] == everything["usage"]
