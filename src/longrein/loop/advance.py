"""From what is next to the events that say so.

`advance` asks `decide` until there is nothing left to write. The journal appends what comes out in
the same transaction as what led to it, so a step is started by the very write that ended the one
before, and no decision is ever made on a state that changed meanwhile.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, assert_never

from msgspec import Struct

from longrein.context.estimate import estimate_input, estimate_tokens
from longrein.context.prompt import Offer, Prompt
from longrein.core import events as e
from longrein.core.errors import InternalError
from longrein.core.ids import Ids
from longrein.core.messages import Text
from longrein.core.outcomes import LimitReached, Problem
from longrein.core.records import Approval
from longrein.core.state import Run, State
from longrein.core.usage import ASSUMED_OUTPUT, Usage
from longrein.loop import next as n
from longrein.loop.decide import decide
from longrein.loop.limits import counted, dollars
from longrein.loop.reserve import Reservation, reserve
from longrein.loop.setup import Setup
from longrein.models.base import ModelSettings
from longrein.permissions.remember import propose
from longrein.tools.output import instruction

MOST_ROUNDS = 1000
ROUNDS_PER_INPUT = 4
LOST = Problem("lost", "The model call was lost with its process; it is made again.")

Write = Callable[[State, Sequence[e.Event]], State]
"""Stamps and folds events; returns the state after them."""


class Resting(Struct, frozen=True):
    """Nothing more to write for now: what to cancel, and when to look again."""

    cancel: tuple[n.Cancel, ...] = ()
    wait: n.Wait = n.Wait()


class Purse(Protocol):
    """Where the prices of models come from, at once."""

    def price_now(self, name: str, usage: Usage) -> int | None:
        """What these tokens cost; None where nobody knows."""
        ...


class Loop:
    """The decisions of one session, with what they are made of.

    `settings` gives what is asked of a model of some name beside the words.
    """

    def __init__(
        self,
        setup: Setup,
        prompt: Prompt,
        ids: Ids,
        purse: Purse | None = None,
        settings: Callable[[str], ModelSettings] = lambda name: ModelSettings(),
    ) -> None:
        self.setup = setup
        self.prompt = prompt
        self.settings = settings
        self._ids = ids
        self._purse = purse

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
                return self._promote(state, action)
            case n.Recall(step=step):
                return [e.StepFailed(step, LOST, retry_at=1)]
            case n.Dismiss():
                return _dismiss(action)
            case n.Settle(calls=calls):
                return [e.ToolEnded(c.call, c.status, (Text(c.text),)) for c in calls]
            case n.Remind():
                return [e.NoteAdded(action.text, action.source)]
            case n.Consult(point=point, about=about):
                return [e.HookStarted(self._ids.new("hook"), point, about)]
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

    def _promote(self, state: State, action: n.Promote) -> Sequence[e.Event]:
        if not action.run:
            return [e.InputPromoted(action.inputs)]
        inputs = [i for i in state.queue if i.id in action.inputs]
        asked = [i.limits for i in inputs if i.limits]
        limits = asked[-1] if asked else self.setup.limits
        output = next((i.output for i in reversed(inputs) if i.output), "")
        started = e.RunStarted(action.inputs, limits, output, run=action.run)
        return [started, e.NoteAdded(instruction(output), "output")] if output else [started]

    def _step(self, state: State, model: str) -> Sequence[e.Event]:
        """A step, after whatever the model has to be told first."""
        mode = self.setup.mode(state)
        told: list[e.NoteAdded | e.PrefixStarted] = []
        if mode.id != state.told and (mode.instructions or state.told):
            text = mode.instructions or f"You are in the mode {mode.id} now."
            told.append(e.NoteAdded(text, f"mode:{mode.id}"))
        if prefix := self._prefix(state, model):
            told.append(prefix)
        number = state.run.spent.steps + 1 if state.run else 1
        step = self._ids.new("step")
        left = self.left(state, state.run)
        if left is None:
            return [*told, e.StepStarted(step, number, model)]
        most = self.settings(model).max_output
        reserved = self._reserve(state, model, left, most, told)
        if reserved is None:
            return [e.RunEnded(LimitReached("cost", self._unpaid(model, left)))]
        # Only where money cuts it short: a maximum above a model's own is refused by providers.
        usual = ASSUMED_OUTPUT if most is None else most
        cut = reserved.max_output
        held = cut if cut is not None and cut < usual else None
        return [*told, e.StepStarted(step, number, model, reserved.cost, held)]

    def left(self, state: State, run: Run | None = None) -> int | None:
        """The money that is left for a run, its thread and its resource; None: any amount."""
        budgets, shared = self.setup.budgets, self.setup.shared
        spent = counted(state).cost + shared.asides.get(state.thread, 0)
        lefts: list[int] = []
        if run is not None and run.limits.cost is not None:
            lefts.append(run.limits.cost - run.spent.cost)
        if budgets.thread is not None:
            lefts.append(budgets.thread - spent)
        if budgets.resource is not None:
            lefts.append(budgets.resource - spent - shared.cost_beside(state.thread))
        return min(lefts, default=None)

    def _reserve(
        self,
        state: State,
        model: str,
        left: int,
        most: int | None,
        told: Sequence[e.NoteAdded | e.PrefixStarted],
    ) -> Reservation | None:
        purse = self._purse
        if purse is None:
            return None
        # What was counted was counted for another model, or with other tools.
        anew = any(isinstance(one, e.PrefixStarted) for one in told)
        last, heard = (Usage(), 0) if anew else (state.last, state.heard)
        specs = self.offer(state).specs
        tokens = estimate_input(state.messages, self.prompt.system, specs, last, heard)
        tokens += sum(estimate_tokens(one.text) for one in told if isinstance(one, e.NoteAdded))
        return reserve(left, tokens, most, lambda usage: purse.price_now(model, usage))

    def _unpaid(self, model: str, left: int) -> str:
        if self._purse is None or self._purse.price_now(model, Usage(1, 1)) is None:
            return (
                f"There is a limit of money, but nobody knows what {model} costs: "
                "set its price (prices), or allow it by name (unpriced)."
            )
        return f"What is left of the budget, {dollars(left)}, does not pay for another step."

    def offer(self, state: State) -> Offer:
        """The tools that the model is offered in this state."""
        setup = self.setup
        return self.prompt.offer(setup.mode(state).id, setup.all_rules(state), state.trust)

    def _prefix(self, state: State, model: str) -> e.PrefixStarted | None:
        """A new prefix where the old one does not fit any more."""
        old = state.prefix
        offer = self.offer(state)
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
        action = self.setup.action(state, call) if call else None
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
            touches=call.touches,
            proposal=None if about.verdict.always else propose(action, about.verdict.rule),
            rules=about.verdict.rules,
            preview=call.preview,
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
