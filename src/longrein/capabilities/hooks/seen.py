"""What shell hooks have to know of a thread: a fold of its events."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from longrein.capabilities.hooks.answers import Outcome, Together
from longrein.core import events as e
from longrein.core.policy import Trust
from longrein.core.slices import Slice, read_fact

KIND = "hooks.ran"
"""The kind of the fact that hooks were run."""

MOST_KEPT = 200
LONGEST_MESSAGE = 300


class LastRun(Struct, frozen=True, omit_defaults=True):
    """How a hook ended the last time: what came of it, in how long, and its words for people."""

    outcome: Outcome
    milliseconds: int = 0
    message: str = ""


class Fact(Struct, frozen=True, omit_defaults=True):
    """The hooks of one event were run; `ran` has them by their keys. `stop`: why the run is to end
    before its next step. `again`: it goes on where it would have ended."""

    event: str
    ran: dict[str, LastRun]
    stop: str = ""
    again: bool = False


class HooksSeen(Struct, frozen=True, omit_defaults=True):
    """What hooks need to know: how each ended last; why the run is to stop; whether it goes on
    because of a hook; the inputs that the model has not heard; whether something was left out of
    requests since a hook last told the model what it should know; and how far people trust."""

    last: dict[str, LastRun] = {}
    stop: str = ""
    again: bool = False
    waiting: tuple[str, ...] = ()
    compacted: bool = False
    trust: Trust = "ask"


def fact_of(event: str, together: Together) -> dict[str, Any]:
    """The fact that hooks were run."""
    ran = {
        one.hook.key: LastRun(
            one.outcome,
            one.milliseconds,
            (one.message or one.block or one.ask or one.stop or "")[:LONGEST_MESSAGE],
        )
        for one in together.said
    }
    # Elsewhere the run is stopped at once, or cannot be.
    stop = together.stop if event in ("PreToolUse", "PostToolUse") else ""
    goes_on = together.block is not None and together.stop is None
    again = event in ("Stop", "SubagentStop") and goes_on
    return msgspec.to_builtins(Fact(event, ran, stop or "", again))


def fold(seen: HooksSeen, event: e.Event) -> HooksSeen:
    """What is known after an event."""
    match event:
        case e.Recorded():
            return _ran(seen, read_fact(event, KIND, Fact))
        case e.RunStarted(inputs=inputs):
            return replace(seen, stop="", again=False, waiting=_with(seen.waiting, inputs))
        case e.InputPromoted(inputs=inputs):
            return replace(seen, waiting=_with(seen.waiting, inputs))
        case e.StepStarted():
            return replace(seen, waiting=()) if seen.waiting else seen
        case e.RunEnded():
            return replace(seen, stop="", again=False, waiting=())
        case e.Compacted(how=how):
            return seen if how in ("cleared", "pinned") else replace(seen, compacted=True)
        case e.ThreadCreated(trust=trust) | e.TrustChanged(trust=trust):
            return replace(seen, trust=trust)
        case _:
            return seen


def _ran(seen: HooksSeen, fact: Fact | None) -> HooksSeen:
    if fact is None:
        return seen
    last = {key: one for key, one in seen.last.items() if key not in fact.ran} | fact.ran
    kept = dict(list(last.items())[-MOST_KEPT:])
    compacted = seen.compacted and fact.event != "SessionStart"
    stop, again = fact.stop or seen.stop, fact.again or seen.again
    return replace(seen, last=kept, stop=stop, again=again, compacted=compacted)


def _with(waiting: tuple[str, ...], inputs: Iterable[str]) -> tuple[str, ...]:
    return (*waiting, *inputs)


Seen: TypeAlias = Slice[HooksSeen]
SEEN: Seen = Slice("shell_hooks", HooksSeen, HooksSeen(), fold)
