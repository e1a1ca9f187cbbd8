"""Lines for people, in pieces that each have a tone."""

from typing import Literal, TypeAlias

Tone: TypeAlias = Literal["", "prose", "dim", "strong", "accent", "good", "warn", "bad"]
"""What a colour would say; never without words that say it, too. `prose` are words of ours, in
which `code` stands between backticks."""

Toned: TypeAlias = tuple[str, Tone]
Line: TypeAlias = tuple[Toned, ...]
EMPTY: Line = ()


def line(text: str, tone: Tone = "") -> Line:
    """A line of one piece."""
    return ((text, tone),)
