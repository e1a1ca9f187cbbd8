"""The tree of sessions, as decisions see it: what is above, and what those below have used."""

from collections.abc import Collection, Sequence
from itertools import product

from longrein.context.prompt import Offer
from longrein.core.children import Child
from longrein.core.outcomes import LimitReached
from longrein.core.policy import Grant, Rule, Trust
from longrein.core.state import Run, State, Step
from longrein.core.usage import Limits, Spent, Usage
from longrein.loop.setup import ModeFacts, Setup, ToolFacts
from longrein.loop.tree import Ledger
from longrein.permissions.evaluate import Action, Allow, Ask, Deny, Verdict

TOOLS = {name: ToolFacts(name, "edit") for name in ("write", "own")}
MODES = {"default": ModeFacts("default", TOOLS)}
STRICT = (Allow, Ask, Deny)
ACTION = Action("write", "edit")


class Above:
    """A parent with these rules, trust and grants, and one tool."""

    def __init__(self, rules: tuple[Rule, ...], trust: Trust, grants: tuple[Grant, ...]) -> None:
        self._setup = Setup(MODES, "default", rules=rules)
        self._state = State(trust=trust, grants=grants)

    def rules(self) -> tuple[tuple[str, Rule], ...]:
        return self._setup.sourced_rules(self._state)

    def grants(self) -> tuple[Grant, ...]:
        return self._state.grants

    def trust(self) -> Trust:
        return self._state.trust

    def chain(self) -> tuple[str, ...]:
        return ("test:parent",)

    def shows(self, tool: str) -> bool:
        return tool == "write"

    def verdict(
        self, action: Action, answered: Collection[str], grants: Sequence[Grant]
    ) -> Verdict:
        return self._setup.verdict(self._state, action, answered, grants)

    def offer(self) -> Offer:
        raise AssertionError

    def left(self) -> int | None:
        return None

    def over(self) -> LimitReached | None:
        return None


def test_a_child_never_may_do_more_than_its_parent() -> None:
    action = Action("write", "edit")
    rules = [Rule("allow"), Rule("ask", category="edit"), Rule("deny", tool="write")]
    rules += [Rule("allow", tool="write"), Rule("ask", tool="write", always=True)]
    some = [(), *((rule,) for rule in rules), tuple(rules[:2]), tuple(rules[3:])]
    trusts: tuple[Trust, ...] = ("ask", "edits", "plan", "yolo")
    grants = ((), (Grant("g1", "default:edit", tool="write"),))
    for held, own, trust, wished, given in product(some, some, trusts, trusts, grants):
        above = Above(held, trust, given)
        setup = Setup(MODES, "default", rules=own, above=above)
        verdict = setup.verdict(State(trust=wished, trust_chosen=True), action)
        parents = above.verdict(action, (), ())
        assert STRICT.index(type(verdict)) >= STRICT.index(type(parents)), (held, own, trust)


def test_one_yes_answers_what_both_ask() -> None:
    above = Above((Rule("ask", tool="write", id="above"),), "ask", ())
    setup = Setup(MODES, "default", rules=(Rule("ask", tool="write", id="own"),), above=above)
    asked = setup.verdict(State(), Action("write", "edit"))
    assert isinstance(asked, Ask)
    assert set(asked.rules) == {"above", "own"}
    assert isinstance(setup.verdict(State(), Action("write", "edit"), asked.rules), Allow)


def test_a_yes_that_a_child_remembers_answers_what_is_asked_above_but_no_deny() -> None:
    state = State(grants=(Grant("g1", "above", tool="write"),))
    asks, always = (Rule("ask", tool="write", id="above", always=one) for one in (False, True))
    deny = Rule("deny", tool="write", id="deny")
    found = [
        type(Setup(MODES, "default", above=Above(rules, "yolo", ())).verdict(state, ACTION))
        for rules in ((asks,), (always,), (asks, deny))
    ]
    assert found == [Allow, Ask, Deny]


def test_a_child_has_the_trust_of_its_parent_until_somebody_chooses_its_own() -> None:
    def trust(above: Trust, *, chosen: bool) -> Trust:
        setup = Setup(MODES, "default", above=Above((), above, ()))
        return setup.trust(State(trust="ask", trust_chosen=chosen))

    assert [trust("yolo", chosen=False), trust("yolo", chosen=True)] == ["yolo", "ask"]
    assert trust("plan", chosen=True) == "plan"


def test_tools_that_are_not_shown_above_are_hidden_but_for_a_childs_own() -> None:
    above = Above((), "ask", ())
    assert Setup(MODES, "default", above=above).hidden(State()) == {"own"}
    assert Setup(MODES, "default", above=above, own=frozenset({"own"})).hidden(State()) == set()


def test_a_child_without_a_model_uses_its_parents() -> None:
    above = Above((), "ask", ())
    assert Setup(MODES, "default", above=above).chain(State()) == ("test:parent",)
    assert Setup(MODES, "default", ("test:own",), above=above).chain(State()) == ("test:own",)


def _spent(cost: int) -> Spent:
    return Spent(Usage(1, 1), cost, 0, 1)


def test_a_ledger_counts_what_is_reserved_and_every_child_once() -> None:
    ledger, child, below = Ledger("thr_1"), Ledger("thr_2"), Ledger("thr_3")
    ledger.children["thr_2"] = child
    child.children["thr_3"] = below
    below.state = State(thread="thr_3", spent=_spent(1), step=Step("s", 1, "m", reserved=10))
    child.state = State(
        thread="thr_2", spent=_spent(100), below=_spent(1000), children=(Child("thr_3", "c", "a"),)
    )
    run = Run("run_1", Limits(), 0, spent=_spent(5))
    ended = Child("thr_9", "c", "a", state="finished", spent=_spent(10_000), run="run_1")
    state = State(
        thread="thr_1",
        spent=_spent(10_000_000),
        below=_spent(10_000),
        run=run,
        children=(ended, Child("thr_2", "c", "a", run="run_1")),
    )
    assert ledger.whole(state).cost == 10_011_111
    assert ledger.beneath(state, "run_1").cost == 1_111
    assert ledger.beneath(state, "run_0").cost == 0
    assert ledger.run(state, run).spent.cost == 1_116
    assert ledger.run(state, run).spent.steps == 1


def test_a_fork_that_has_not_begun_has_used_nothing() -> None:
    ledger = Ledger("thr_2")
    ledger.state = State(thread="thr_1", spent=_spent(5))
    assert ledger.whole() == Spent()
