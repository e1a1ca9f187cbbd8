"""The terminal: what may be shown on it, and lines read from it without stopping anything else."""

import asyncio
import json
import os
import sys
import termios
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TextIO

import msgspec

from longrein.cli.wrapping import wrapped
from longrein.core.visible import visible

DIM, BOLD, PLAIN = "2", "1", ""
QUIET = 0.1
"""Seconds without a word after which a prompt that was talked over is shown again."""

LEAST_WIDTH = 20


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
        self._lines: SimpleQueue[_Said | None] = SimpleQueue()
        self._prompt = _Prompt()
        self._writer = Thread(target=self._write_on, daemon=True)
        self._writer.start()

    @property
    def size(self) -> tuple[int, int] | None:
        """Columns and rows of the terminal; None where there is none."""
        for stream in (sys.stderr, sys.stdout):
            with suppress(OSError, ValueError):
                columns, rows = os.get_terminal_size(stream.fileno())
                return (columns, rows) if columns >= LEAST_WIDTH else None
        return None

    def out(self, text: str, *, hang: int | None = None) -> None:
        """Write to standard output as it is, but for what could steer a terminal.

        `hang`: on a terminal, long lines are broken between words, and go on so much deeper.
        """
        if self.out_is_terminal:
            text = self._fitted(visible(text), hang)
        self._lines.put(_Said(sys.stdout, text, self.out_is_terminal))

    def out_json(self, value: object) -> None:
        """Write a value to standard output, as JSON on a line of its own."""
        self.out(f"{as_json(value)}\n")

    def say(
        self,
        text: str,
        style: str = PLAIN,
        *,
        end: str = "\n",
        strict: bool = False,
        hang: int | None = None,
    ) -> None:
        """Tell the person something, on standard error; `hang` as in `out`."""
        if self.err_is_terminal:
            text = self._fitted(visible(text, strict=strict), hang)
        self._lines.put(_Said(sys.stderr, self._styled(text, style) + end, True))

    def confirms(self, headline: str, lines: Sequence[str], risk: str) -> bool:
        """Whether the person wants something used that is told in full before it."""
        self.say(headline, BOLD)
        for line in lines:
            self.say(f"    {line}", strict=True)
        self.say(risk)
        self.drain()
        # What was typed before the question was there does not answer it.
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
        self.say("Use them? You are asked once. [y/N] ", end="")
        self.drain()
        try:
            return input().strip().lower() in ("y", "yes")
        except EOFError:
            return False

    @contextmanager
    def prompting(self, text: str, *, fresh: bool = True) -> Generator[None, None, None]:
        """Show a prompt. What is said meanwhile stands on lines of its own, the prompt after it.

        What was typed before answered something else: if `fresh`, it does not count.
        """
        if fresh:  # before the prompt is seen: what is typed at once behind it does count
            termios.tcflush(sys.stdin, termios.TCIFLUSH)
        shown = self._styled(visible(text), BOLD)
        self._lines.put(_Said(sys.stderr, shown, True, prompt=shown))
        try:
            yield
        finally:
            self._lines.put(_Said(sys.stderr, "", False, prompt=""))

    def _fitted(self, text: str, hang: int | None) -> str:
        size = None if hang is None else self.size
        return wrapped(text, size[0], hang or 0) if size else text

    def _styled(self, text: str, style: str) -> str:
        body = text.rstrip("\n")
        if not style or not self._colour or not body:
            return text
        return f"\x1b[{style}m{body}\x1b[0m{text[len(body) :]}"

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
        while (said := self._next()) is not None:
            for stream, text in self._prompt.around(said):
                try:
                    stream.write(text)
                    stream.flush()
                except (OSError, ValueError):
                    self._drop(stream)

    def _next(self) -> "_Said | None":
        """What is to be written next: where nothing comes, a prompt that was talked over."""
        if not self._prompt.buried:
            return self._lines.get()
        try:
            return self._lines.get(timeout=QUIET)
        except Empty:
            return _Said(sys.stderr, self._prompt.text, True, prompt=self._prompt.text)

    def _drop(self, stream: TextIO) -> None:
        """Let what is still written there go nowhere, quietly."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        if stream is sys.stdout:
            # Where the event loop is over already there is nobody left to tell.
            with suppress(RuntimeError):
                self._broken()


@dataclass(frozen=True, slots=True)
class _Said:
    """Text for a stream. `seen`: it shows on the terminal. `prompt`: what is asked from now on,
    which this text is; empty for nothing, None for no change."""

    stream: TextIO
    text: str
    seen: bool
    prompt: str | None = None


class _Prompt:
    """The prompt behind which a person types, and whether it is still the last thing shown."""

    def __init__(self) -> None:
        self.text = ""
        self._over = ""
        """What was said over it, of its last line."""

    @property
    def buried(self) -> bool:
        """Whether it is due again: something was said over it, and that line is complete."""
        return bool(self.text) and self._over.endswith("\n")

    def around(self, said: _Said) -> list[tuple[TextIO, str]]:
        """What is to be written so that this is on a line of its own."""
        written = [(said.stream, said.text)]
        if said.prompt is not None:
            self.text, self._over = said.prompt, ""
        elif self.text and said.seen and said.text:
            if not self._over:
                written.insert(0, (sys.stderr, "\n"))
            self._over = said.text[-1]
        return written


async def read_line() -> str | None:
    """The next line typed at the terminal, with its end; None for Ctrl-D. Can be cancelled."""
    loop, fd = asyncio.get_running_loop(), sys.stdin.fileno()
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


def as_json(value: object) -> str:
    """A value as one line of JSON.

    >>> as_json({"text": "lone \\ud800"})
    '{"text": "lone \\\\ud800"}'
    """
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # a lone surrogate, which a model may well say
        return json.dumps(msgspec.to_builtins(value))


def _nothing(*_: object, **__: object) -> None:
    pass
