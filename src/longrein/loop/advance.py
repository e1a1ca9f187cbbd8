"""From what is next to the events that say so.

`advance` asks `decide` until there is nothing left to write. The journal appends what comes out in
the same transaction as what led to it, so a step is started by the very write that ended the one
before, and no decision is ever made on a state that changed meanwhile.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from longrein.context.estimate import estimate_opening, estimate_tokens
from longrein.context.prompt import Offer, Prompt
from longrein.context.summary import MOST_SUMMARY
from longrein.core import events as e
from longrein.core.errors import InternalError
from longrein.core.ids import Ids
from longrein.core.messages import Text
from longrein.core.offload import HISTORY, OFFLOAD, READER
from longrein.core.outcomes import LimitReached, Problem
from longrein.core.records import Approval, By
from longrein.core.state import Run, State
from longrein.core.usage import ASSUMED_OUTPUT, Usage
from longrein.loop import next as n
from longrein.loop.crowding import NOTHING, filled
from longrein.loop.deadlines import UNANSWERED, patience
from longrein.loop.decide import decide
from longrein.loop.limits import counted, dollars
from longrein.loop.reserve import Reservation, reserve
from longrein.loop.setup import Setup
from longrein.loop.tree import account_of, reserved
from longrein.models.base import ModelSettings
from longrein.permissions.evaluate import Allow, Deny
from longrein.permissions.remember import propose
from longrein.tools.output import instruction

MOST_ROUNDS = 1000
ROUNDS_PER_INPUT = 4
WHY: Mapping[By, str] = {
    "steer": "superseded by a new instruction",
    "deadline": UNANSWERED,
}
"""Why nobody need answer any more."""
LOST = Problem("lost", "The model call was lost with its process; it is made again.")

Reason: TypeAlias = Literal["first", "model", "tools", "system", "compaction"]
"""Why an epoch begins."""

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
        self.setup = replace(
            setup,
            opening=self._opening,
            most_output=self._most_output,
            readable=self._readable,
        )
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
            case n.Resolve(answers=answers):
                return [_resolved(id, verdict) for id, verdict in answers]
            case n.Settle(calls=calls):
                return [e.ToolEnded(c.call, c.status, (Text(c.text),)) for c in calls]
            case n.Remind():
                return [e.NoteAdded(action.text, action.source)]
            case n.Consult(point=point, about=about):
                return [e.HookStarted(self._ids.new("hook"), point, about)]
            case n.Compact():
                return self._compact(state, action)
            case n.CallModel(model=model, tokens=tokens):
                return self._step(state, model, tokens)
            case n.AskFor(calls=calls):
                return [e.ApprovalRequested(self._approval(state, about)) for about in calls]
            case n.Execute(calls=calls):
                return _execute(state, calls)
            case n.Park(on=on):
                return [e.Parked(on)]
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

    def _compact(self, state: State, action: n.Compact) -> Sequence[e.Event]:
        """Shorter requests at once or, by a summary, once a model has written it."""
        cut = action.cut
        if cut is None:
            return [e.CompactionFailed("", Problem("compaction", NOTHING))]
        id = self._ids.new("cmp")
        if cut.how != "summary":
            return [replace(cut, compaction=id)]
        model = self.setup.summaries or action.model
        left, paid = self.left(state, state.run), Reservation(0, None)
        if left is not None:
            paid = self._pay(model, left, cut.before + MOST_SUMMARY, MOST_SUMMARY)
        if paid is None:
            text = f"No summary was made. {self._unpaid(model, left or 0)}"
            return [e.CompactionFailed("", Problem("compaction", text))]
        asked = (cut.start, cut.before, action.focus, paid.cost, paid.max_output)
        return [e.CompactionStarted(id, cut.trigger, model, *asked)]

    def _pay(self, model: str, left: int, tokens: int, most: int | None) -> Reservation | None:
        """What to set aside for a call; None where `left` does not pay for it."""
        purse = self._purse
        if purse is None:
            return None
        return reserve(left, tokens, most, lambda usage: purse.price_now(model, usage))

    def _most_output(self, model: str) -> int | None:
        return self.settings(model).max_output

    def _opening(self, state: State, model: str) -> int:
        """The tokens that a request takes before its first message."""
        return estimate_opening(self.prompt.system, self.offer(state, model).specs)

    def _readable(self, state: State) -> bool:
        return self.readable(state, OFFLOAD, HISTORY)

    def _step(self, state: State, model: str, tokens: int) -> Sequence[e.Event]:
        """A step, after whatever the model has to be told first."""
        self.prompt.tune(self.setup.tuning(model))
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
            return [*told, e.StepStarted(step, number, model, tokens=tokens)]
        most = self.settings(model).max_output
        paid = self._reserve(state, model, left, most, told)
        if paid is None:
            return [e.RunEnded(LimitReached("cost", self._unpaid(model, left)))]
        # Only where money cuts it short: a maximum above a model's own is refused by providers.
        usual = ASSUMED_OUTPUT if most is None else most
        cut = paid.max_output
        held = cut if cut is not None and cut < usual else None
        return [*told, e.StepStarted(step, number, model, paid.cost, held, tokens)]

    def left(self, state: State, run: Run | None = None) -> int | None:
        """The money that is left for a run, its thread and its resource; None: any amount."""
        budgets, shared = self.setup.budgets, self.setup.shared
        ledger, aside = self.setup.ledger, shared.asides.get(state.thread, 0)
        lefts: list[int] = []
        if run is not None and run.limits.cost is not None:
            lefts.append(run.limits.cost - ledger.run(state, run).spent.cost - reserved(state))
        if budgets.thread is not None:
            lefts.append(budgets.thread - ledger.whole(state).cost - aside)
        if budgets.resource is not None:
            spent = counted(state).cost + aside
            lefts.append(budgets.resource - spent - shared.cost_beside(state.thread))
        above = self.setup.above.left() if self.setup.above else None
        return min(lefts if above is None else (*lefts, above), default=None)

    def left_for(self, child: str) -> int | None:
        """The money that is left for a child: of the run that it works for, which may be over, of
        its parent's thread and resource, and of all above."""
        ledger = self.setup.ledger
        # As it is planned: what this thread reserves at this moment is not left for its children.
        state = ledger.state
        left, known = self.left(state), state.child(child)
        account = account_of(state, known.run) if known else None
        if account is None or account.limits.cost is None:
            return left
        current = state.run is not None and state.run.id == account.run
        held = reserved(state) if current else 0
        spent = account.spent + ledger.beneath(state, account.run)
        own = account.limits.cost - spent.cost - held
        return own if left is None else min(left, own)

    def over_for(self, child: str) -> LimitReached | None:
        """The limit of the run that a child works for, or of one above, that it has reached."""
        setup, state = self.setup, self.setup.ledger.state
        known = state.child(child)
        account = account_of(state, known.run) if known else None
        most = account.limits.tokens if account else None
        if account is not None and most is not None:
            used = (account.spent + setup.ledger.beneath(state, account.run)).usage.total
            if used >= most:
                text = f"The run with its subagents used {used} of {most} tokens."
                return LimitReached("tokens", text)
        return setup.above.over() if setup.above else None

    def _reserve(
        self,
        state: State,
        model: str,
        left: int,
        most: int | None,
        told: Sequence[e.NoteAdded | e.PrefixStarted],
    ) -> Reservation | None:
        # What was counted was counted for another model, or with other tools.
        anew = any(isinstance(one, e.PrefixStarted) for one in told)
        tokens = filled(state, self.setup, model, anew=anew)
        tokens += sum(estimate_tokens(one.text) for one in told if isinstance(one, e.NoteAdded))
        return self._pay(model, left, tokens, most)

    def _unpaid(self, model: str, left: int) -> str:
        if self._purse is None or self._purse.price_now(model, Usage(1, 1)) is None:
            return (
                f"There is a limit of money, but nobody knows what {model} costs: "
                "set its price (prices), or allow it by name (unpriced)."
            )
        return f"What is left of the budget, {dollars(left)}, does not pay for another step."

    def offer(self, state: State, model: str = "") -> Offer:
        """The tools that a model is offered in this state; without a name, the one in use."""
        setup = self.setup
        if setup.forked and setup.above:
            return setup.above.offer()
        rules, tuning = setup.all_rules(state), setup.tuning(model or setup.in_use(state))
        hidden, trust = setup.hidden(state), setup.trust(state)
        return self.prompt.offer(setup.mode(state).id, rules, trust, tuning, hidden)

    def readable(self, state: State, *paths: str) -> bool:
        """Whether the model has a tool to read files, and the tool has those below these paths."""
        return self.setup.mounts.issuperset(paths) and READER in self.offer(state).names

    def _prefix(self, state: State, model: str) -> e.PrefixStarted | None:
        """A new prefix where the old one does not fit any more."""
        old = state.prefix
        offer = self.offer(state, model)
        if old is None:
            reason = "first"
        elif old.model != model:
            reason = "model"
        elif old.digest != offer.digest:
            reason = "tools"
        elif old.window != (state.window.seq if state.window else 0):
            reason = "compaction"
        elif not old.sources and old.system != self.prompt.system:
            # Erased, or of an earlier version, which did not know what it was made of.
            reason = "system"
        else:
            return None
        return self.prefix(state, model, reason)

    def prefix(self, state: State, model: str, reason: Reason) -> e.PrefixStarted:
        """A new epoch: the system text as its sources say it now, and the tools on offer."""
        self.prompt.tune(self.setup.tuning(model))
        id, offer, prompt = self._ids.new("pre"), self.offer(state, model), self.prompt
        return e.PrefixStarted(
            id, reason, model, prompt.system, offer.names, offer.digest, prompt.sources()
        )

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
            patience=patience(self.setup.unattended),
        )


def _dismiss(action: n.Dismiss) -> Sequence[e.Event]:
    reason = WHY.get(action.by, "the run was stopped")
    approvals = [
        e.ApprovalAnswered(id, "declined", action.by, reason=reason) for id in action.approvals
    ]
    questions = [e.QuestionAnswered(id, None, action.by, reason) for id in action.questions]
    return [*approvals, *questions]


def _resolved(approval: str, verdict: Allow | Deny) -> e.Event:
    if isinstance(verdict, Allow):
        return e.ApprovalAnswered(approval, "approved", "policy", rule=verdict.by or verdict.rule)
    rule, reason = verdict.rule, verdict.reason
    return e.ApprovalAnswered(approval, "declined", "policy", reason=reason, rule=rule)


def _execute(state: State, calls: tuple[str, ...]) -> Sequence[e.Event]:
    found = [call for id in calls if (call := state.call(id))]
    return [e.ToolStarted(c.id, c.name, c.arguments, len(c.answers)) for c in found]


def _resting(actions: tuple[n.Next, ...]) -> Resting:
    cancel = tuple(action for action in actions if isinstance(action, n.Cancel))
    waits = [action for action in actions if isinstance(action, n.Wait)]
    return Resting(cancel, waits[-1] if waits else n.Wait())
