"""The demo without a terminal, and `longrein` alone where there is none."""

import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.world import World


class Shown(NamedTuple):
    """The demo, done: what it said, and what was in the project before and after."""

    done: "subprocess.CompletedProcess[str]"
    before: list[Path]
    after: list[Path]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    world = World(tmp_path_factory.mktemp("demo"))
    before = sorted(world.project.iterdir())
    done = world.run("demo")
    return Shown(done, before, sorted(world.project.iterdir()))


def test_without_a_terminal_the_demo_answers_itself(shown: Shown) -> None:
    done = shown.done
    assert done.returncode == 0
    assert "The model is a script" in done.stderr
    assert "plan approved: Greet people by name" in done.stderr
    assert "FAILED: said 'Hello!'" in done.stderr
    assert "ok: greets by name" in done.stderr
    assert "reviewer → read_file" in done.stderr
    assert "todos: 3 of 3 done" in done.stderr
    assert "One line of `greet.sh`" in done.stdout


def test_the_demo_takes_back_what_it_did(world: World) -> None:
    done = world.run("demo", "--auto")
    assert "taken back by a rewind (applied)" in done.stderr
    greeting = world.root / "data" / "longrein" / "demo" / "greet.sh"
    assert 'echo "Hello!"' in greeting.read_text()


def test_the_demo_works_in_a_folder_of_its_own(shown: Shown) -> None:
    assert shown.done.returncode == 0
    assert shown.after == shown.before


def test_longrein_alone_without_a_terminal_is_the_demo_until_a_model_is_configured(
    world: World,
) -> None:
    assert "here is the demo" in world.run().stderr
    keyed = world.run(ANTHROPIC_API_KEY="sk-ant-0123456789")
    assert keyed.returncode == 0
    assert "longrein run --model anthropic:MODEL" in keyed.stdout


def test_longrein_alone_says_how_to_begin_with_the_model_there_is(world: World) -> None:
    world.use("http://127.0.0.1:9")
    done = world.run()
    assert done.returncode == 0
    assert "The model is local:scripted" in done.stdout
