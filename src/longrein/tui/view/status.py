"""The status line: how things stand, in parts of which the least important go first."""

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from longrein.client.figures import SECOND, lasted, short_cost, short_tokens
from longrein.client.words import brief
from longrein.core.display import CallView, Display
from longrein.core.policy import Trust
from longrein.core.words import counted
from longrein.tui.view.tones import Tone

PartName: TypeAlias = Literal[
    "mode", "trust", "model", "context", "cost", "asks", "threads", "doing", "elapsed", "queue",
    "stop", "jobs",
]  # fmt: skip

TRUST_WORDS: dict[Trust, str] = {
    "ask": "asks first",
    "edits": "edits unasked",
    "plan": "reads only",
    "yolo": "yolo: never asks",
}
STOPPED = "stopped in the middle"
HOW_TO_STOP = "Esc interrupts"
BETWEEN = " · "
MARGIN = 2
CELLS = 8
"""How long the bar of the context is."""

LONGEST_MODEL = 28


class StatusPart(Struct, frozen=True):
    """One thing that the status line says. Where there is no room, those of the lowest `rank` are
    said in `short`, which has the rank `kept`, or left out. `right`: it stands at the right end."""

    name: PartName
    text: str
    rank: int
    tone: Tone = ""
    short: str = ""
    kept: int = 0
    right: bool = False


class StatusView(Struct, frozen=True):
    """The parts of the status line, in order."""

    parts: tuple[StatusPart, ...]

    @property
    def width(self) -> int:
        """The cells that all parts need."""
        words = sum(cell_len(part.text) for part in self.parts)
        return 2 * MARGIN + words + len(BETWEEN) * max(len(self.parts) - 1, 0)


def status(
    shown: Display,
    now: int,
    *,
    left: bool = False,
    away: bool = False,
    others: int = 0,
    jobs: int = 0,
) -> StatusView:
    """All that is to be said now; `fitted` makes it fit. `left`: nobody works on the open run;
    `away`: another process does; `others` threads wait for the person, too; `jobs` run in the
    background."""
    waiting = sum(input.kind == "queue" for input in shown.queue)
    queue = f"queue held: {waiting}" if shown.held else f"queued {waiting}"
    works = bool(shown.run) and shown.activity == "running" and not away
    parts = (
        StatusPart("mode", shown.mode, 90, "accent"),
        _trust(shown.trust),
        _model(shown),
        _context(shown),
        StatusPart("cost", short_cost(shown.spent), 40, "dim"),
        _asks(len(shown.asked)),
        _others(others),
        StatusPart("jobs", counted(jobs, "job") if jobs else "", 59, "dim", right=True),
        _doing(STOPPED if left else doing(shown, now, away=away)),
        StatusPart("elapsed", "" if left else _elapsed(shown, now), 30, "dim", right=True),
        StatusPart("queue", queue if waiting else "", 60, "dim", right=True),
        StatusPart("stop", HOW_TO_STOP if works and not left else "", 10, "dim", right=True),
    )
    return StatusView(tuple(part for part in parts if part.text))


def _asks(asked: int) -> StatusPart:
    words = f"waits for you: {asked}" if asked else ""
    return StatusPart("asks", words, 85, "warn", f"waits: {asked}", 100, right=True)


def _others(others: int) -> StatusPart:
    """Named as the command that shows them: a click does so, too."""
    one = others == 1
    words = f"{others} other thread{' waits' if one else 's wait'} · /threads" if others else ""
    return StatusPart("threads", words, 58, "warn", f"others wait: {others}", 88, right=True)


def running_jobs(shown: Display) -> int:
    """How many commands run in the background, by the log; those of a process that is gone are
    gone, too."""
    return sum(job.ended is None for job in shown.slices.get("jobs") or ())


def _doing(words: str) -> StatusPart:
    short = words.split(" ")[: 2 if words[:1].isdigit() else 1]
    return StatusPart("doing", words, 92, "accent", " ".join(short), 99, right=True)


def _trust(trust: Trust) -> StatusPart:
    words = TRUST_WORDS[trust]
    tone: Tone = "warn" if trust == "yolo" else "dim"
    return StatusPart("trust", words, 94, tone, words.partition(" ")[0].rstrip(":"), 101)


def _model(shown: Display) -> StatusPart:
    name = short_model(shown.model)
    whole = f"{name} {shown.effort}" if shown.effort and name else name
    return StatusPart("model", whole, 55, "dim", name if whole != name else "", 65)


def short_model(name: str) -> str:
    """The model without its provider, cut where it is long.

    >>> short_model("openrouter:meta/llama-4")
    'llama-4'
    """
    own = name.partition(":")[2] or name
    own = own.rpartition("/")[2] or own
    return brief(own, LONGEST_MODEL)


def _context(shown: Display) -> StatusPart:
    used, window = shown.context_used, shown.context_window
    if not used:
        return StatusPart("context", "", 0)
    if not window:
        return StatusPart("context", f"{short_tokens(used)} tokens", 50, "dim")
    share = used / window
    words = f"{100 * share:.0f}% of {short_tokens(window)}"
    tone: Tone = "warn" if share >= 0.8 else "dim"
    return StatusPart("context", f"{bar(share, CELLS)} {words}", 20, tone, words, 50)


def bar(share: float, cells: int) -> str:
    """A bar of so many cells, thick as far as the share goes.

    >>> bar(0.5, 4)
    '━━──'
    """
    full = min(round(share * cells), cells)
    return "━" * full + "─" * (cells - full)


def doing(shown: Display, now: int, *, away: bool = False) -> str:
    """What goes on right now, in a word or two; empty where nothing does. `away`: in another
    process, which alone knows what the model is at."""
    if shown.activity != "running":
        return ""
    if shown.retry_at > now:
        return f"retry in {lasted(shown.retry_at - now + SECOND - 1)}"
    if shown.compacting:
        return "compacting"
    working = sum(child.state == "running" for child in shown.children)
    if running := [call for call in shown.calls if call.state == "started"]:
        return _tools(running, working, now)
    if working and not shown.run:
        return counted(working, "child", "children")
    if away:
        return "running elsewhere"
    said = shown.writing
    if said and said.calls:
        return f"calling {said.calls[-1][0] or 'a tool'}"
    if said and said.text:
        return "writing"
    since = shown.messages[-1].time if shown.messages else 0
    what = "hooks" if shown.hooks and now - since >= SECOND else "thinking"
    return f"{what} {lasted(now - since)}" if since else what


def _tools(running: list[CallView], children: int, now: int) -> str:
    if children:
        return counted(children, "child", "children")
    began = min(call.began for call in running)
    what = f"{len(running)} tools" if len(running) > 1 else running[0].name
    return f"{what} {lasted(now - began)}" if began else what


def _elapsed(shown: Display, now: int) -> str:
    """How long the run has been at work, without the time that it waited for people."""
    if not shown.run:
        return ""
    return lasted(shown.busy + (now - shown.since if shown.since else 0))


def fitted(view: StatusView, width: int) -> StatusView:
    """As much of it as there is room for, the most important parts whatever they need."""
    while view.width > width and len(view.parts) > 1:
        least = min(view.parts, key=lambda part: part.rank)
        less = (replace(least, text=least.short, rank=least.kept, short=""),) if least.short else ()
        view = StatusView(
            tuple(new for part in view.parts for new in (less if part is least else (part,)))
        )
    return view
