"""When somebody who looks elsewhere is called, and with what."""

import pytest
from msgspec.structs import replace

from longrein.core.display import Display, display
from longrein.core.records import Question
from longrein.core.state import State
from longrein.tui.notify import AWAY, LONG, WORDS, Notice, announce, sequence

QUIET = display(State(thread="thr_1"))
ASKED = replace(QUIET, questions=(Question("qst_1", "c", "\x1b]0;Really?\x07"),))
RUNNING = replace(QUIET, run="run_1", activity="running", since=1)


def called(before: Display, after: Display, *, focused: bool, idle: float = 0.0) -> Notice | None:
    return announce(before, after, focused=focused, idle=idle, now=LONG + 2)


def test_somebody_who_looks_elsewhere_is_called_when_something_waits() -> None:
    assert called(RUNNING, ASKED, focused=False) == "waits"


def test_somebody_who_looks_on_is_not_called() -> None:
    assert called(RUNNING, ASKED, focused=True) is None
    assert called(RUNNING, QUIET, focused=True) is None


def test_where_no_focus_is_told_a_while_without_a_key_counts_as_away() -> None:
    assert called(RUNNING, ASKED, focused=True, idle=AWAY) == "waits"


def test_what_waited_already_is_not_called_again() -> None:
    assert called(ASKED, replace(ASKED, seq=9), focused=False) is None


def test_the_end_of_long_work_is_called_and_that_of_short_work_is_not() -> None:
    short = replace(RUNNING, since=LONG)
    assert called(RUNNING, QUIET, focused=False) == "done"
    assert called(short, QUIET, focused=False) is None
    assert called(replace(short, busy=LONG), QUIET, focused=False) == "done"


def test_another_thread_is_no_news() -> None:
    assert called(RUNNING, replace(ASKED, thread="thr_2"), focused=False) is None


@pytest.mark.parametrize("notice", ["waits", "done"])
def test_a_notification_holds_nothing_but_constant_words(notice: Notice) -> None:
    sent = sequence(notice, "desktop", {"TERM_PROGRAM": "ghostty"})
    assert sent == f"\x1b]9;{WORDS[notice]}\x1b\\\a"
    assert WORDS[notice].isascii()
    assert ";" not in WORDS[notice]


def test_a_terminal_gets_the_sequence_that_it_knows() -> None:
    text = "\x1b]777;notify;Longrein;Longrein is done\x1b\\\a"
    assert sequence("done", "desktop", {"VTE_VERSION": "7600"}) == text
    assert sequence("done", "desktop", {"TERM": "xterm-256color"}).count("\x1b]") == 2


def test_tmux_is_asked_to_hand_it_on() -> None:
    sent = sequence("done", "desktop", {"TMUX": "/tmp/x", "TERM_PROGRAM": "tmux"})
    assert sent.startswith("\x1bPtmux;\x1b\x1b]9;Longrein is done\x1b\x1b\\\x1b\\")
    assert sent.endswith("\a")


def test_a_bell_is_a_bell_and_off_is_silent() -> None:
    assert sequence("done", "bell", {"TMUX": "x"}) == "\a"
    assert sequence("done", "off", {}) == ""
