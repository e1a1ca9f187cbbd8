"""The terminal: what may be shown on it, and lines read from it without stopping anything else."""

import asyncio
import os
import re
import sys
import termios
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from threading import Thread
from typing import TextIO

_CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u3164\ufe00-\ufe0f\uffa0"
)
_LOOSE = re.compile(f"[{_CONTROLS}]")
_STRICT = re.compile(f"[{_CONTROLS}{_INVISIBLE}]")

DIM, BOLD, PLAIN = "2", "1", ""


def visible(text: str, *, strict: bool = False) -> str:
    """The text with everything that could steer a terminal, or hide in it, written out.

    `strict` also shows the joiners and fillers that scripts and emoji need: for what a person says
    yes to, nothing may be hidden.

    >>> print(visible("red: \\x1b[31m"))
    red: \\x1b[31m
    """
    return (_STRICT if strict else _LOOSE).sub(_written_out, text.replace("\r\n", "\n"))


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def open_closed_streams() -> None:
    """Let a standard stream that was closed when the process began lead nowhere.

    Python has None for it, and the next file that is opened would take its place.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nowhere, mode, encoding="utf-8", closefd=False))


class Screen:
    """Standard output for what was asked for, standard error for everything else.

    A thread does the writing, so that a reader who stands still stops no run.
    """

    def __init__(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            # What was said may hold what this encoding has no letter for.
            getattr(stream, "reconfigure", _nothing)(errors="backslashreplace")
        self.out_is_terminal = sys.stdout.isatty()
        self.err_is_terminal = sys.stderr.isatty()
        self.interactive = sys.stdin.isatty() and self.err_is_terminal
        self._colour = self.err_is_terminal and "NO_COLOR" not in os.environ
        self._broken: Callable[[], object] = _nothing
        self._lines: SimpleQueue[tuple[TextIO, str] | None] = SimpleQueue()
        self._writer = Thread(target=self._write_on, daemon=True)
        self._writer.start()

    def out(self, text: str) -> None:
        """Write to standard output as it is, but for what could steer a terminal."""
        self._lines.put((sys.stdout, visible(text) if self.out_is_terminal else text))

    def say(self, text: str, style: str = PLAIN, *, end: str = "\n", strict: bool = False) -> None:
        """Tell the person something, on standard error."""
        text = visible(text, strict=strict) if self.err_is_terminal else text
        if style and self._colour and text:
            text = f"\x1b[{style}m{text}\x1b[0m"
        self._lines.put((sys.stderr, text + end))

    def on_broken(self, tell: Callable[[], object]) -> None:
        """Call `tell`, from the writing thread, when nobody reads standard output any more."""
        self._broken = tell

    def drain(self) -> None:
        """Come back when everything said so far is written."""
        with self.lent():
            pass

    @contextmanager
    def lent(self) -> Generator[None, None, None]:
        """Leave the terminal to another program; what is said meanwhile is written after it."""
        self.close()
        settings = termios.tcgetattr(sys.stdin) if self.interactive else None
        try:
            yield
        finally:
            if settings is not None:
                # A program that was ended may leave it in any state.
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, settings)
            self._writer = Thread(target=self._write_on, daemon=True)
            self._writer.start()

    def close(self) -> None:
        """Come back when everything is written."""
        self._lines.put(None)
        self._writer.join()

    def _write_on(self) -> None:
        while (line := self._lines.get()) is not None:
            stream, text = line
            try:
                stream.write(text)
                stream.flush()
            except (OSError, ValueError):
                self._drop(stream)

    def _drop(self, stream: TextIO) -> None:
        """Let what is still written there go nowhere, quietly."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        if stream is sys.stdout:
            # Where the event loop is over already there is nobody left to tell.
            with suppress(RuntimeError):
                self._broken()


async def read_line(*, fresh: bool = True) -> str | None:
    """The next line typed at the terminal, with its end; None for Ctrl-D. Can be cancelled.

    What was typed before this was called answered something else: if `fresh`, it does not count.
    """
    loop, fd = asyncio.get_running_loop(), sys.stdin.fileno()
    if fresh:
        termios.tcflush(fd, termios.TCIFLUSH)
    typed: asyncio.Future[bytes] = loop.create_future()

    def readable() -> None:
        loop.remove_reader(fd)
        if not typed.done():
            typed.set_result(os.read(fd, 65536))

    loop.add_reader(fd, readable)
    try:
        data = await typed
    finally:
        loop.remove_reader(fd)
    return data.decode(errors="replace") if data else None


def _nothing(*_: object, **__: object) -> None:
    pass
