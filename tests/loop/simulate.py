"""A whole session without a model, a disk or a clock: the test plays the world around it.

Commands go through `apply`, events through `evolve`, and what follows from them through `Loop`, in
the order in which the journal does it. What has started stays in flight until the test ends it:
model calls, tools, and the hooks of capabilities.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec.structs import replace

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import Settled, Text, ToolCall
from longrein.core.outcomes import Outcome, Problem
from longrein.core.policy import Touches
from longrein.core.records import Approval, CallFacts, Question
from longrein.core.restored import RestoreReport
from longrein.core.slices import Folding
from longrein.core.state import Call, State
from longrein.core.usage import Limits, Usage
from longrein.loop.advance import Loop, Resting
from longrein.loop.assemble import Assembled
from longrein.session.apply import apply
from longrein.session.desk import Desk, Restored
from longrein.session.effects import events_of
from longrein.session.handle import standing
from longrein.session.hook_calls import waited_for
from longrein.session.resources import Resources
from longrein.session.user_state import UserState
from longrein.storage.memory import MemoryStore
from longrein.testing.clock import CountingIds, ManualClock
from longrein.tools.reach import Effect, Fact
from tests.loop.examining import edited, examine
from tests.loop.tools import kit

Kind = Literal["send", "queue", "steer", "signal", "proceed"]
Then = Literal["retry", "next", "fail"]
Decision = Literal["passed", "noted", "refused", "changed", "go_on"]
Wish = tuple[str, str]
"""A tool's name and the raw text of its arguments."""

Watcher = Callable[[State, e.Event], None]


