"""Children as rows: who they are, what for, how they stand."""

from collections.abc import Sequence

from longrein.client.figures import short_cost
from longrein.client.words import brief
from longrein.core.children import ChildState, ChildView
from longrein.tui.view.rows import Row
from longrein.tui.view.tones import Tone

_TONES: dict[ChildState, Tone] = {
    "running": "accent",
    "waiting": "warn",
    "failed": "bad",
    "limit": "bad",
}


def child_rows(children: Sequence[ChildView]) -> list[Row]:
    """Every child, those below another one after it."""
    return [_row(child) for child in children]


def _row(child: ChildView) -> Row:
    depth = "  " * max(len(child.path) - 1, 0)
    asked = child.approvals + child.questions
    state = f"waits for you: {asked}" if asked else child.state
    return Row(
        child.thread,
        f"{depth}{child.agent}",
        child.title or brief(child.text, 200),
        (state, short_cost(child.spent)),
        tone=_TONES.get(child.state, ""),
    )
