"""Whatever happens, in whatever order: the log folds, the loop rests, the thread goes on."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from msgspec.structs import replace

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import Settled
from longrein.core.outcomes import Aborted, Waiting
from longrein.core.records import Point
from longrein.loop.setup import Shared
from longrein.permissions.evaluate import Allow
from longrein.tools.reach import ChangeState, Effect, EnterMode, Fact
from tests.loop.always import Watch
from tests.loop.moves import KINDS, command, pick
from tests.loop.simulate import Decision, Then, Wish, World
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

POINTS: tuple[Point, ...] = ("before_run", "before_model", "before_tool", "before_finish")
DECISIONS: dict[str, tuple[Decision, ...]] = {
    "before_run": ("passed", "noted", "passed", "noted", "refused"),
    "before_model": ("passed", "noted", "passed", "noted", "refused"),
    "before_tool": ("passed", "refused", "changed"),
    "before_finish": ("passed", "go_on"),
}
CHANGED = ('{"path":"/c"}', "{}", "not JSON", '{"path":"/a"}')
EFFECTS: tuple[tuple[Effect, ...], ...] = (
    (),
    (ChangeState({"name": "x"}), Fact("done", 1)),
    (ChangeState(lambda old: {**old, "count": old.get("count", 0) + 1}),),
    (EnterMode("plan"),),
    (EnterMode("bare"), ChangeState({"mode": "bare"})),
)
NOTES: tuple[tuple[str, ...], ...] = ((), (), ("By the way.",))

number = st.integers(0, 23)


class AnyCourse(RuleBasedStateMachine):
    """A person, a model, tools, hooks, a clock and a process that dies, each at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.begin(frozenset())

    @initialize(points=st.frozensets(st.sampled_from(POINTS)))
    def begin(self, points: frozenset[Point]) -> None:
        made = kit(parallel=PARALLEL)
        made = replace(made, setup=replace(made.setup, hooks=points, shared=Shared()))
        self.watch = Watch(made.setup)
        self.world = World(made, self.watch)

    @rule(kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=3), n=number)
    def told(self, kinds: list[str], n: int) -> None:
        commands = [command(self.world, kind, n) for kind in kinds]
        before = self.world.state
        answers = self.world.tell_at_once(*commands)
        if all(isinstance(answer, UsageError) for answer in answers):
            assert self.world.state is before

    @rule(kind=st.sampled_from(["send", "queue", "steer", "signal", "proceed", "output"]), n=number)
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

    @precondition(lambda self: self.world.state.approvals)
    @rule(kind=st.sampled_from(["remember", "change"]), n=number)
    def approved_in_another_way(self, kind: str, n: int) -> None:
        self.world.tell_at_once(command(self.world, kind, n))

    @precondition(lambda self: self.world.setup.all_grants(self.world.state))
    @rule(n=number)
    def revoked(self, n: int) -> None:
        self.world.tell(command(self.world, "revoke", n))

    @precondition(lambda self: self.world.state.approvals or self.world.state.questions)
    @rule(kinds=st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=3), n=number)
    def answered(self, kinds: list[str], n: int) -> None:
        self.world.tell_at_once(*(command(self.world, kind, n) for kind in kinds))

    @precondition(lambda self: not self.world.state.run)
    @rule(kind=st.sampled_from(["send", "output"]), n=number)
    def sent(self, kind: str, n: int) -> None:
        self.world.tell_at_once(command(self.world, kind, n))

    @rule(wishes=st.lists(st.sampled_from(WISHES), min_size=1, max_size=6), passing=st.booleans())
    def got_to_work(self, wishes: list[Wish], passing: bool) -> None:
        """The short way to tool calls and approvals, which chance seldom finds."""
        world = self.world
        if world.state.run is None:
            world.send()
        while world.state.step is None and world.asked:
            world.answer_hook(next(iter(world.asked)))
        if world.speaking and not world.cancelled:
            world.reply("", *wishes)
        if passing:
            self.hooks_pass()

    @precondition(lambda self: self.world.speaking)
    @rule(
        wishes=st.lists(st.sampled_from(WISHES), min_size=1, max_size=6),
        notes=st.sampled_from(NOTES),
    )
    def called(self, wishes: list[Wish], notes: tuple[str, ...]) -> None:
        self.world.reply("", *wishes, notes=notes)

    @precondition(lambda self: self.world.speaking)
    @rule(
        text=st.sampled_from(["done", "", "  "]),
        stop=st.sampled_from(["end", "length"]),
        fits=st.booleans(),
        notes=st.sampled_from(NOTES),
    )
    def replied(self, text: str, stop: str, fits: bool, notes: tuple[str, ...]) -> None:
        run = self.world.state.run
        misfit = "It is not an object." if run and run.output and not fits else ""
        self.world.reply(text, stop=stop, misfit=misfit, notes=notes)

    @precondition(lambda self: self.world.speaking)
    @rule(then=st.sampled_from(THENS))
    def failed(self, then: Then) -> None:
        self.world.fail(then)

    @precondition(lambda self: self.world.cancelled)
    @rule(n=number, said=st.sampled_from(["", "I was about"]))
    def stopped(self, n: int, said: str) -> None:
        self.world.stop_flying(pick(self.world.cancelled, n), said)

    @precondition(lambda self: self.world.working)
    @rule(
        n=number,
        status=st.sampled_from(ENDS),
        effects=st.sampled_from(EFFECTS),
        notes=st.sampled_from(NOTES),
    )
    def ended(
        self, n: int, status: Settled, effects: tuple[Effect, ...], notes: tuple[str, ...]
    ) -> None:
        self.world.end(pick(self.world.working, n), status, effects=effects, notes=notes)

    @precondition(lambda self: self.world.working)
    @rule(n=number, choices=st.sampled_from([(), ("yes", "no")]), several=st.booleans())
    def asked(self, n: int, choices: tuple[str, ...], several: bool) -> None:
        self.world.ask(pick(self.world.working, n), choices, several=several)

    @precondition(lambda self: self.world.working)
    @rule(n=number, path=st.sampled_from(["/moved/here", "/moved/away", "/a"]))
    def touched_something_else(self, n: int, path: str) -> None:
        self.world.reexamine(pick(self.world.working, n), path)

    @precondition(lambda self: self.world.asked)
    @rule()
    def hooks_passed(self) -> None:
        self.hooks_pass()

    def hooks_pass(self) -> None:
        for hook in list(self.world.asked):
            if hook in self.world.asked:
                self.world.answer_hook(hook)

    @precondition(lambda self: self.world.asked)
    @rule(
        n=number,
        choice=number,
        effects=st.sampled_from(EFFECTS),
        notes=st.sampled_from(NOTES),
    )
    def hooks_answered(
        self, n: int, choice: int, effects: tuple[Effect, ...], notes: tuple[str, ...]
    ) -> None:
        hook = pick(list(self.world.asked.values()), n)
        decision = pick(DECISIONS.get(hook.point, ("passed", "noted")), choice)
        given = pick(CHANGED, choice // 3)
        self.world.answer_hook(hook.hook, decision, arguments=given, effects=effects, notes=notes)

    @precondition(lambda self: self.world.resting.wait.timer)
    @rule()
    def time_passed(self) -> None:
        self.world.due()

    @rule(n=number)
    def crashed(self, n: int) -> None:
        if n < 4:  # else hardly any run would come far
            self.world.crash()

    @precondition(lambda self: self.world.state.seq > 20)
    @rule(n=number)
    def forked(self, n: int) -> None:
        if n < 2:
            self.world.fork()

    @invariant()
    def somebody_is_waited_for(self) -> None:
        """A run never hangs: something is in flight, a person is asked, or a timer is set."""
        world = self.world
        if world.state.run is not None:
            people = (*world.state.approvals, *world.state.questions)
            assert world.awaited or people or world.resting.wait.timer

    @invariant()
    def nobody_is_asked_what_the_policy_allows(self) -> None:
        state, setup = self.world.state, self.world.setup
        for approval in state.approvals:
            call = state.call(approval.call)
            action = setup.action(state, call) if call else None
            if call and action:
                assert not isinstance(setup.verdict(state, action, call.answered), Allow)

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


TestAnyCourse = AnyCourse.TestCase
TestAnyCourse.settings = settings(
    max_examples=100, stateful_step_count=50, deadline=None, derandomize=True
)
