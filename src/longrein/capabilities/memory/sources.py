"""The files of instructions that there are, for people."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from longrein.capabilities.memory.reading import Origin

NONE = "There is no AGENTS.md here, and none of your own."


class Source(Struct, frozen=True):
    """One file of instructions, for people: its `bytes`, its `tokens` and how many of these the
    model is `shown`; whether it counts, and what is wrong with it."""

    path: str
    origin: Origin
    bytes: int
    tokens: int
    shown: int
    counts: bool = True
    problem: str = ""


def lines(sources: Iterable[Source], *, trusted: bool, untrusted: str) -> Iterator[str]:
    """What there is to say of each file, the nearest last; `untrusted` of those that do not count
    because nobody trusts the project."""
    for one in sources:
        size = f"{one.bytes:,} bytes, about {one.tokens:,} tokens"
        counts = one.origin == "user" or trusted
        said = (
            one.problem.rstrip(".") or size,
            "" if counts else untrusted,
            _shown(one) if counts else "",
        )
        yield f"{one.path} ({one.origin}): {'; '.join(filter(None, said))}"


def _shown(one: Source) -> str:
    """How much of a file that may count the model is shown; empty: all that can be."""
    if not one.counts:
        return "" if one.problem else "empty"
    if one.shown == one.tokens:
        return ""
    return f"cut: {one.shown:,} of them are shown" if one.shown else "cut: only its path is"
