"""What a person said before: to walk through, and to search."""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from longrein.core.messages import Message, User
from longrein.core.said import words_of

MOST = 500
"""Inputs that are looked back at."""


def said_in(messages: Sequence[Message]) -> tuple[str, ...]:
    """What the person said in a thread, the newest first."""
    texts: list[str] = []
    for message in reversed(messages):
        if isinstance(message, User) and (text := words_of(message.parts, message.whole)):
            texts.append(text)
            if len(texts) == MOST:
                break
    return tuple(texts)


def each_once(*histories: Iterable[str]) -> tuple[str, ...]:
    """All of them in order, every text where it stands first."""
    return tuple(dict.fromkeys(text for history in histories for text in history))[:MOST]


class Walk(Struct, frozen=True):
    """A walk through `texts`, the newest first; -1 is where it began, at the draft."""

    texts: tuple[str, ...]
    at: int = -1

    def by(self, steps: int) -> "Walk":
        """So many steps further into the past; it ends at either end."""
        return replace(self, at=min(max(self.at + steps, -1), len(self.texts) - 1))

    @property
    def text(self) -> str | None:
        """What stands here; None: the draft."""
        return self.texts[self.at] if self.at >= 0 else None


def matching(texts: Sequence[str], query: str) -> tuple[str, ...]:
    """The texts that hold all words of the query, in their order; case does not count."""
    words = query.lower().split()
    return tuple(text for text in texts if all(word in text.lower() for word in words))
