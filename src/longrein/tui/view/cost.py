"""What a thread has used and what it cost, as lines."""

from collections.abc import Iterator, Sequence

from longrein.client.figures import money
from longrein.core.display import Display
from longrein.core.usage import Spent
from longrein.core.words import counted
from longrein.tui.view.tones import EMPTY, Line, Tone, line

NAME = 24
MONEY, CALLS = 11, 10
FIGURE = 12


def cost_lines(shown: Display) -> list[Line]:
    """This run, if there is one, the thread, and what of it children used."""
    named = [("Thread", shown.spent)]
    if shown.run:
        named.insert(0, ("This run", shown.run_spent))
    if shown.below.steps or shown.below.cost:
        named.append(("children's", shown.below))
    return [*_table(named), *_unpriced(shown.spent), *_children(shown)]


def _table(named: Sequence[tuple[str, Spent]]) -> Iterator[Line]:
    yield _row("", [name for name, _ in named], "strong")
    rows = (
        ("Cost", [money(spent) for _, spent in named]),
        ("Model calls", [f"{spent.steps:,}" for _, spent in named]),
        ("Tokens in", [f"{spent.usage.input:,}" for _, spent in named]),
        ("  from the cache", [f"{spent.usage.cached:,}" for _, spent in named]),
        ("  written to the cache", [f"{spent.usage.cache_written:,}" for _, spent in named]),
        ("Tokens out", [f"{spent.usage.output:,}" for _, spent in named]),
        ("  of it thinking", [f"{spent.usage.reasoning:,}" for _, spent in named]),
    )
    for name, figures in rows:
        yield _row(name, figures, "dim" if name.startswith(" ") else "")


def _row(name: str, figures: Sequence[str], tone: Tone = "") -> Line:
    text = f"{name:<{NAME}}{''.join(f'{figure:>{FIGURE}}' for figure in figures)}"
    return line(text, tone)


def _unpriced(spent: Spent) -> Iterator[Line]:
    if spent.unpriced:
        calls = counted(spent.unpriced, "call")
        yield EMPTY
        yield line(f"The price of {calls} is not known and not part of the sum.", "warn")


def _children(shown: Display) -> Iterator[Line]:
    used = [child for child in shown.children if child.spent.steps or child.spent.cost]
    if used:
        yield EMPTY
        yield line("Children", "strong")
    for child in used:
        calls = counted(child.spent.steps, "call")
        about = f": {child.title}" if child.title else ""
        yield (
            (f"  {money(child.spent):<{MONEY}}", ""),
            (f"{calls:<{CALLS}}", "dim"),
            (f"{child.agent}{about}, {child.state}", ""),
        )
