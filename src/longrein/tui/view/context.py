"""Where the tokens of a request go, as a chart of lines."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from longrein.client.figures import short_tokens
from longrein.client.words import brief
from longrein.tui.view.status import bar
from longrein.tui.view.tones import EMPTY, Line, Tone, line

if TYPE_CHECKING:
    from longrein.client.port import ContextReport

BAR = 40
SMALL = 20
NAME = 19


def context_lines(report: "ContextReport", model: str) -> list[Line]:
    """The whole report: how full it is, and with what."""
    return [*_total(report, model), EMPTY, *_parts(report), EMPTY, *_origin(report)]


def _total(report: "ContextReport", model: str) -> Iterator[Line]:
    if report.window is None:
        yield (
            (f"{report.total:,} tokens", "strong"),
            (f"  nobody knows how many {model or 'the model'} holds", "dim"),
        )
        return
    share = report.total / (report.window or 1)
    tone: Tone = "bad" if share >= 0.95 else "warn" if share >= 0.8 else "accent"
    yield (
        (bar(share, BAR), tone),
        (f"  {100 * share:.0f}%", "strong"),
        (f"  {short_tokens(report.total)} of {short_tokens(report.window)} tokens", ""),
    )
    yield line(f"{report.free or 0:,} free for more, and for the answer", "dim")


def _parts(report: "ContextReport") -> Iterator[Line]:
    yield _part(report, "System text", report.system)
    for name, tokens in sorted(report.sections.items(), key=lambda one: -one[1]):
        if tokens:
            yield _part(report, name, tokens, small=True)
    yield _part(report, "Tools", report.tools)
    if report.lead:
        yield _part(report, "For older parts", report.lead)
    yield _part(report, "Messages", report.history)
    said = (("yours", report.user), ("the model's", report.assistant), ("notes", report.notes))
    for name, tokens in said:
        if tokens:
            yield _part(report, name, tokens, small=True)
    yield _part(report, "Results of tools", report.results)


def _part(report: "ContextReport", name: str, tokens: int, *, small: bool = False) -> Line:
    share = tokens / (report.total or 1)
    name = f"  {brief(name, NAME - 2)}" if small else name
    figures = f"{name:<{NAME}}{tokens:>8,}  {100 * share:>3.0f}%"
    if small:
        return line(figures, "dim")
    return ((figures, ""), ("  ", ""), ("━" * round(SMALL * share), "accent"))


def _origin(report: "ContextReport") -> Iterator[Line]:
    if report.counted:
        said = f"{report.counted:,} tokens were counted by the provider"
        rest = f", {report.estimated:,} more are estimated" if report.estimated > 0 else ""
        yield line(f"{said}{rest}.", "dim")
    else:
        yield line("All of this is estimated: no request was made yet.", "dim")
    yield line("/compact [what to keep] makes it shorter.", "dim")
