"""What holds after every event, whatever happened before."""

from collections import Counter
from collections.abc import Iterable, Sequence

from longrein.context.history import conversation
from longrein.core import events as e
from longrein.core.codec import decode_event, decode_state, encode_event, encode_state
from longrein.core.evolve import evolve
from longrein.core.messages import Assistant, Message, ToolResult
from longrein.core.state import State, Step


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

    def __init__(self, parallel: int = 8) -> None:
        self._parallel = parallel
        self._kept: list[tuple[State, bytes]] = []
        self._log: list[e.Event] = []

    def __call__(self, state: State, event: e.Event) -> None:
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
        if state.step is not None:
            _bounds_hold(state.step, self._parallel)
            _people_are_asked_once(state, state.step)

    def whole_log_agrees(self) -> None:
        """No old state changed, and folding again, in whatever way, gives the same."""
        for state, then in self._kept:
            assert encode_state(state) == then
        _settled_once(self._log)
        newest = self._kept[-1][0]
        read = [decode_event(encode_event(event)) for event in self._log]
        assert _folded(State(), read) == newest
        for state, then in self._kept[:: max(len(self._kept) // 8, 1)]:
            rest = self._log[state.seq :]
            assert _folded(state, rest) == newest
            assert decode_state(then) == state
            assert _folded(decode_state(then), rest) == newest


def _folded(state: State, events: Sequence[e.Event]) -> State:
    for event in events:
        state = evolve(state, event)
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


def _settled_once(log: Sequence[e.Event]) -> None:
    """Every call is settled exactly once; a fork settles what it found open by itself."""
    ended = Counter(event.call for event in log if isinstance(event, e.ToolEnded))
    assert not [call for call, times in ended.items() if times > 1]
