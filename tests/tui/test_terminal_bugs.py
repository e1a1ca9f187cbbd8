"""In a real terminal: what is told of the terminal itself, and how the app ends that has to."""

import os
import signal
import sys
from pathlib import Path

import pytest

from longrein.cli import exits
from tests.cli.terminal import Terminal
from tests.cli.world import KEY, World, provider
from tests.tui.tmux import needs_tmux, terminal

pytestmark = [needs_tmux, pytest.mark.timeout(120)]

BUG = """
import sys
from longrein.cli.app import show
from longrein.cli.command import finish
from longrein.cli.terminal import Screen

async def opening(dialogs, stack):
    raise ValueError(f"about \\x1b]0;pwn\\x07 and {sys.argv[1]}")

sys.exit(finish(lambda: show(opening), Screen()))
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_the_doctor_opens_in_the_app(world: World) -> None:
    with (
        provider(world, []),
        terminal(world.command(), world.project, world.environ, size=(100, 40)) as shown,
    ):
        shown.wait("asks first")
        shown.type("/doctor ")
        shown.keys("Enter")
        shown.wait("SQLite")
        assert not shown.ended


def test_a_bug_is_told_without_keys_and_without_what_steers_the_terminal(world: World) -> None:
    world.use("http://127.0.0.1:9")
    command = ["sh", "-c", '"$@"; echo "code $?"; read _', "sh", sys.executable, "-c", BUG, KEY]
    with terminal(command, world.project, world.environ, size=(100, 90)) as shown:
        told = shown.wait(f"code {exits.FAILED}")
        assert "longrein: this is a bug of Longrein:" in told
        assert r"ValueError: about \x1b]0;pwn\x07 and [secret:LOCAL_KEY]" in told
        assert "WorkerFailed" not in told


def test_the_exit_code_of_an_app_that_was_terminated_says_so(world: World) -> None:
    with provider(world, []), Terminal(world, size=(80, 24)) as shown:
        shown.sees("asks first")
        os.kill(shown.pid, signal.SIGTERM)
        assert shown.ends() == exits.TERMINATED
