"""`longrein rewind`: the points, the preview, the rewind, and its undoing."""

import json

from longrein.testing import Reply, say
from tests.cli.world import World, provider

THREE = [say("one"), say("two"), say("three")]


def talk(world: World, script: list[Reply] = THREE) -> None:
    with provider(world, script):
        for text in ("Bake bread", "And cake"):
            assert world.run("run", "--continue", text).returncode == 0


def test_points_are_listed_the_newest_first(world: World) -> None:
    talk(world)
    listed = world.run("rewind")
    rows = [json.loads(line) for line in world.run("rewind", "--json").stdout.splitlines()]
    assert [line.split("  ")[-1] for line in listed.stdout.splitlines()] == [
        "And cake",
        "Bake bread",
    ]
    assert [(row["number"], row["text"]) for row in rows] == [(1, "And cake"), (2, "Bake bread")]


def test_a_thread_goes_back_and_the_rewind_is_taken_back(world: World) -> None:
    talk(world)
    assert "2 messages would go" in world.run("rewind", "1", "--preview").stdout
    assert "two" in world.run("show").stdout
    assert world.run("rewind", "1").returncode == 0
    assert "two" not in world.run("show").stdout
    undone = world.run("rewind", "--undo")
    assert (undone.returncode, "taken back" in undone.stderr) == (0, True)
    assert "two" in world.run("show").stdout
    assert "Rewound again" in world.run("rewind", "--undo").stderr
    assert "taken back" in world.run("rewind", "--undo").stderr


def test_what_is_said_next_follows_the_point(world: World) -> None:
    with provider(world, THREE):
        first = world.json("run", "Bake bread")
        world.run("run", "--continue", "And cake")
        point = json.loads(world.run("rewind", "--json").stdout.splitlines()[0])
        assert world.run("rewind", point["input"], "--thread", first["thread"]).returncode == 0
        world.run("run", "--continue", "And rolls")
    shown = world.run("show").stdout
    assert "> And rolls" in shown
    assert "> And cake" not in shown


def test_what_cannot_be_is_said_in_words(world: World) -> None:
    talk(world)
    missing = world.run("rewind", "7")
    assert (missing.returncode, "no point 7" in missing.stderr) == (6, True)
    assert world.run("rewind", "cmd_none").returncode == 6
    assert "no rewind to undo" in world.run("rewind", "--undo").stderr
    assert world.run("rewind", "1", "--undo").returncode == 2


def test_arguments_that_cannot_be_are_told_before_anything_is_looked_at(world: World) -> None:
    world.user_file.write_text("no settings at all")
    for given, says in (
        (("rewind", "1", "--undo"), "not both"),
        (("threads", "--search", "a", "--after", "b"), "instead of --after"),
    ):
        done = world.run(*given)
        assert done.returncode == 2
        assert says in done.stderr
        assert "settings" not in done.stderr
