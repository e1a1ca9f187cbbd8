"""Results of bounded size: head and tail for the model, the whole for whoever wants to look."""

from msgspec import Struct

from longrein.core.messages import Content, Text

LIMIT = 32_000
"""Characters of one result that a model is shown, unless told otherwise."""


class Bounded(Struct, frozen=True):
    """What the model is shown, and the complete text where that is not all of it (else empty)."""

    parts: tuple[Content, ...]
    whole: str = ""


def bound(parts: tuple[Content, ...], limit: int = LIMIT) -> Bounded:
    """The same parts with at most `limit` characters of text, the line about the gap not counted.

    Where something is left out all text becomes one part, before the files.
    """
    length = sum(len(part.text) for part in parts if isinstance(part, Text))
    if length <= limit:
        return Bounded(parts)
    whole = "\n".join(part.text for part in parts if isinstance(part, Text))
    files = tuple(part for part in parts if not isinstance(part, Text))
    return Bounded((Text(_head_and_tail(whole, limit)), *files), whole)


def _head_and_tail(text: str, limit: int) -> str:
    tail = limit // 2
    head = limit - tail
    gap = f"\n[... {len(text) - limit:,} characters left out ...]\n"
    return text[:head] + gap + text[len(text) - tail :]
