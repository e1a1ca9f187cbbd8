"""From what is next to the events that say so.

`advance` asks `decide` until there is nothing left to write. The journal appends what comes out in
the same transaction as what led to it, so a step is started by the very write that ended the one
before, and no decision is ever made on a state that changed meanwhile.
"""

from collections.abc import Callable, Sequence
from typing import assert_never

from msgspec import Struct

from longrein.context.prompt import Prompt
from longrein.core import events as e
from longrein.core.errors import InternalError
from longrein.core.ids import Ids
from longrein.core.messages import Text
from longrein.core.outcomes import Problem
from longrein.core.records import Approval
from longrein.core.state import State
from longrein.loop import next as n
from longrein.loop.decide import decide
from longrein.loop.setup import Setup

MOST_ROUNDS = 1000
ROUNDS_PER_INPUT = 4
LOST = Problem("lost", "The model call was lost with its process; it is made again.")

Write = Callable[[State, Sequence[e.Event]], State]
"""Stamps and folds events; returns the state after them."""


class Resting(Struct, frozen=True):
    """Nothing more to write for now: what to cancel, and when to look again."""

    cancel: tuple[n.Cancel, ...] = ()
    wait: n.Wait = n.Wait()


class Loop:
    """The decisions of one session, with what they are made of."""

    def __init__(self, setup: Setup, prompt: Prompt, ids: Ids) -> None:
        self.setup = setup
        self.prompt = prompt
        self._ids = ids

    def advance(self, state: State, write: Write) -> Resting:
        """Write what is next until only waiting is left."""
        # A run with nothing left to spend ends as it begins: so may each that waits in the queue.
        for _ in range(MOST_ROUNDS + ROUNDS_PER_INPUT * len(state.queue)):
            actions = decide(state, self.setup)
            events = [event for action in actions for event in self._events(state, action)]
            if not events:
                return _resting(actions)
            state = write(state, events)
        raise InternalError(f"thread {state.thread} does not come to rest after event {state.seq}")

    def _events(self, state: State, action: n.Next) -> Sequence[e.Event]:
        match action:
            case n.Promote():
                return [self._promote(state, action)]
            case n.Recall(step=step):
                return [e.StepFailed(step, LOST, retry_at=1)]
            case n.Dismiss():
                return _dismiss(action)
            case n.Settle(calls=calls):
                return [e.ToolEnded(c.call, c.status, (Text(c.text),)) for c in calls]
            case n.Remind():
                return [e.NoteAdded(action.text, action.source)]
            case n.CallModel(model=model):
                return self._step(state, model)
            case n.AskFor(calls=calls):
                return [e.ApprovalRequested(self._approval(state, about)) for about in calls]
            case n.Execute(calls=calls):
                return _execute(state, calls)
            case n.Finish(outcome=outcome):
                return [e.RunEnded(outcome)]
            case n.Cancel() | n.Wait():
                return []
            case _:
                assert_never(action)

    def _promote(self, state: State, action: n.Promote) -> e.Event:
        if not action.run:
            return e.InputPromoted(action.inputs)
        asked = [i.limits for i in state.queue if i.id in action.inputs and i.limits]
        limits = asked[-1] if asked else self.setup.limits
        return e.RunStarted(action.inputs, limits, run=action.run)

    def _step(self, state: State, model: str) -> Sequence[e.Event]:
        """A step, after whatever the model has to be told first."""
        mode = self.setup.mode(state)
        told: list[e.Event] = []
        if mode.id != state.told and (mode.instructions or state.told):
            text = mode.instructions or f"You are in the mode {mode.id} now."
            told.append(e.NoteAdded(text, f"mode:{mode.id}"))
        if prefix := self._prefix(state, model):
            told.append(prefix)
        number = state.run.spent.steps + 1 if state.run else 1
        return [*told, e.StepStarted(self._ids.new("step"), number, model)]

    def _prefix(self, state: State, model: str) -> e.PrefixStarted | None:
        """A new prefix where the old one does not fit any more."""
        old = state.prefix
        offer = self.prompt.offer(self.setup.mode(state).id, self.setup.all_rules(state))
        if old is None:
            reason = "first"
        elif old.model != model:
            reason = "model"
        elif old.digest != offer.digest:
            reason = "tools"
        elif old.system != self.prompt.system:
            reason = "system"
        else:
            return None
        id = self._ids.new("pre")
        return e.PrefixStarted(id, reason, model, self.prompt.system, offer.names, offer.digest)

    def _approval(self, state: State, about: n.AskAbout) -> Approval:
        call = state.call(about.call)
        action = self.setup.action(state, call.name) if call else None
        if call is None or action is None:
            raise InternalError(f"there is no call {about.call} to ask about")
        return Approval(
            self._ids.new("apr"),
            call.id,
            call.name,
            action.category,
            call.arguments,
            about.verdict.rule,
            about.verdict.reason,
            run=state.run.id if state.run else "",
        )


def _dismiss(action: n.Dismiss) -> Sequence[e.Event]:
    reason = "superseded by a new instruction" if action.by == "steer" else "the run was stopped"
    approvals = [
        e.ApprovalAnswered(id, "declined", action.by, reason=reason) for id in action.approvals
    ]
    questions = [e.QuestionAnswered(id, None, action.by, reason) for id in action.questions]
    return [*approvals, *questions]


def _execute(state: State, calls: tuple[str, ...]) -> Sequence[e.Event]:
    found = [call for id in calls if (call := state.call(id))]
    return [e.ToolStarted(c.id, c.name, c.arguments, len(c.answers)) for c in found]


def _resting(actions: tuple[n.Next, ...]) -> Resting:
    cancel = tuple(action for action in actions if isinstance(action, n.Cancel))
    waits = [action for action in actions if isinstance(action, n.Wait)]
    return Resting(cancel, waits[-1] if waits else n.Wait())
