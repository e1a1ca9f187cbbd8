"""Runs as lines of text for people."""

import pytest

from longrein.cli.terminal import Screen
from longrein.cli.text_view import TextView
from longrein.core import events as e
from longrein.core.messages import Text
from longrein.core.results import exit_words
from longrein.core.state import State
from longrein.loop.advance import LOST

NARROW = 80


def test_a_model_call_that_was_lost_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen = Screen()
    TextView(screen, State()).show(e.StepFailed("stp_1", LOST, retry_at=1, dropped=7))
    screen.close()
    told = capsys.readouterr().err
    assert told == f"! {LOST.message}\n"
    assert len(told) <= NARROW


def test_a_command_that_was_ended_is_marked_whatever_its_exit_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen, words = Screen(), exit_words(0, "ended after 5 seconds")
    view = TextView(screen, State())
    view.show(e.ToolStarted("call_1", "execute", "{}"))
    view.show(e.ToolEnded("call_1", "ok", (Text(f"so far\n[{words}]"),)))
    screen.close()
    assert f"✗ execute: {words}: so far\n" in capsys.readouterr().err
