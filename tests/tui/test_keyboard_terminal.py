"""The editor in a real terminal: keys and pastes as tmux sends them."""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.tui.tmux import Terminal, needs_tmux, terminal

pytestmark = [needs_tmux, pytest.mark.timeout(120)]

PROGRAM = """
from textual.app import App
from textual.widgets import Static
from longrein.tui.keyboard import Keyboard
from longrein.tui.widgets.composer import Composer


class Program(App[None]):
    CSS = "#told { height: 1fr; }"
    ENABLE_COMMAND_PALETTE = False

    def compose(self):
        yield Static("ready", id="told", markup=False)
        yield Composer()

    def on_mount(self):
        self.query_one(Composer).editor.focus()

    def tell(self, text):
        self.query_one("#told", Static).update(text)

    def on_editor_submitted(self, event):
        self.tell(f"{event.verb} {event.draft.said!r}")

    def on_editor_shell(self, event):
        self.tell(f"shell {event.line!r}")

    def on_editor_escaped(self, event):
        self.tell("escaped")


Program(driver_class=Keyboard).run()
"""


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Generator[Terminal, None, None]:
    folder = tmp_path_factory.mktemp("terminal")
    (folder / "program.py").write_text(PROGRAM)
    path = {"PYTHONPATH": ":".join(sys.path)}
    with terminal([sys.executable, "program.py"], folder, path) as window:
        window.wait("ready")
        yield window


def test_keys_reach_the_editor_as_they_were_meant(typed: Terminal) -> None:
    typed.type("one")
    typed.keys("C-j")
    typed.type("two")
    typed.keys("M-Enter")
    typed.wait("queue 'one\\ntwo'")
    typed.keys("Up")
    typed.wait("two")
    typed.keys("BSpace", "Enter")
    typed.wait("send 'one\\ntw'")
    typed.keys("Escape")
    typed.wait("escaped")


def test_a_paste_presses_no_key(typed: Terminal, tmp_path: Path) -> None:
    hostile = f"!touch {tmp_path}/x\x1b\r\x1b[31m!touch {tmp_path}/x\r"
    typed.paste(hostile)
    typed.wait("[pasted #1, 2 lines]")
    typed.keys("Enter")
    typed.wait("send '!touch")
    assert not (tmp_path / "x").exists()


def test_bytes_that_are_no_text_end_nothing(typed: Terminal) -> None:
    typed.keys("-H", "ff", "fe")
    typed.type("still here")
    typed.keys("Enter")
    typed.wait("still here'")
