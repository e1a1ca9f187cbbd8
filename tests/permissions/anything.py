"""Any action, rule, grant and mode of trust, from a small world in which they often meet."""

from collections.abc import Sequence
from typing import get_args

from hypothesis import settings
from hypothesis import strategies as st

from longrein.core.policy import Category, Grant, Rule, Touches, Trust
from longrein.permissions.evaluate import Action, Allow, Ask, Deny, Verdict
from longrein.permissions.matching import is_specific
from longrein.permissions.patterns import literal

quick = settings(deadline=None, derandomize=True, max_examples=200)

CATEGORIES: tuple[Category, ...] = get_args(Category)
TRUSTS: tuple[Trust, ...] = get_args(Trust)
PATHS = ("/project/a", "/project/.env", "/etc")
PATH_PATTERNS = ("/project/**", "**/.env", "/etc", "**")
COMMANDS = ("git status", "rm -r .", "? rm $X", "A=b /bin/rm x")
COMMAND_PATTERNS = ("git *", "rm *", "*")
HOSTS = ("example.com", "api.example.com")
HOST_PATTERNS = ("*.example.com", "example.com", "*")

tools = st.sampled_from(["write", "look"])
categories = st.sampled_from(CATEGORIES)
trusts = st.sampled_from(TRUSTS)
names = st.sampled_from(["", "r1", "r2"])
values = st.sampled_from(["a", "b", True, ["a", "b"], [], {"c": "a"}])
arguments = st.dictionaries(st.sampled_from(["x", "y"]), values, max_size=2)
patterns = st.dictionaries(
    st.sampled_from(["x", "y", "x.c"]), st.sampled_from(["a", "*", "?", "true"]), max_size=1
)
effects = st.sampled_from(["allow", "ask", "deny"])


def some(of: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    """None, one or two of these."""
    return st.lists(st.sampled_from(of), max_size=2).map(tuple)


def perhaps(of: tuple[str, ...]) -> st.SearchStrategy[str]:
    """One of these, or more often none."""
    return st.just("") | st.just("") | st.sampled_from(of)


def _proven(commands: Sequence[str]) -> tuple[Rule, ...]:
    """What a tool says itself of single commands."""
    return tuple(Rule("allow", command=literal(one)) for one in commands)


proven = st.lists(st.sampled_from(COMMANDS), max_size=2).map(_proven)
touches = st.builds(Touches, some(PATHS), some(COMMANDS), some(HOSTS), proven)
actions = st.builds(Action, tools, categories, arguments, touches)
rule = st.builds(
    Rule,
    effects,
    tool=st.just("") | tools,
    category=st.just("") | categories,
    id=names,
    always=st.booleans(),
    arguments=st.just(dict[str, str]()) | patterns,
    path=perhaps(PATH_PATTERNS),
    command=perhaps(COMMAND_PATTERNS),
    host=perhaps(HOST_PATTERNS),
)
rules = st.lists(rule, max_size=4)
asked = st.sampled_from(
    ["r1", "r2", "trust:plan", "ask:write", *(f"default:{c}" for c in CATEGORIES)]
)
grant = st.builds(
    Grant,
    st.just("grant_1"),
    asked,
    tool=st.just("") | tools,
    category=st.just("") | categories,
    arguments=st.just(dict[str, str]()) | patterns,
    paths=some(PATH_PATTERNS),
    commands=some(COMMAND_PATTERNS),
    hosts=some(HOST_PATTERNS),
)
grants = st.lists(grant, max_size=3)

# A smaller world, in which several allows and grants often permit together what a line touches.
RUN, WRITTEN = ("git status", "rm -r .", "ls"), ("/project/a", "/etc")
RUN_PATTERNS, WRITTEN_PATTERNS = ("git *", "rm *", "ls", "*"), ("/project/**", "/etc")
lines = st.builds(
    Action,
    st.just("look"),
    st.just("execute"),
    touches=st.builds(
        Touches,
        some(WRITTEN),
        st.lists(st.sampled_from(RUN), min_size=1, max_size=3, unique=True).map(tuple),
        judged=st.lists(st.sampled_from(RUN), max_size=1).map(_proven),
    ),
)
allows = st.lists(
    st.builds(
        Rule, st.just("allow"), command=perhaps(RUN_PATTERNS), path=perhaps(WRITTEN_PATTERNS)
    ).filter(is_specific),
    max_size=4,
)
asks = st.lists(
    st.sampled_from(
        [
            Rule("ask", id="r1"),
            Rule("ask", category="execute", id="r1"),
            Rule("ask", tool="look", id="r1"),
            Rule("ask", path="**", id="r1"),
            Rule("ask", command="git *", id="r1"),
        ]
    ),
    max_size=1,
)
yeses = st.lists(
    st.builds(
        Grant,
        st.just("grant_1"),
        st.sampled_from(["r1", "default:execute"]),
        paths=some(WRITTEN_PATTERNS),
        commands=some(RUN_PATTERNS),
    ),
    max_size=2,
)


def strictness(verdict: Verdict) -> int:
    """0 for allow, 1 for ask, 2 for deny."""
    return (Allow, Ask, Deny).index(type(verdict))


def level(rule: Rule) -> int:
    """How specific a rule is, said again and independently."""
    return 4 if is_specific(rule) else 3 if rule.tool else 2 if rule.category else 1
