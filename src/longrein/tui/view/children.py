"""The children of a call: how each stands, and what it said last."""

from collections.abc import Iterable

from msgspec.structs import replace

from longrein.client.words import brief
from longrein.core.children import ChildView
from longrein.tui.view.entries import Called, ChildBody

LONGEST_SAID = 300


def children_of(call: str, children: Iterable[ChildView]) -> tuple[ChildBody, ...]:
    """What to show of those that work, or worked, for a call of the thread itself."""
    return tuple(
        ChildBody(
            child.thread,
            child.agent,
            child.state,
            brief(child.text, LONGEST_SAID),
            child.approvals + child.questions,
        )
        for child in children
        if child.call == call and len(child.path) <= 1
    )


def with_children(entry: Called, children: tuple[ChildBody, ...]) -> Called:
    """The same call with its children as they stand now; those nobody knows of any more stay."""
    now = {child.thread: child for child in children}
    known = [body for body in entry.bodies if isinstance(body, ChildBody)]
    kept = tuple(now.pop(body.thread, body) for body in known)
    others = tuple(body for body in entry.bodies if not isinstance(body, ChildBody))
    bodies = (*kept, *now.values(), *others)
    return entry if bodies == entry.bodies else replace(entry, bodies=bodies)
