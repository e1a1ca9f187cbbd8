"""Leaving while something runs, in a real terminal."""

import time
from pathlib import Path

import pytest

from longrein.testing import pause, reply, say
from tests.cli.world import World, provider
from tests.tui.tmux import needs_tmux, terminal

pytestmark = [needs_tmux, pytest.mark.timeout(120)]

GRACE = 0.5
"""Seconds: a question that comes uncalled takes no answer in its first moment."""

WAYS = [("C-d",), ("C-c", "C-c"), ("/quit", "Enter")]


@pytest.mark.parametrize("keys", WAYS, ids=["ctrl-d", "ctrl-c", "quit"])
def test_what_streams_stops_the_terminal_is_as_it_was_and_the_run_can_go_on(
    tmp_path: Path, keys: tuple[str, ...]
) -> None:
    world = World(tmp_path)
    said = [reply(say("So far"), pause(30))]
    script = 'stty -g > before; "$@"; echo "left with $?"; stty -g > after; read line'
    command = ["sh", "-c", script, "sh", *world.command()]
    with (
        provider(world, said),
        terminal(command, world.project, world.environ) as shown,
    ):
        shown.wait("asks first")
        shown.type("Tell me")
        shown.keys("Enter")
        shown.wait("So far")
        shown.keys(*keys)
        shown.wait("Leave?")
        time.sleep(GRACE)
        assert "So far" not in shown.insist("y", "left with 0")
        assert shown.is_plain
        before, after = (world.project / name for name in ("before", "after"))
        shown.until(lambda _: after.exists() and after.read_text() != "", "how the terminal is set")
        assert before.read_text() == after.read_text()
        shown.again(world.command("--continue"))
        shown.wait("left in the middle")
        shown.insist("Enter", "it is made again")
