"""The tool that gives back messages as they were, whether a request still holds them or not."""

from collections.abc import Sequence

from longrein.capabilities.observing.notes import OBSERVATIONS
from longrein.capabilities.observing.transcript import Bounds, shown
from longrein.core.errors import ToolError
from longrein.core.messages import Message
from longrein.tools.context import Context
from longrein.tools.define import tool

MOST = 20_000
"""Characters that one call gives back."""
MOST_FOUND = 40
AROUND = 150
"""Characters on either side of a text that was searched for."""

_SEVERAL = Bounds(said=6_000, given=3_000, result=4_000)
_ONE = Bounds(said=MOST, given=MOST, result=MOST)
_WHOLE = Bounds(*[1 << 62] * 3)


# Not async: a long conversation is searched in a thread.
@tool(category="read", idempotent=True)
def recall(
    ctx: Context, observation: str = "", first: int = 0, last: int = 0, search: str = ""
) -> str:
    """Read earlier messages of this conversation as they were, also those that only notes are left
    of.

    Args:
        observation: The id of an observation in your notes, such as o3: the messages it is about.
        first: Or the number of the first message wanted.
        last: The number of the last one. One message alone is shown at more length.
        search: Only where messages hold this text; upper and lower case are the same.
    """
    messages = ctx.messages
    if observation:
        span = ctx.read(OBSERVATIONS).span(observation.strip())
        if span is None:
            raise ToolError(f"There is no observation {observation!r}; your notes name them.")
        start, end = max(span.start, first - 1), min(span.end, last or span.end)
    else:
        start, end = max(first - 1, 0), last or len(messages)
    end = min(end, len(messages))
    if not search and not observation and not first:
        raise ToolError("Say which messages you want: an observation, first and last, or a search.")
    if start >= end:
        raise ToolError(f"There are no such messages: they are numbered from 1 to {len(messages)}.")
    if search:
        return _found(messages, start, end, search)
    return _read(messages, start, end)


def _read(messages: Sequence[Message], start: int, end: int) -> str:
    bounds = _ONE if end - start == 1 else _SEVERAL
    told: list[str] = []
    room = MOST
    for n in range(start, end):
        text = shown(n + 1, messages[n], bounds)
        if len(text) > room and told:
            return "\n".join([*told, f"... more with recall(first={n + 1}, last={end})"])
        told += [text] if text else []
        room -= len(text)
    return "\n".join(told) or "Nothing was said there."


def _found(messages: Sequence[Message], start: int, end: int, search: str) -> str:
    wanted = search.casefold()
    told: list[str] = []
    for n in range(start, end):
        head, _, text = shown(n + 1, messages[n], _WHOLE).partition("\n")
        if not (excerpt := _excerpt(text, wanted)):
            continue
        if len(told) == MOST_FOUND:
            more = f"... more with recall(search={search!r}, first={n + 1}, last={end})"
            return "\n".join([*told, more])
        told.append(f"{head} {excerpt}")
    return "\n".join(told) or f"No message from {start + 1} to {end} holds {search!r}."


def _excerpt(text: str, wanted: str) -> str:
    """The first place where a text holds what is wanted, and what stands around it."""
    place = text.casefold().find(wanted)
    if place < 0:
        return ""
    # Casefolding may change the length: then this is a little off, and still around the place.
    begin, finish = max(place - AROUND, 0), place + len(wanted) + AROUND
    words = " ".join(text[begin:finish].split())
    return f"{'... ' if begin else ''}{words}{' ...' if finish < len(text) else ''}"
