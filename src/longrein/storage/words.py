"""What a search compares: the words of texts, with case and diacritics ignored.

Stores split and fold with these functions alone, so that all of them find the same.
"""

import re
from collections.abc import Sequence
from unicodedata import normalize

_LONGEST = 64
"""Characters of a word that count: keys and encoded data are no words to keep in full."""

_WIDTH = 80
_BEFORE = 30
"""How much of a snippet comes before the word that was found."""

_ASCII = re.compile("[a-z0-9]+")
_WORD = re.compile("[^\\W_](?:[^\\W_]|[\u0300-\u036f])*")
_MARKS = dict.fromkeys(range(0x300, 0x370))


def words(text: str) -> list[str]:
    """The words of a text, folded: runs of letters and digits."""
    if text.isascii():
        return [word[:_LONGEST] for word in _ASCII.findall(text.lower())]
    return [_fold(word) for word in _WORD.findall(text)]


def _fold(word: str) -> str:
    if word.isascii():
        return word.lower()[:_LONGEST]
    return normalize("NFD", word.casefold()).translate(_MARKS)[:_LONGEST]


def wanted(query: str) -> tuple[str, ...]:
    """The words that a query asks for, each once."""
    return tuple(dict.fromkeys(words(query)))


def fit(text: str, wanted: Sequence[str]) -> int:
    """How well a text answers: 2, it has every word; 1, every word begins one of its; else 0."""
    if text.isascii():
        # Most texts do not have the words at all, and that is cheap to see.
        folded = text.lower()
        if any(word not in folded for word in wanted):
            return 0
    found = set(words(text))
    if found.issuperset(wanted):
        return 2
    return int(all(any(word.startswith(begin) for word in found) for begin in wanted))


def snippet(text: str, wanted: Sequence[str]) -> str:
    """Some 80 characters around the first wanted word of a text, in whole words."""
    begins = tuple(wanted)
    places = (each.start() for each in _WORD.finditer(text) if _fold(each[0]).startswith(begins))
    at = next(places, 0)
    start = max(0, min(at - _BEFORE, len(text) - _WIDTH))
    end = start + _WIDTH
    return " ".join(text[_begin(text, start, at) : _end(text, at, end)].split())


def _begin(text: str, start: int, at: int) -> int:
    """The first beginning of a word from `start` to `at`; of one that is too long, `start`."""
    if start == 0:
        return 0
    return next((n for n in range(start, at + 1) if text[n - 1].isspace()), start)


def _end(text: str, at: int, end: int) -> int:
    """The last end of a word from `end` back to `at`; of one that is too long, `end`."""
    if end >= len(text):
        return len(text)
    return next((n for n in range(end, at, -1) if text[n].isspace()), end)
