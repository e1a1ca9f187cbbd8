"""Ctrl+Z, in a real terminal: to the shell and back."""

import shlex
from pathlib import Path

import pytest

from longrein.testing import say
from tests.cli.world import World, provider
from tests.tui.tmux import needs_tmux, terminal

pytestmark = [needs_tmux, pytest.mark.timeout(120)]

SHELL = ["bash", "--norc", "--noprofile", "-i"]
"""One that takes the terminal back from whoever is stopped."""


def test_ctrl_z_goes_to_the_shell_and_fg_comes_back_with_all_that_was_written(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    with provider(world, [say("Hello.")]), terminal(SHELL, world.project, world.environ) as shown:
        shown.wait("bash-")
        shown.type(shlex.join(world.command()))
        shown.keys("Enter")
        shown.wait("asks first")
        shown.type("half a sentence")
        shown.wait("half a sentence")
        shown.keys("C-z")
        shown.wait("Stopped")
        assert shown.is_plain
        shown.type("fg")
        shown.keys("Enter")
        shown.wait("half a sentence")
        shown.type(" and the rest")
        shown.wait("half a sentence and the rest")
        shown.keys("Enter")
        shown.wait("Hello.")


def test_ctrl_z_says_so_where_there_is_no_shell(tmp_path: Path) -> None:
    world = World(tmp_path)
    with provider(world, []), terminal(world.command(), world.project, world.environ) as shown:
        shown.wait("asks first")
        shown.type("a draft")
        shown.keys("C-z")
        shown.wait("There is no shell to go to")
        shown.wait("a draft")
