"""Threads from the command line: list, show, follow, rename, delete, fork."""

import json
import os
import signal

from longrein.testing import say
from tests.cli.world import SECONDS, World, provider

TWO = [say("one"), say("two")]


def test_threads_are_listed_by_page_the_last_used_first(world: World) -> None:
    with provider(world, TWO):
        ids = [world.json("run", f"Number\n{n}")["thread"] for n in range(3)]
    first = world.run("threads", "--limit", "2")
    second = world.run("threads", "--limit", "2", "--after", ids[1])
    rows = [json.loads(line) for line in world.run("threads", "--json").stdout.splitlines()]
    lines = first.stdout.splitlines()
    assert [line.split()[-1] for line in lines] == ["2", "1"]
    assert lines[0].startswith(f"* {ids[2]}")
    assert f"longrein threads --after {ids[1]}" in first.stderr
    assert [line.split()[0] for line in second.stdout.splitlines()] == [ids[0]]
    assert [row["id"] for row in rows] == ids[::-1]
    assert rows[0]["status"] == "idle"
    assert rows[0]["current"]


def test_another_project_has_other_threads(world: World) -> None:
    with provider(world, TWO):
        thread = world.json("run", "Hi")["thread"]
    world.project = world.root / "elsewhere"
    world.project.mkdir()
    assert world.run("threads").stdout == ""
    missing = world.run("show", thread)
    assert missing.returncode == 6
    assert "Traceback" not in missing.stderr


def test_a_folder_below_belongs_to_the_project(world: World) -> None:
    with provider(world, TWO):
        thread = world.json("run", "Hi")["thread"]
        world.project = world.project / "deep" / "down"
        world.project.mkdir(parents=True)
        assert world.json("run", "--continue", "And?")["thread"] == thread


def test_show_has_what_was_said_and_as_json_every_event(world: World) -> None:
    with provider(world, TWO):
        thread = world.json("run", "Hi there")["thread"]
    shown = world.run("show", thread)
    events = [json.loads(line) for line in world.run("show", "--json").stdout.splitlines()]
    assert "> Hi there\n\none\n" in shown.stdout
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["type"] == "run_ended"


def test_follow_shows_what_another_process_does(world: World) -> None:
    with provider(world, TWO):
        thread = world.json("run", "Hi")["thread"]
        following = world.start("show", thread, "--follow", "--json")
        with following:
            assert following.stdout is not None
            seen = [json.loads(following.stdout.readline())["type"]]
            world.run("run", "--continue", "More")
            while seen.count("run_ended") < 2:
                seen.append(json.loads(following.stdout.readline())["type"])
            os.kill(following.pid, signal.SIGINT)
            assert following.wait(SECONDS) == 130
    assert seen.count("input_admitted") == 2


def test_rename_fork_and_delete(world: World) -> None:
    with provider(world, TWO):
        thread = world.json("run", "Hi")["thread"]
        assert world.run("rename", thread, "A", "better", "name").returncode == 0
        forked = world.run("fork", thread, "--title", "Its own way").stdout.strip()
        assert world.json("run", "--thread", forked, "On")["text"] == "two"
        assert world.run("delete", thread).returncode == 0
        listed = world.run("threads").stdout
        assert "Its own way" in listed
        assert "A better name" not in listed
        assert world.run("delete", thread).returncode == 6
        assert "one" in world.run("show", forked).stdout


def test_resume_says_when_nothing_is_open(world: World) -> None:
    with provider(world, TWO):
        assert world.run("resume").returncode == 6
        world.run("run", "Hi")
        done = world.run("resume")
    assert done.returncode == 0
    assert "Nothing is open" in done.stderr
