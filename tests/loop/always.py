"""What holds after every event, whatever happened before."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from longrein.context.history import conversation
from longrein.core import events as e
from longrein.core.codec import decode_event, decode_state, encode_event, encode_state
from longrein.core.messages import Assistant, Message, ToolResult
from longrein.core.outcomes import Finished
from longrein.core.slices import Folding
from longrein.core.state import State, Step
from longrein.loop.calls import judge
from longrein.loop.setup import Setup
from longrein.permissions.evaluate import Allow


def well_formed(messages: Iterable[Message]) -> None:
    """Each call has one result, in call order, before anything else is said; nothing is empty."""
    seen: set[str] = set()
    waiting: list[str] = []
    for message in messages:
        if isinstance(message, ToolResult):
            assert waiting, "a result without a call"
            assert message.call == waiting.pop(0)
            continue
        assert not waiting, "a call without its result"
        if isinstance(message, Assistant):
            assert message.text.strip() or message.calls, "an empty reply"
            waiting = [call.id for call in message.calls]
            assert seen.isdisjoint(waiting)
            seen.update(waiting)
    assert not waiting


class Watch:
    """Looks at every state that a world comes to, and remembers them all."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._kept: list[tuple[State, bytes]] = []
        self._log: list[e.Event] = []
        self._agreed: dict[str, str] = {}

    def __call__(self, state: State, event: e.Event) -> None:
        before = self._kept[-1][0] if self._kept else State()
        starts_rightly(before, event, self._setup)
        self._only_what_was_agreed_to_runs(before, event)
        self._kept.append((state, encode_state(state)))
        self._log.append(event)
        well_formed(conversation(state))
        if isinstance(event, e.StepStarted):
            assert state.messages, "nothing to answer"
            assert not isinstance(state.messages[-1], Assistant), "nothing to answer"
        if state.run is None:
            assert state.step is None
            assert not state.approvals
            assert not state.questions
        assert state.model == state.models.get(state.mode, ""), "each mode has its own model"
        if state.step is not None:
            _bounds_hold(state.step, self._setup.parallel)
            _people_are_asked_once(state, state.step)

    def _only_what_was_agreed_to_runs(self, before: State, event: e.Event) -> None:
        """A yes is to the arguments that a person saw, or gave."""
        if isinstance(event, e.ApprovalAnswered) and event.decision == "approved":
            asked = next(a for a in before.approvals if a.id == event.approval)
            given = asked.arguments if event.arguments is None else event.arguments
            self._agreed[asked.call] = given
        elif isinstance(event, e.ToolStarted) and (call := before.call(event.call)):
            unasked = judge(before, self._setup, replace(call, answered=()))
            assert isinstance(unasked, Allow) or self._agreed[call.id] == event.arguments

    def whole_log_agrees(self, fold: Folding | None = None) -> None:
        """No old state changed, and folding again, in whatever way, gives the same."""
        fold = fold or Folding()
        for state, then in self._kept:
            assert encode_state(state) == then
        _settled_once(self._log)
        _hooks_answer_once(self._log)
        newest = self._kept[-1][0]
        read = [decode_event(encode_event(event)) for event in self._log]
        assert _folded(fold.begun(State()), read, fold) == newest
        for state, then in self._kept[:: max(len(self._kept) // 8, 1)]:
            rest = self._log[state.seq :]
            assert _folded(state, rest, fold) == newest
            loaded = fold.begun(decode_state(then))
            assert loaded == state
            assert _folded(loaded, rest, fold) == newest


def starts_rightly(before: State, event: e.Event, setup: Setup) -> None:
    """Nothing starts or ends that people, rules or hooks have not let pass as things stand."""
    run, hooks = before.run, setup.hooks
    match event:
        case e.ToolStarted(call=id):
            call = before.call(id)
            assert call is not None
            assert isinstance(judge(before, setup, call), Allow)
            assert call.hook == "passed" or "before_tool" not in hooks
        case e.StepStarted(model=model):
            assert run is not None
            assert not run.stop
            assert not run.hook
            assert run.begun or "before_run" not in hooks
            assert run.primed > run.spent.steps or "before_model" not in hooks
            assert model == setup.model(before, run), "the newest choice of model wins"
        case e.RunEnded(outcome=Finished()):
            assert run is not None
            assert not run.misfit, "an answer that does not fit is not the end"
            assert run.checked or "before_finish" not in hooks
        case _:
            pass


def _folded(state: State, events: Sequence[e.Event], fold: Folding) -> State:
    for event in events:
        state = fold(state, event)
    return state


def _bounds_hold(step: Step, parallel: int) -> None:
    running = [call for call in step.calls if call.phase == "started"]
    assert len(running) <= parallel
    assert len(running) == 1 or not any(call.alone for call in running)
    lanes = [call.lane for call in running if call.lane]
    assert len(lanes) == len(set(lanes))


def _people_are_asked_once(state: State, step: Step) -> None:
    """Exactly the calls that wait for a person have something pending, and each one thing."""
    approvals = {call.id for call in step.calls if call.phase == "approval"}
    questions = {call.id for call in step.calls if call.phase == "question"}
    assert sorted(a.call for a in state.approvals) == sorted(approvals)
    assert sorted(q.call for q in state.questions) == sorted(questions)


def _hooks_answer_once(log: Sequence[e.Event]) -> None:
    """Whoever is asked answers at most once, and only who was asked answers."""
    asked = [event.hook for event in log if isinstance(event, e.HookStarted)]
    answered = [event.hook for event in log if isinstance(event, e.HookEnded)]
    assert len(set(asked)) == len(asked)
    assert len(set(answered)) == len(answered)
    assert set(answered) <= set(asked)


def _settled_once(log: Sequence[e.Event]) -> None:
    """Every call is settled exactly once; a fork settles what it found open by itself."""
    ended = Counter(event.call for event in log if isinstance(event, e.ToolEnded))
    assert not [call for call, times in ended.items() if times > 1]
