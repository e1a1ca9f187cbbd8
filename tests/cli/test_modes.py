"""The modes of the agent of the command line."""

import json

import pytest

from longrein.testing import call, say
from tests.cli.world import World, provider


@pytest.mark.parametrize("mode", ["plan", "explore"])
def test_nothing_is_changed_or_run_while_planning_or_exploring(world: World, mode: str) -> None:
    script = [
        call("write_file", path="a.txt", content="x"),
        call("execute", command="touch b.txt"),
        say("I only looked."),
    ]
    with provider(world, script):
        done = world.run("run", "--mode", mode, "--trust", "yolo", "Hi")
    assert done.stdout == "I only looked.\n"
    assert not (world.project / "a.txt").exists()
    assert not (world.project / "b.txt").exists()


def test_exploring_asks_for_no_plan(world: World) -> None:
    with provider(world, [say("It is a project.")]):
        world.run("run", "--mode", "explore", "What is this?")
        events = [json.loads(line) for line in world.run("show", "--json").stdout.splitlines()]
    (prefix,) = [one for one in events if one["type"] == "prefix_started"]
    assert "submit_plan" not in prefix["tools"]
    assert "read_file" in prefix["tools"]
    assert "You are exploring" in json.dumps(events)
