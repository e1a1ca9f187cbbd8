"""A real terminal: the app in a tmux of its own, typed into and looked at as a person would."""

import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

SECONDS = 40.0
PATIENCE = 10.0
"""Seconds after which a key was not taken."""

SGR = re.compile(r"\x1b\[([0-9;]*)m")
DEPENDS = ("COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "TERM", "TMUX", "TMUX_PANE")
"""Variables of whoever runs the tests that programs draw differently by."""

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Terminal:
    """One window of tmux, with one program in it."""

    def __init__(self, socket: str) -> None:
        self._socket = socket

    def keys(self, *keys: str) -> None:
        """Press keys by their tmux names: `Enter`, `Escape`, `M-Enter`, `C-c`, `BTab`."""
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type a text, letter by letter as it is."""
        self._tmux("send-keys", "-l", text)

    def paste(self, text: str) -> None:
        """Paste a text, as terminals do with brackets around it."""
        subprocess.run(
            ["tmux", "-L", self._socket, "load-buffer", "-b", "p", "-"],
            input=text.encode(),
            check=True,
        )
        self._tmux("paste-buffer", "-p", "-b", "p")

    def resize(self, width: int, height: int) -> None:
        self._tmux("resize-window", "-x", str(width), "-y", str(height))

    def screen(self) -> str:
        """What is to be seen now, without trailing blanks."""
        shown = self._tmux("capture-pane", "-p")
        return "\n".join(line.rstrip() for line in shown.splitlines()).rstrip()

    def history(self) -> str:
        """What is to be seen, with what has left the screen at its top."""
        return self._tmux("capture-pane", "-p", "-S", "-")

    def colours(self) -> set[str]:
        """The colours that are to be seen now: `31`, `48;5;240`, `38;2;9;9;9`."""
        return set(colours(self._tmux("capture-pane", "-p", "-e")))

    def wait(self, text: str, *, seconds: float = SECONDS) -> str:
        """The screen once it shows the text."""
        return self.until(lambda shown: text in shown, f"{text!r} on the screen", seconds=seconds)

    def gone(self, text: str, *, seconds: float = SECONDS) -> str:
        """The screen once it no longer shows the text."""
        return self.until(lambda shown: text not in shown, f"no {text!r}", seconds=seconds)

    def until(self, seen: Callable[[str], bool], what: str, *, seconds: float = SECONDS) -> str:
        limit = time.monotonic() + seconds
        while True:
            shown = self.screen()
            if seen(shown):
                return shown
            if time.monotonic() > limit:
                raise AssertionError(f"waited for {what}; the screen is:\n{shown}")
            time.sleep(0.1)

    def insist(self, key: str, text: str) -> str:
        """Press a key until the screen shows a text: who was about to hear it may not have yet."""
        limit = time.monotonic() + SECONDS
        while True:
            self.keys(key)
            try:
                return self.wait(text, seconds=PATIENCE)
            except AssertionError:
                if time.monotonic() > limit:
                    raise

    @property
    def pid(self) -> int:
        """The process that runs in it."""
        return int(self._tmux("list-panes", "-F", "#{pane_pid}").split()[0])

    @property
    def ended(self) -> bool:
        """Whether the program has ended; the window stays to be looked at."""
        return self._tmux("list-panes", "-F", "#{pane_dead}").strip() == "1"

    @property
    def is_plain(self) -> bool:
        """Whether no program has a screen of its own here, listens to the mouse, or hides the
        cursor."""
        modes = "#{alternate_on} #{mouse_any_flag} #{cursor_flag}"
        return self._tmux("list-panes", "-F", modes).split() == ["0", "0", "1"]

    def again(self, command: list[str]) -> None:
        """Start a program where the last one has ended."""
        self._tmux("respawn-pane", "-k", shlex.join(command))

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self._socket, *arguments],
            check=True,
            capture_output=True,
            timeout=SECONDS,
        )
        return done.stdout.decode()


@contextmanager
def terminal(
    command: list[str],
    folder: Path,
    environ: Mapping[str, str],
    *,
    size: tuple[int, int] = (80, 24),
    kind: str = "tmux-256color",
) -> Generator[Terminal, None, None]:
    """A program in a terminal of this size and kind, which is its `TERM`; ended with it."""
    socket = f"longrein-{uuid4().hex[:8]}"
    width, height = size
    base = ["tmux", "-u", "-L", socket, "-f", "/dev/null"]
    options = {"default-terminal": kind, "remain-on-exit": "on", "escape-time": "0"}
    started = ["new-session", "-d", "-x", str(width), "-y", str(height), "-c", str(folder)]
    around = {name: value for name, value in os.environ.items() if name not in DEPENDS}
    setting = [part for item in options.items() for part in ("set", "-g", *item, ";")]
    subprocess.run(
        [*base, "start-server", ";", *setting, *started, shlex.join(command)],
        check=True,
        env={**around, **environ, "TERM": kind},
        timeout=SECONDS,
    )
    try:
        yield Terminal(socket)
    finally:
        subprocess.run([*base, "kill-server"], check=False, capture_output=True, timeout=SECONDS)


def colours(drawn: str) -> Generator[str, None, None]:
    """The colours in what was drawn, each in the words of its sequence.

    >>> sorted(colours("\x1b[1;31;48;5;240mred on grey\x1b[39m"))
    ['31', '48;5;240']
    """
    for found in SGR.findall(drawn):
        codes = found.split(";")
        while codes:
            code = codes.pop(0)
            if code in ("38", "48"):
                length = 4 if codes[0] == "2" else 2
                yield ";".join([code, *codes[:length]])
                codes = codes[length:]
            elif code.isdigit() and re.fullmatch("[349][0-7]|10[0-7]", code):
                yield code


def is_hue(colour: str) -> bool:
    """Whether a colour is more than black, white or a grey.

    >>> [is_hue(one) for one in ("31", "97", "38;5;244", "48;5;33", "38;2;9;9;9", "38;2;9;9;8")]
    [True, False, False, True, False, True]
    """
    match [int(code) for code in colour.split(";")]:
        case [_, 2, red, green, blue]:
            return not red == green == blue
        case [_, 5, number] if number >= 16:
            cube = number - 16
            return number < 232 and len({cube // 36, cube // 6 % 6, cube % 6}) > 1
        case [_, 5, number]:
            return number not in (0, 7, 8, 15)
        case [number, *_]:
            return number % 10 not in (0, 7)
        case _:
            raise ValueError(colour)
