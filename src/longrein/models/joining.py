"""Deltas that came at once, told at once."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import cast

from longrein.models.base import CallDelta, Delta, ReasoningDelta, TextDelta

_index = attrgetter("index")


def joined(deltas: Sequence[Delta]) -> Iterator[Delta]:
    """The same said in as few deltas as can be.

    Under load many events come with one read: each delta is then taken in and told to every
    listener, while nobody could draw more than the last of them.

    >>> list(joined([TextDelta("to"), TextDelta("day"), CallDelta(0, "{", "look")]))
    [TextDelta(text='today'), CallDelta(index=0, arguments='{', name='look', provider_id='')]
    """
    for kind, run in groupby(deltas, type):
        if kind is TextDelta:
            yield TextDelta("".join([one.text for one in cast("Iterable[TextDelta]", run)]))
        elif kind is CallDelta:
            calls = groupby(cast("Iterable[CallDelta]", run), _index)
            yield from (_call(index, [*pieces]) for index, pieces in calls)
        elif kind is ReasoningDelta:
            thoughts = groupby(cast("Iterable[ReasoningDelta]", run), _index)
            yield from (_thought(index, [*pieces]) for index, pieces in thoughts)
        else:
            yield from run


def _call(index: int, pieces: Sequence[CallDelta]) -> CallDelta:
    return CallDelta(
        index,
        "".join([one.arguments for one in pieces]),
        _first(one.name for one in pieces),
        _first(one.provider_id for one in pieces),
    )


def _thought(index: int, pieces: Sequence[ReasoningDelta]) -> ReasoningDelta:
    return ReasoningDelta(
        "".join([one.text for one in pieces]),
        index,
        _first(one.signature for one in pieces),
        _first(one.provider_id for one in pieces),
        any(one.redacted for one in pieces),
    )


def _first(texts: Iterable[str]) -> str:
    """The one that says something: names and ids come once."""
    return next(filter(None, texts), "")
