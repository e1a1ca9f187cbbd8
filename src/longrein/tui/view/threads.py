"""Threads as rows: what they are about, how they stand, when they were last used."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from longrein.client.figures import ago, short_cost
from longrein.client.port import Owner
from longrein.tui.view.rows import Row, heading
from longrein.tui.view.status import STOPPED
from longrein.tui.view.tones import Tone

if TYPE_CHECKING:
    from longrein.client.port import Hit, ThreadRow

UNTITLED = "(nothing said yet)"


def thread_row(row: "ThreadRow", owner: Owner, current: str, now: int) -> Row:
    """A thread to choose; `owner` counts where it runs."""
    words, tone = _standing(row, owner)
    return Row(
        row.id,
        row.title or UNTITLED,
        _tags(row),
        (words, ago(row.updated, now), short_cost(row.spent)),
        current=row.id == current,
        tone=tone,
        words=row.id,
    )


def _standing(row: "ThreadRow", owner: Owner) -> tuple[str, Tone]:
    match row.status:
        case "waiting":
            return "waits for you", "warn"
        case "running":
            said: Mapping[Owner, str] = {
                "here": "running",
                "elsewhere": "running elsewhere",
                "nobody": STOPPED,
            }
            return said[owner], "warn" if owner == "nobody" else ""
        case "idle":
            return "", ""


def _tags(row: "ThreadRow") -> str:
    tags = " ".join(f"#{tag}" for tag in row.tags)
    return f"{tags} (fork)".strip() if row.parent else tags


def found_rows(fitting: Sequence[Row], hits: Sequence["Hit"], current: str, now: int) -> list[Row]:
    """What fits by its title, and below it the threads in which the words were said."""
    known = {row.key for row in fitting}
    inside = [
        Row(
            hit.row.id,
            hit.row.title or UNTITLED,
            " ".join(hit.snippet.split()),
            ("", ago(hit.row.updated, now), short_cost(hit.row.spent)),
            current=hit.row.id == current,
        )
        for hit in hits
        if hit.row.id not in known
    ]
    return [*fitting, *((heading("Said in"),) if inside else ()), *inside]
