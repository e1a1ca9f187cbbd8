"""Whatever was said, done, rewound and undone: back means back, and every way of folding agrees."""

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from msgspec.structs import replace

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.codec import decode_event, decode_state, encode_event, encode_state
from longrein.core.errors import UsageError
from longrein.core.messages import Message
from longrein.core.slices import Folding, Slice
from longrein.core.state import State
from longrein.tools.reach import Effect, Fact
from tests.loop.always import Watch
from tests.loop.moves import pick
from tests.loop.simulate import World
from tests.loop.tools import kit

PAGE = 7


Facts = tuple[Any, ...]


def keeping(kind: str) -> Callable[[Facts, e.Event], Facts]:
    """A fold that keeps the facts of a kind."""

    def fold(kept: Facts, event: e.Event) -> Facts:
        if not isinstance(event, e.Recorded) or event.kind not in (kind, "restored"):
            return kept
        return (*kept, event.data)

    return fold


TOLD = Slice("told", Facts, (), keeping("told"), rewinds="conversation")
FILES = Slice("files", Facts, (), keeping("files"), rewinds="files")
ALWAYS = Slice("always", Facts, (), keeping("always"))
SLICES = Folding([TOLD, FILES, ALWAYS])
NONE = Folding()

number = st.integers(0, 23)


class Oracle:
    """Remembers what the thread was before each event that it can go back to."""

    def __init__(self) -> None:
        self.watch = Watch(kit().setup)
        self.before = SLICES.begun(State())
        self.then: dict[int, State] = {}
        self.expected: dict[tuple[str, int], list[Message]] = {}
        self.undone = self.rewound = 0

    def __call__(self, state: State, event: e.Event) -> None:
        self.watch(state, event)
        before, self.before = self.before, state
        if isinstance(event, e.RunStarted | e.InputPromoted):
            self.then[event.seq] = before
            for mark in state.marks:
                if mark.seq == event.seq:
                    said = list(state.messages[: mark.length])
                    self.expected[mark.input, mark.seq] = said
                    assert said[: len(before.messages)] == list(before.messages)
        elif isinstance(event, e.Rewound):
            self.then[event.seq] = before
            self._went_back(before, state, event)

    def _went_back(self, before: State, after: State, event: e.Rewound) -> None:
        then = self.then[event.before]
        told = then if event.conversation else before
        files = then if event.files else before
        assert _value(after, TOLD) == _value(told, TOLD)
        # A fold sees the event, too, and what restoring recorded comes after it.
        assert _value(after, FILES) == _value(files, FILES)
        assert _value(after, ALWAYS) == _value(before, ALWAYS)
        if event.undo:
            self.undone += 1
            assert _conversation(after) == _conversation(then)
        elif event.conversation:
            self.rewound += 1
            assert list(after.messages) == self.expected[event.to, event.before]
            named = [(one.input, one.seq) for one in before.marks]
            assert after.marks == before.marks[: named.index((event.to, event.before))]
            assert after.heard <= len(after.messages)
        else:
            assert _conversation(after) == _conversation(before)
        for field in ("rules", "grants", "queue", "spent", "mode", "model", "settings", "data"):
            assert getattr(after, field) == getattr(before, field)


def _conversation(state: State) -> tuple[Any, ...]:
    return list(state.messages), state.marks, state.told, state.heard, state.last


def _value(state: State, one: Slice[Any]) -> Any:
    return state.slices[one.name].value


