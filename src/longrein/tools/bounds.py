"""Results of bounded size: head and tail for the model, the whole for whoever wants to look."""

from msgspec import Struct

from longrein.core.messages import Content, Text
from longrein.core.offload import left_out

LIMIT = 32_000
"""Characters of one result that a model is shown, unless told otherwise."""

OF_INPUT = 20_000
"""Characters that a model is shown of an input that is too long."""


class Bounded(Struct, frozen=True):
    """What the model is shown, and the complete text where that is not all of it (else empty)."""

    parts: tuple[Content, ...]
    whole: str = ""


def bound(
    parts: tuple[Content, ...], limit: int = LIMIT, path: str = "", *, kept: bool = False
) -> Bounded:
    """The same parts with at most `limit` characters of text, the line about the gap not counted.

    Where something is left out all text becomes one part, before the files. `path` and `kept` say
    where the whole is, as in `left_out`.
    """
    length = sum(len(part.text) for part in parts if isinstance(part, Text))
    if length <= limit:
        return Bounded(parts)
    whole = "\n".join(part.text for part in parts if isinstance(part, Text))
    files = tuple(part for part in parts if not isinstance(part, Text))
    gap = left_out(len(whole) - limit, f"of {len(whole):,} characters", path, kept=kept)
    return Bounded((Text(_head_and_tail(whole, limit, gap)), *files), whole)


def _head_and_tail(text: str, limit: int, gap: str) -> str:
    tail = limit // 2
    head = limit - tail
    return f"{text[:head]}\n{gap}\n{text[len(text) - tail :]}"
