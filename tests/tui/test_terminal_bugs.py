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

LISTENS = "\x1b[?2004h"
"""What a terminal is sent once the app reads what is typed, among other things."""

BUG = """
import sys
from longrein.cli.app import show
from longrein.cli.command import finish
from longrein.cli.terminal import Screen

async def opening(dialogs, stack):
    raise ValueError(f"about \\x1b]0;pwn\\x07 and {sys.argv[1]}")

sys.exit(finish(lambda: show(opening), Screen()))
"""

EDITOR = """#!/bin/sh
echo once >> "$STARTED"
read line
# A key that came too late for the app stands before the line.
printf %s "$line" | tr -d '\\007' > "$1"
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


def test_stopped_and_continued_from_outside_it_loses_no_key(world: World) -> None:
    with provider(world, []), Terminal(world, size=(80, 24)) as shown:
        shown.sees("asks first")
        for _ in range(2):
            os.kill(shown.pid, signal.SIGCONT)
            shown.sees(LISTENS)
        words = "the quick brown fox jumps over the lazy dog"
        for letter in words:
            shown.types(letter)
        shown.sees(words)
        shown.types("\x11")
        assert shown.ends() == 0


def test_an_editor_that_removes_its_file_gives_the_terminal_back(world: World) -> None:
    environ = {**world.environ, "VISUAL": "rm"}
    with provider(world, []), terminal(world.command(), world.project, environ) as shown:
        shown.wait("asks first")
        shown.type("hello")
        shown.keys("C-g")
        shown.wait("Nothing was changed")
        shown.type(" there")
        shown.wait("hello there")


def test_the_terminal_is_lent_to_one_editor_at_a_time(world: World, tmp_path: Path) -> None:
    started, editor = tmp_path / "started", tmp_path / "editor"
    editor.write_text(EDITOR)
    editor.chmod(0o755)
    environ = {**world.environ, "VISUAL": str(editor), "STARTED": str(started)}
    with provider(world, []), terminal(world.command(), world.project, environ) as shown:
        shown.wait("asks first")
        shown.keys("C-g", "C-g")
        shown.until(lambda _: started.exists(), "the editor")
        shown.type("written")
        shown.keys("Enter")
        shown.wait("› written")
        assert started.read_text() == "once\n"