class World:
    """One thread and everything around it that the test decides on.

    `flying` is what was started and has not ended: the id of a step, ids of calls and of hooks.
    `cancelled` are those among them that were told to stop, `asked` the hooks among them. `watch`
    is called after each event.
    """

    def __init__(
        self,
        made: Assembled | None = None,
        watch: Watcher | None = None,
        fold: Folding | None = None,
    ) -> None:
        made = made or kit()
        self._fold_in = fold or Folding()
        self.state = self._fold_in.begun(State())
        self.log: list[e.Event] = []
        self.clock = ManualClock()
        self.ids = CountingIds()
        self.flying: list[str] = []
        self.cancelled: list[str] = []
        self.asked: dict[str, e.HookStarted] = {}
        self.resting = Resting()
        self.promised: dict[str, str] = {}
        self.setup = made.setup
        self._registries = made.registries
        self._loop = Loop(made.setup, made.prompt, self.ids, self)
        resources = Resources(MemoryStore(), self.ids, counting=False)
        restored = Restored(1, RestoreReport(("/a",)), (Fact("restored", "/a"),))
        self._desk = Desk(made.setup, self.ids, UserState(), resources, restored=restored)
        self._watch: Watcher = watch or (lambda state, event: None)
        self._epoch = 1
        self._shared = 0
        self.write(e.ThreadCreated("thr_1", "tester", "build"), e.Opened("one"))

    def price_now(self, name: str, usage: Usage) -> int | None:
        """Nothing costs anything in advance; what a call cost is said by `reply`."""
        return 0

    def send(self, text: str = "hello", limits: Limits | None = None) -> c.Answer:
        return self.say("send", text, limits)

    def say(
        self,
        kind: Kind,
        text: str = "hello",
        limits: Limits | None = None,
        *,
        wake: bool = True,
    ) -> c.Answer:
        """Tell the session something, as its method of that name does."""
        return self.tell(self.saying(kind, text, limits, wake=wake))

    def saying(
        self,
        kind: Kind,
        text: str = "hello",
        limits: Limits | None = None,
        *,
        wake: bool = True,
        output: str = "",
    ) -> c.Say:
        parts = (Text(text),) if kind != "proceed" else ()
        source = "app" if kind == "signal" else ""
        run = self.ids.new("run")
        return c.Say(kind, run, parts, source, wake, limits, output, id=self.ids.new("cmd"))

    def interrupt(self) -> c.Answer:
        return self.tell(c.Interrupt("enough", id=self.ids.new("cmd")))

    def tell(self, command: c.Command) -> c.Answer:
        """Carry out one command. Raises `UsageError` where it makes no sense."""
        (answer,) = self.tell_at_once(command)
        if isinstance(answer, UsageError):
            raise answer
        return answer

    def tell_at_once(
        self, *commands: c.Command, chosen: bool = False
    ) -> list[c.Answer | UsageError]:
        """Carry out commands that came in while the journal was busy: nothing happens between."""
        answers: list[c.Answer | UsageError] = []
        before = self.state.seq
        for command in commands:
            command = replace(command, chosen=chosen)
            try:
                desk = replace(self._desk, edited=edited(self.state, command, self.examine))
                applied = apply(self.state, command, desk)
            except UsageError as error:
                answers.append(error)
                continue
            self._fold(applied.events, command.id)
            answers.append(applied.answer)
            if isinstance(command, c.Say):
                self.promised[command.id] = applied.answer.run
        if self.state.seq > before:
            self._advance()
        return answers

    def approve(
        self,
        approval: str = "",
        *,
        arguments: str | None = None,
        remember: Literal["", "tool", "category"] = "",
        scope: Literal["run", "thread"] = "thread",
    ) -> c.Answer:
        """Say yes to an approval, the first one unless another is named."""
        target = approval or self.state.approvals[0].id
        return self.tell(c.Approve(target, arguments, remember, scope, id=self.ids.new("cmd")))

    def decline(self, target: str, reason: str = "", *, stop: bool = False) -> c.Answer:
        return self.tell(c.Decline(target, reason, stop, id=self.ids.new("cmd")))

    def reply(
        self,
        text: str = "",
        *wishes: Wish,
        stop: str = "",
        cost: int | None = 1,
        misfit: str = "",
        notes: Sequence[str] = (),
    ) -> None:
        """The model answers: a text, and calls of tools. `notes` are what hooks say to that."""
        step = self.state.step
        assert step is not None
        calls = [ToolCall(self.ids.new("call"), name, given) for name, given in wishes]
        parts = (*((Text(text),) if text else ()), *calls)
        facts = tuple(self.examine(self.state, call) for call in calls)
        reason = stop or ("tools" if calls else "end")
        used = Usage(input=10, output=5)
        ended = e.StepEnded(step.id, parts, reason, used, cost, facts, misfit)
        self._end(step.id, ended, *_noted(notes))

    def fail(self, then: Then, kind: str = "network") -> None:
        """The model call fails; `then` is what is made of it."""
        step = self.state.step
        assert step is not None
        retry_at = self.clock.now() + 1_000_000 if then == "retry" else 0
        problem = Problem(kind, "It broke.")
        self._end(step.id, e.StepFailed(step.id, problem, retry_at, then == "next"))

    def end(
        self,
        call: str,
        status: Settled = "ok",
        text: str = "done",
        *,
        effects: Sequence[Effect] = (),
        notes: Sequence[str] = (),
    ) -> None:
        """A tool comes to an end, with what it brought about and what hooks say to it."""
        told = (*self._brought(effects if status == "ok" else (), call), *_noted(notes))
        self._end(call, e.ToolEnded(call, status, (Text(text),)), *told)

    def reexamine(self, call: str, path: str) -> None:
        """A tool that was about to run would touch another path now."""
        found = self.state.call(call)
        assert found is not None
        facts = CallFacts(call, "", found.alone, found.lane, Touches((path,)))
        self._end(call, e.CallReexamined(call, facts))

    def answer_hook(
        self,
        hook: str,
        decision: Decision = "passed",
        *,
        arguments: str = "{}",
        effects: Sequence[Effect] = (),
        notes: Sequence[str] = (),
    ) -> None:
        """Hooks that are asked answer, if that is still waited for."""
        started = self.asked.pop(hook)
        self.flying.remove(hook)
        if not waited_for(self.state, started):
            return
        ended = e.HookEnded(hook, started.point, started.about, decision, "test", "no")
        call = self.state.call(started.about)
        if decision == "changed" and call is not None:
            facts = self.examine(self.state, ToolCall(call.id, call.name, arguments))
            ended = replace(ended, arguments=arguments, facts=facts)
        notes = (*notes, "Go on.") if decision == "go_on" else notes
        self.write(ended, *self._brought(effects, started.about), *_noted(notes))

    def ask(self, call: str, choices: tuple[str, ...] = (), *, several: bool = False) -> None:
        """A tool that runs asks a person."""
        run = self.state.run.id if self.state.run else ""
        question = Question(self.ids.new("qst"), call, "Go on?", choices, several, run)
        self._end(call, e.QuestionAsked(question))

    def stop_flying(self, id: str, said: str = "") -> None:
        """What was cancelled writes its end."""
        if self.state.step is not None and self.state.step.id == id:
            parts = (Text(said),) if said else ()
            self._end(id, e.StepInterrupted(id, parts, "cancelled", cost=0))
        else:
            self.end(id, "interrupted", "stopped")

    def due(self) -> None:
        """The moment that is waited for has come."""
        wait = self.resting.wait
        self.clock.advance(max(wait.until - self.clock.now(), 0) / 1_000_000)
        self.write(e.TimerDue(wait.timer))

    def crash(self) -> None:
        """The process dies with all that is in flight; another takes the thread over."""
        self._reopen(e.Opened("another"))

    def fork(self) -> None:
        """Go on in a fork of the thread as it is now."""
        self.promised.clear()
        thread, parent = self.ids.new("thr"), self.state.thread
        self._reopen(e.Forked(thread, parent, self.state.seq), e.Opened("another"))

    def _reopen(self, *events: e.Event) -> None:
        self.flying.clear()
        self.cancelled.clear()
        self.asked.clear()
        self._epoch += 1
        self.write(*events)

    def settle(self) -> None:
        """Answer everything, let everything end, release the queue."""
        self.tell(c.Release(id=self.ids.new("cmd")))
        while self._settle_one():
            pass

    def _settle_one(self) -> bool:
        state = self.state
        if state.approvals:
            self.approve()
        elif state.questions:
            asked = state.questions[0]
            answer = asked.choices[0] if asked.choices else "yes"
            self.tell(c.AnswerQuestion(asked.id, answer, id=self.ids.new("cmd")))
        elif self.flying and state.step is not None and self.flying[0] == state.step.id:
            self.reply("done")
        elif self.asked:
            self.answer_hook(next(iter(self.asked)))
        elif self.flying:
            self.end(self.flying[0])
        elif self.resting.wait.timer:
            self.due()
        else:
            return False
        return True

    def write(self, *events: e.Event) -> None:
        """Fold events and all that follows from them, as the journal does in one write."""
        self._fold(events)
        self._advance()

    def examine(self, state: State, call: ToolCall) -> CallFacts:
        """What a session finds out about a call before it runs."""
        return examine(self._registries[self.setup.step_mode(state).id], call)

    @property
    def speaking(self) -> bool:
        """Whether a model call is in flight."""
        return self.state.step is not None and self.state.step.id in self.flying

    @property
    def working(self) -> list[str]:
        """The calls that are in flight."""
        return [] if self.speaking else [id for id in self.flying if id not in self.asked]

    @property
    def awaited(self) -> bool:
        """Whether something is in flight whose end will be heard."""
        hooks = any(waited_for(self.state, started) for started in self.asked.values())
        return self.speaking or bool(self.working) or hooks

    def standing(self, input: str) -> Outcome | None:
        """How the run stands that was promised to an input."""
        return standing(self.state, self.promised[input])

    def call(self, name: str) -> Call:
        """The call of the open step to this tool."""
        assert self.state.step is not None
        return next(call for call in self.state.step.calls if call.name == name)

    def approval(self, name: str) -> Approval:
        """What is asked about a call to this tool."""
        return next(approval for approval in self.state.approvals if approval.tool == name)

    def phases(self) -> list[str]:
        """Where the calls of the open step stand, in their order."""
        return [call.phase for call in self.state.step.calls] if self.state.step else []

    def since(self, seq: int) -> list[str]:
        """The kinds of the events after a position."""
        return [type(event).__name__ for event in self.log[seq:]]

    def _end(self, id: str, *ending: e.Event) -> None:
        self.flying.remove(id)
        if id in self.cancelled:
            self.cancelled.remove(id)
        self.write(*ending)

    def _brought(self, effects: Sequence[Effect], call: str) -> Sequence[e.Event]:
        return events_of(effects, self.state, self.setup, self._desk.kept, call)

    def _advance(self) -> None:
        self.resting = self._loop.advance(self.state, lambda _, new: self._fold(new))
        self.setup.shared.hear(self.log[self._shared :])
        self._shared = len(self.log)
        stop = [id for cancel in self.resting.cancel for id in cancel.ids]
        assert set(stop) <= set(self.flying), "only what is in flight can be cancelled"
        self.cancelled += [id for id in stop if id not in self.cancelled]

    def _fold(self, events: Sequence[e.Event], cause: str = "") -> State:
        for event in events:
            self.clock.advance(0.01)
            self._take(self._stamped(event, cause))
        return self.state

    def _stamped(self, event: e.Event, cause: str) -> e.Event:
        run = event.run or (self.state.run.id if self.state.run else "")
        return replace(
            event,
            seq=self.state.seq + 1,
            time=self.clock.now(),
            run=run,
            epoch=self._epoch,
            cause=cause,
        )

    def _take(self, event: e.Event) -> None:
        self.state = self._fold_in(self.state, event)
        self.log.append(event)
        started = _started(event)
        assert started not in self.flying, "what has started is never started again"
        self.flying += [started] if started else []
        if isinstance(event, e.HookStarted):
            self.asked[event.hook] = event
        elif isinstance(event, e.RunEnded):
            self.flying = [id for id in self.flying if id not in self.asked]
            self.asked.clear()
        self._watch(self.state, event)


def _noted(notes: Sequence[str]) -> list[e.Event]:
    return [e.NoteAdded(text, "capability:test") for text in notes]


def _started(event: e.Event) -> str:
    match event:
        case e.StepStarted(step=id) | e.ToolStarted(call=id) | e.HookStarted(hook=id):
            return id
        case _:
            return ""
