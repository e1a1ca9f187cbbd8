"""Answers in a real terminal, with an editor that takes the screen meanwhile."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.tui.tmux import Terminal, needs_tmux, terminal

pytestmark = [needs_tmux, pytest.mark.timeout(120)]

ROOT = str(Path(__file__).parents[2])
EDITOR = """
import sys
from pathlib import Path
path = Path(sys.argv[1])
print("\\x1b[2J\\x1b[H" + "editing " + path.name, flush=True)
said = input()
path.write_text(path.read_text().replace("hello", said))
sys.exit(said == "fail")
"""


@pytest.fixture
def shown(tmp_path: Path) -> Generator[Terminal, None, None]:
    script = tmp_path / "editor.py"
    script.write_text(EDITOR)
    folder = tmp_path / "work"
    folder.mkdir()
    with asking(folder, f"{sys.executable} {script}") as made:
        yield made


@contextmanager
def asking(folder: Path, editor: str) -> Generator[Terminal, None, None]:
    environ = {"VISUAL": editor, "PYTHONPATH": ROOT}
    command = [sys.executable, "-m", "tests.tui.asks_program", str(folder)]
    with terminal(command, folder, environ) as made:
        made.wait("y yes")
        yield made


def test_arguments_are_changed_in_an_editor_that_has_the_screen_for_itself(
    shown: Terminal, tmp_path: Path
) -> None:
    shown.insist("e", "Ctrl+S")
    shown.keys("C-g")
    seen = shown.wait("editing arguments.json")
    assert "Ctrl+S" not in seen
    shown.type("edited")
    shown.keys("Enter")
    shown.wait('"content": "edited"')
    shown.keys("C-s")
    shown.gone("Write this file?")
    file = tmp_path / "work" / "a.txt"
    shown.until(lambda _: file.exists() and file.read_text() == "edited", "what was edited")


def test_an_editor_that_fails_changes_nothing(shown: Terminal) -> None:
    shown.insist("e", "Ctrl+S")
    shown.keys("C-g")
    shown.wait("editing arguments.json")
    shown.type("fail")
    shown.keys("Enter")
    shown.wait("ended with 1")
    shown.wait('"content": "hello"')


def test_an_editor_that_does_not_start_gives_the_screen_back(tmp_path: Path) -> None:
    with asking(tmp_path, "/nowhere/editor") as shown:
        shown.insist("e", "Ctrl+S")
        shown.keys("C-g")
        shown.wait("The editor")
        shown.wait('"content": "hello"')