class AnyRewind(RuleBasedStateMachine):
    """A person who says things and goes back, and an agent that does things."""

    def __init__(self) -> None:
        super().__init__()
        self.oracle = Oracle()
        self.world = World(kit(), self.oracle, SLICES)

    @rule(kind=st.sampled_from(["send", "send", "queue", "steer", "signal", "proceed"]), n=number)
    def said(self, kind: Any, n: int) -> None:
        self.world.tell_at_once(self.world.saying(kind, f"said {n}", wake=bool(n % 3)))

    @rule(kind=st.sampled_from(["told", "files", "always"]), n=number)
    def recorded(self, kind: str, n: int) -> None:
        self.world.tell(c.Record(kind, n, id=self.world.ids.new("cmd")))

    @precondition(lambda self: self.world.speaking and not self.world.cancelled)
    @rule(n=number, calls=st.booleans())
    def replied(self, n: int, calls: bool) -> None:
        wishes = [("look", "{}"), ("write", '{"path":"/a"}')][: n % 3] if calls else []
        self.world.reply("done" if not wishes else "", *wishes)

    @precondition(lambda self: self.world.speaking)
    @rule(retry=st.booleans())
    def failed(self, retry: bool) -> None:
        self.world.fail("retry" if retry else "fail")

    @precondition(lambda self: self.world.working)
    @rule(n=number)
    def ended(self, n: int) -> None:
        effects: tuple[Effect, ...] = (Fact("told", n), Fact("files", n), Fact("always", n))
        self.world.end(pick(self.world.working, n), effects=effects[: n % 4])

    @precondition(lambda self: self.world.state.approvals)
    @rule(yes=st.booleans())
    def decided(self, yes: bool) -> None:
        if yes:
            self.world.approve()
        else:
            self.world.decline(self.world.state.approvals[0].id)

    @precondition(lambda self: self.world.cancelled)
    @rule(said=st.sampled_from(["", "I was about"]))
    def stopped(self, said: str) -> None:
        self.world.stop_flying(self.world.cancelled[0], said)

    @precondition(lambda self: self.world.state.marks)
    @rule(n=number, what=st.sampled_from([(True, True), (False, True), (True, False)]))
    def rewound(self, n: int, what: tuple[bool, bool]) -> None:
        mark = pick(self.world.state.marks, n)
        to = mark.run if n % 5 == 0 else mark.input
        self._rewind(c.Rewind(to, *what, id=self.world.ids.new("cmd")))

    @precondition(lambda self: self.world.state.undo)
    @rule()
    def undid(self) -> None:
        self._rewind(c.Rewind(undo=True, id=self.world.ids.new("cmd")))

    def _rewind(self, command: c.Rewind) -> None:
        world = self.world
        before, busy = world.state, bool(world.flying)
        (answer,) = world.tell_at_once(command)
        if busy:
            assert isinstance(answer, UsageError)
            assert world.state is before
        else:
            assert not isinstance(answer, UsageError)
            assert answer.status == "applied"
            assert world.state.run is None
            assert world.state.queue == before.queue

    @precondition(lambda self: self.world.state.undo and not self.world.state.run)
    @rule()
    def undid_and_did_again(self) -> None:
        before = _conversation(self.world.state)
        self.undid()
        self.undid()
        assert _conversation(self.world.state) == before

    @rule(n=number)
    def crashed_or_forked(self, n: int) -> None:
        if n < 2:
            self.world.crash()
        elif n == 2:
            self.world.fork()

    def teardown(self) -> None:
        self.oracle.watch.whole_log_agrees(SLICES)
        folding_again_agrees(self.world.log, self.world.state)


def folding_again_agrees(log: Sequence[e.Event], newest: State) -> None:
    """Slices that were not there, or not always, come to know the same."""
    read = [decode_event(encode_event(event)) for event in log]
    for count in range(0, len(log) + 1, max(len(log) // 4, 1)):
        carried = _reopened(_folded(SLICES, read[:count]), SLICES, NONE)
        without = _folded(NONE, read[count:], carried)
        kept = SLICES.begun(decode_state(encode_state(NONE.stamped(without))))
        while (after := SLICES.behind(kept)) is not None:
            kept = SLICES.catch_up(kept, read[after : after + PAGE])
        assert _plain(kept) == _plain(newest)


def _folded(folding: Folding, events: Sequence[e.Event], state: State | None = None) -> State:
    state = folding.begun(State()) if state is None else state
    for event in events:
        state = folding(state, event)
    return state


def _reopened(state: State, before: Folding, after: Folding) -> State:
    return after.begun(decode_state(encode_state(before.stamped(state))))


def _plain(state: State) -> State:
    """A state without what counts only in a snapshot."""
    return replace(
        state, slices={name: replace(kept, upto=0) for name, kept in state.slices.items()}
    )


TestAnyRewind = AnyRewind.TestCase
TestAnyRewind.settings = settings(
    max_examples=75, stateful_step_count=40, deadline=None, derandomize=True
)
