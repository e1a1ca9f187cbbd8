"""Calling somebody who looks elsewhere: that the session waits for them, or is done.

What is sent to the terminal is one of a few constant texts. Nothing that a model, a file or a
command said gets into a sequence that the terminal acts upon.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from longrein.core.display import Display
from longrein.core.preferences import Way

Notice: TypeAlias = Literal["waits", "done"]

LONG = 10_000_000
"""Microseconds of work after which its end is worth a call."""

AWAY = 20.0
"""Seconds without a key after which somebody may well look elsewhere."""

WORDS: Mapping[Notice, str] = {
    "waits": "Longrein waits for your answer",
    "done": "Longrein is done",
}

_ONLY_777 = ("VTE_VERSION", "KONSOLE_VERSION")
_BELL = "\a"


def announce(
    before: Display, after: Display, *, focused: bool, idle: float, now: int
) -> Notice | None:
    """What to call the person for, after a change of what is shown.

    Who has the terminal before them and pressed a key not long ago, `idle` seconds, sees it anyway.
    That alone counts where a terminal does not tell whether it is `focused`, as inside of tmux.
    `now` is the time in microseconds.
    """
    if before.thread != after.thread or (focused and idle < AWAY):
        return None
    if _asked(after) - _asked(before):
        return "waits"
    took = before.busy + (now - before.since if before.since else 0)
    return "done" if before.run and not after.run and took > LONG else None


def sequence(notice: Notice, way: Way, environ: Mapping[str, str]) -> str:
    """What the terminal is sent; empty where nobody wants to be called.

    A desktop notification comes with the bell, since not every terminal shows one.
    """
    match way:
        case "off":
            return ""
        case "bell":
            return _BELL
        case "desktop":
            text = WORDS[notice]
            nine, rxvt = f"\x1b]9;{text}\x1b\\", f"\x1b]777;notify;Longrein;{text}\x1b\\"
            sent = "".join(_passed(one, environ) for one in _understood(nine, rxvt, environ))
            return sent + _BELL


def _understood(nine: str, rxvt: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The sequences that this terminal knows; both where that cannot be told."""
    if any(name in environ for name in _ONLY_777) or environ.get("TERM", "").startswith("rxvt"):
        return (rxvt,)
    known = environ.get("TERM_PROGRAM", "") not in ("", "tmux", "screen")
    return (nine,) if known else (nine, rxvt)


def _passed(text: str, environ: Mapping[str, str]) -> str:
    """The sequence, wrapped for tmux to hand on to the terminal around it."""
    if not environ.get("TMUX"):
        return text
    doubled = text.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}\x1b\\"


def _asked(shown: Display) -> set[str]:
    return {one.id for one in shown.asked}
