"""What a terminal sends, as keys and pastes, where Textual's own reading falls short.

Textual takes what is pasted for keys as soon as an escape character is in it, so a paste could
press Enter; it cannot tell Alt+Enter from Enter without the keyboard protocol of kitty, which tmux
does not speak; and one byte that is no UTF-8 ends its reading.
"""

import os
import re
import select
import signal
from codecs import getincrementaldecoder
from collections.abc import Callable, Generator

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Paste
from textual.message import Message

_BEGIN, _END = "\x1b[200~", "\x1b[201~"
_CHUNK = 64 * 1024
_PATIENCE = 0.05
"""Seconds after which an escape character stands for itself."""

_ALT_ENTER = re.compile("\x1b[\r\n]")
_OTHER_KEYS = re.compile(r"\x1b\[27;(\d+);(\d+)~")
"""How xterm, and tmux after it, name keys that have no sequence of their own."""


class Keyboard(LinuxDriver):
    """The terminal of this process, read by `Typed`."""

    def _sigtstp_application(self, *_: object) -> None:
        self._in_turn(self._stop)

    def _sigcont_application(self, *_: object) -> None:
        self._in_turn(self._go_on)

    def _in_turn(self, work: Callable[[], None]) -> None:
        """Do what a signal asks for when nothing else is done: in the midst of writing, it would
        wait for ever for its own thread to be done with that."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(work)

    def _stop(self) -> None:
        if self._auto_restart:
            self.suspend_application_mode()
        os.kill(os.getpid(), signal.SIGSTOP)

    def _go_on(self) -> None:
        if self._auto_restart:
            self.resume_application_mode()

    def resume_application_mode(self) -> None:
        """Take the terminal back. A process that was stopped from outside never gave it away: two
        threads would share what is typed."""
        if self._key_thread is not None and self._key_thread.is_alive():
            self.suspend_application_mode()
        self._must_signal_resume = True  # however it was stopped, the screen is empty
        super().resume_application_mode()

    def run_input_thread(self) -> None:
        """Hand on what is typed until the app ends, or there is no terminal any more."""
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        typed = Typed()
        while not self.exit_event.is_set():
            ready, _, _ = select.select([self.fileno], [], [], _PATIENCE)
            data = _read(self.fileno) if ready else None
            if data == b"":
                return
            for message in typed.heard(decode(data)) if data else typed.silence():
                self.process_message(message)


class Typed:
    """Turns text from a terminal into keys, pastes and all else that Textual knows."""

    def __init__(self) -> None:
        self._parser = XTermParser()
        self._pasted: list[str] | None = None
        self._rest = ""

    def heard(self, text: str) -> Generator[Message, None, None]:
        """The messages in what was sent next."""
        text, self._rest = self._rest + text, ""
        while text:
            if self._pasted is None:
                typed, begins, text = text.partition(_BEGIN)
                if begins:
                    self._pasted = []
                else:
                    typed, self._rest = _split(typed, _BEGIN, least=2)
                yield from self._keys(typed)
            else:
                pasted, ends, text = text.partition(_END)
                if not ends:
                    pasted, self._rest = _split(pasted, _END, least=1)
                self._pasted.append(pasted)
                if ends:
                    yield Paste("".join(self._pasted))
                    self._pasted = None

    def silence(self) -> Generator[Message, None, None]:
        """The messages in what was held back in case that more would come."""
        if self._pasted is None:
            held, self._rest = self._rest, ""
            yield from self._keys(held)
            yield from self._parser.tick()

    def _keys(self, text: str) -> Generator[Message, None, None]:
        if text:
            text = _ALT_ENTER.sub("\x1b[13;3u", _OTHER_KEYS.sub("\x1b[\\2;\\1u", text))
            yield from self._parser.feed(text)


def _split(text: str, mark: str, *, least: int) -> tuple[str, str]:
    """The text without what may be the beginning of a mark, and that."""
    for length in range(len(mark) - 1, least - 1, -1):
        if text.endswith(mark[:length]):
            return text[:-length], text[-length:]
    return text, ""


def _read(fileno: int) -> bytes:
    try:
        return os.read(fileno, _CHUNK)
    except OSError:  # the terminal is gone
        return b""
