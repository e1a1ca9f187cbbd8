"""Whatever happens, in whatever order: the log folds, the loop rests, the thread goes on."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import Settled
from longrein.core.outcomes import Aborted, Waiting
from tests.loop.always import Watch
from tests.loop.moves import KINDS, command, pick
from tests.loop.simulate import Then, Wish, World
from tests.loop.tools import kit

WISHES: tuple[Wish, ...] = (
    ("look", "{}"),
    ("peek", '{"path":"/a"}'),
    ("peek", '{"path":"/b"}'),
    ("survey", "{}"),
    ("write", '{"path":"/a"}'),
    ("write", "not JSON"),
    ("deploy", "{}"),
    ("check", ""),
    ("fetch", '{"url":"x"}'),
    ("task", "{}"),
    ("confirm", "{}"),
    ("nothing", "{}"),
)
ENDS: tuple[Settled, ...] = ("ok", "error", "timeout", "interrupted")
THENS: tuple[Then, ...] = ("retry", "next", "fail")
ANSWERS = ("approve", "remember", "change", "decline", "stop", "replace", "answer", "steer")
PARALLEL = 3

number = st.integers(0, 11)


class AnyCourse(RuleBasedStateMachine):
    """A person, a model, tools, a clock and a process that dies, each at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.watch = Watch(PARALLEL)
        self.world = World(kit(parallel=PARALLEL), self.watch)

    @rule(kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=3), n=number)
    def told(self, kinds: list[str], n: int) -> None:
        commands = [command(self.world, kind, n) for kind in kinds]
        before = self.world.state
        answers = self.world.tell_at_once(*commands)
        if all(isinstance(answer, UsageError) for answer in answers):
            assert self.world.state is before

    @rule(kind=st.sampled_from(["send", "queue", "steer", "signal", "proceed"]), n=number)
    def said(self, kind: str, n: int) -> None:
        self.world.tell_at_once(command(self.world, kind, n))

    @precondition(lambda self: self.world.state.run)
    @rule(kind=st.sampled_from(["send", "steer"]), n=number)
    def said_and_taken_back(self, kind: str, n: int) -> None:
        said = command(self.world, kind, n)
        self.world.tell(said)
        self.world.tell(c.WithdrawInput(said.id, id=self.world.ids.new("cmd")))

    @precondition(lambda self: self.world.state.queue)
    @rule(kind=st.sampled_from(["withdraw", "edit", "reorder", "interrupt", "release"]), n=number)
    def changed_the_queue(self, kind: str, n: int) -> None:
        self.world.tell(command(self.world, kind, n))

    @precondition(lambda self: self.world.state.approvals or self.world.state.questions)
    @rule(kinds=st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=3), n=number)
    def answered(self, kinds: list[str], n: int) -> None:
        self.world.tell_at_once(*(command(self.world, kind, n) for kind in kinds))

    @precondition(lambda self: not self.world.state.run)
    @rule(n=number)
    def sent(self, n: int) -> None:
        self.world.tell(command(self.world, "send", n))

    @precondition(lambda self: _speaking(self.world))
    @rule(wishes=st.lists(st.sampled_from(WISHES), min_size=1, max_size=6))
    def called(self, wishes: list[Wish]) -> None:
        self.world.reply("", *wishes)

    @precondition(lambda self: _speaking(self.world))
    @rule(text=st.sampled_from(["done", "", "  "]), stop=st.sampled_from(["end", "length"]))
    def replied(self, text: str, stop: str) -> None:
        self.world.reply(text, stop=stop)

    @precondition(lambda self: _speaking(self.world))
    @rule(then=st.sampled_from(THENS))
    def failed(self, then: Then) -> None:
        self.world.fail(then)

    @precondition(lambda self: self.world.cancelled)
    @rule(n=number, said=st.sampled_from(["", "I was about"]))
    def stopped(self, n: int, said: str) -> None:
        self.world.stop_flying(pick(self.world.cancelled, n), said)

    @precondition(lambda self: _working(self.world))
    @rule(n=number, status=st.sampled_from(ENDS))
    def ended(self, n: int, status: Settled) -> None:
        self.world.end(pick(self.world.flying, n), status)

    @precondition(lambda self: _working(self.world))
    @rule(n=number, choices=st.sampled_from([(), ("yes", "no")]), several=st.booleans())
    def asked(self, n: int, choices: tuple[str, ...], several: bool) -> None:
        self.world.ask(pick(self.world.flying, n), choices, several=several)

    @precondition(lambda self: self.world.resting.wait.timer)
    @rule()
    def time_passed(self) -> None:
        self.world.due()

    @rule()
    def crashed(self) -> None:
        self.world.crash()

    @precondition(lambda self: self.world.state.seq > 20)
    @rule()
    def forked(self) -> None:
        self.world.fork()

    @invariant()
    def somebody_is_waited_for(self) -> None:
        """A run never hangs: something flies, a person is asked, or a timer is set."""
        world = self.world
        if world.state.run is not None:
            people = (*world.state.approvals, *world.state.questions)
            assert world.flying or people or world.resting.wait.timer

    def teardown(self) -> None:
        world = self.world
        world.settle()
        assert world.state.run is None
        assert not [i for i in world.state.queue if i.kind != "signal" or i.wake]
        waiting = {i.id for i in world.state.queue}
        for input in world.promised.keys() - waiting:
            outcome = world.standing(input)
            assert outcome is not None
            assert not isinstance(outcome, Waiting)
            assert outcome != Aborted("withdrawn") or input in _given_up(world)
        self.watch.whole_log_agrees()


def _given_up(world: World) -> set[str]:
    """Inputs that have no run of their own: withdrawn, or signals that wake nobody."""
    withdrawn = {event.input for event in world.log if isinstance(event, e.InputWithdrawn)}
    admitted = [event.input for event in world.log if isinstance(event, e.InputAdmitted)]
    return withdrawn | {i.id for i in admitted if i.kind == "signal" and not i.wake}


def _speaking(world: World) -> bool:
    step = world.state.step
    return step is not None and step.id in world.flying


def _working(world: World) -> bool:
    return bool(world.flying) and not _speaking(world)


TestAnyCourse = AnyCourse.TestCase
TestAnyCourse.settings = settings(
    max_examples=120, stateful_step_count=50, deadline=None, derandomize=True
)
