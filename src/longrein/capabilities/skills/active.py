"""Which skill is active in a thread: from when it is loaded until the user says something else."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from longrein.core.events import Event, InputAdmitted, InputPromoted, Recorded, RunEnded, RunStarted
from longrein.core.slices import Slice, read_fact
from longrein.core.state import Kept

LOADED = "skills.loaded"
LEFT = "skills.left"


class ActiveSkill(Struct, frozen=True, omit_defaults=True):
    """A skill that was loaded, with what it allowed then. `signals` came since from systems."""

    name: str
    allowed: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()


def fold(active: ActiveSkill | None, event: Event) -> ActiveSkill | None:
    """The active skill after an event: the one that was loaded last in this run."""
    if isinstance(event, Recorded):
        return None if event.kind == LEFT else read_fact(event, LOADED, ActiveSkill) or active
    if active is None:
        return None
    if isinstance(event, RunStarted | RunEnded):
        return None
    if isinstance(event, InputAdmitted) and event.input.kind == "signal":
        return replace(active, signals=(*active.signals, event.input.id))
    if isinstance(event, InputPromoted) and not set(event.inputs) <= set(active.signals):
        return None
    return active


ACTIVE: Slice[ActiveSkill | None] = Slice(
    "skills", ActiveSkill | None, None, fold, rewinds="conversation"
)
"""The active skill of a thread, or None: `session.read(ACTIVE)`."""


def active_in(slices: Mapping[str, Kept]) -> ActiveSkill | None:
    """The active skill by what slices hold."""
    kept: Any = slices[ACTIVE.name].value if ACTIVE.name in slices else None
    return kept if isinstance(kept, ActiveSkill) else None
