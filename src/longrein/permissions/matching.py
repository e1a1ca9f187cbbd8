"""What a rule is about and what a grant covers: both as a yes or no for one action.

What permits is read narrowly, what restricts is read widely. Where an action has several values
(a list, several paths) an allow and a grant must fit all of them and at least one, a deny and an
ask any. A missing argument fits no allow; for a deny and an ask it is an empty text. An allow or a
grant that goes by what is touched must name every kind of thing that is touched: whoever allows
the command has not allowed the file that its output is written to. `permitted` tells which things
one of them permits, so that several can permit together what each does in part.

A command is a text of words, quoted where they need it, with assignments in front (`A=b git log`).
One that begins with `UNSURE` may be another when it runs, or mean something else because of what
stands around it. An allow or a grant fits it only where its pattern is this very text. A deny or an
ask is also about the command without that mark, without assignments, and without the folder of its
program: `rm *` is about `/bin/rm x`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, cast

from msgspec import Struct

from longrein.core.policy import Category, Grant, Rule, Touches
from longrein.permissions.patterns import Kind, exact, matches

UNSURE = "? "
"""Begins a command that cannot be told for sure; no command in words begins like this."""

LINE = "line: "
"""Before the whole line among the commands of one that is unsure."""


class Action(Struct, frozen=True):
    """What is about to happen: a tool, with what it is given and what it would touch.

    >>> Action("write", "edit", {"path": "a.txt"}, Touches(paths=("/project/a.txt",))).tool
    'write'
    """

    tool: str
    category: Category
    arguments: Mapping[str, Any] = {}
    touches: Touches = Touches()


def for_people(commands: tuple[str, ...]) -> list[str]:
    """Commands without marks, and without the line itself, which is shown anyway.

    >>> for_people(("? rm $X", "? line: rm $X"))
    ['rm $X']
    """
    sure = (command.removeprefix(UNSURE) for command in commands)
    return [command for command in sure if not command.startswith(LINE)]


def is_specific(rule: Rule) -> bool:
    """Whether a rule goes by more than a tool and a category."""
    return bool(rule.arguments or rule.path or rule.command or rule.host)


def is_about(rule: Rule, action: Action) -> bool:
    """Whether all that a rule names fits the action.

    >>> careful = Rule("ask", arguments={"options.force": "true"})
    >>> is_about(careful, Action("push", "network", {"options": {"force": True}}))
    True
    """
    if not _same_tool(rule, action):
        return False
    try:
        fits = _permits if rule.effect == "allow" else _restricts
        return not is_specific(rule) or fits(rule, action)
    except RecursionError:  # arguments nested too deep to be read: what restricts holds
        return rule.effect != "allow"


def covers(grant: Grant, action: Action) -> bool:
    """Whether a grant is about the action; one that names nothing is about none."""
    patterns = _patterns(grant)
    if not (grant.tool or grant.category or grant.arguments or any(patterns)):
        return False
    if not _same_tool(grant, action):
        return False
    exact = "" in grant.arguments or any(patterns)
    try:
        fits = _fit_arguments(grant, action)
        return fits and (not exact or _touched_only(patterns, action.touches))
    except RecursionError:
        return False


Thing: TypeAlias = tuple[Kind, str]
"""A path, a command or a host that is touched."""


def things(touches: Touches) -> list[Thing]:
    """Everything that is touched, each thing once.

    >>> things(Touches(paths=("/project/a",), commands=("ls", "ls")))
    [('path', '/project/a'), ('command', 'ls')]
    """
    touched = zip(_KINDS, _kinds(touches), strict=True)
    return list(dict.fromkeys((kind, value) for kind, values in touched for value in values))


def permitted(policy: Rule | Grant, action: Action) -> frozenset[Thing]:
    """The things that an allow or a grant names; none where it is about other calls.

    One that names several kinds permits a thing only where all that is touched of the other kinds
    fits too: whoever lets a command write a file has not let another command write it.

    >>> touches = Touches(commands=("git add a", "ls"), hosts=("example.com",))
    >>> permitted(Rule("allow", command="git *"), Action("shell", "execute", {}, touches))
    frozenset({('command', 'git add a')})
    """
    patterns = _patterns(policy)
    try:
        if not (any(patterns) and _same_tool(policy, action) and _fit_arguments(policy, action)):
            return frozenset()
    except RecursionError:  # arguments nested too deep to be read permit nothing
        return frozenset()
    named = [one for one in zip(patterns, _kinds(action.touches), _KINDS, strict=True) if one[0]]
    unfit = {kind for some, values, kind in named if not _all_fit(some, values, kind)}
    return frozenset(
        (kind, value)
        for some, values, kind in named
        if unfit <= {kind}
        for value in values
        if any(_fits(pattern, value, kind) for pattern in some)
    )


def as_text(value: Any) -> str:
    """An argument as patterns see it: a text as it is, everything else as compact JSON.

    >>> as_text("a b"), as_text({"b": [1, None], "a": True}), as_text(2.0)
    ('a b', '{"a":true,"b":[1,null]}', '2')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 2.0 is 2 to every tool that takes a whole number
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)


_Patterns: TypeAlias = tuple[tuple[str, ...], ...]
_KINDS: tuple[Kind, ...] = ("path", "command", "host")
_ASSIGNMENTS = re.compile(
    r"(?:[A-Za-z_][A-Za-z0-9_]*=(?:'[^']*'|\"[^\"]*\"|[^\s'\"])* )+(?=.)", re.DOTALL
)
_PROGRAM = re.compile(r"'[^']*/([^'/\s]+)'|[^\s'\"]*/([^\s'\"/]+)")


def _same_tool(policy: Rule | Grant, action: Action) -> bool:
    return policy.tool in ("", action.tool) and policy.category in ("", action.category)


def _permits(rule: Rule, action: Action) -> bool:
    patterns = _patterns(rule)
    fits = _fit_arguments(rule, action)
    return fits and (not any(patterns) or _touched_only(patterns, action.touches))


def _fit_arguments(policy: Rule | Grant, action: Action) -> bool:
    """Whether an allow or a grant is about these arguments, a grant about each as a whole."""
    whole = isinstance(policy, Grant)
    return all(
        _all_fit(
            (pattern,),
            [as_text(value) for value in _reach(action.arguments, name)]
            if whole
            else _values(action.arguments, name),
        )
        for name, pattern in policy.arguments.items()
    )


def _patterns(policy: Rule | Grant) -> _Patterns:
    """The patterns for paths, for commands and for hosts."""
    if isinstance(policy, Grant):
        return policy.paths, policy.commands, policy.hosts
    return tuple((one,) if one else () for one in (policy.path, policy.command, policy.host))


def _restricts(rule: Rule, action: Action) -> bool:
    touched = zip((rule.path, rule.command, rule.host), _kinds(action.touches), _KINDS, strict=True)
    return all(
        any(matches(pattern, value, kind) for value in _widely(values, kind))
        for pattern, values, kind in touched
        if pattern
    ) and all(
        any(matches(pattern, value) for value in _values(action.arguments, name) or [""])
        for name, pattern in rule.arguments.items()
    )


def _touched_only(patterns: _Patterns, touches: Touches) -> bool:
    """Whether nothing else is touched than what fits, and of each kind with patterns something."""
    return all(
        _all_fit(some, values, kind) if some else not values
        for some, values, kind in zip(patterns, _kinds(touches), _KINDS, strict=True)
    )


def _all_fit(
    patterns: tuple[str, ...], values: list[str] | tuple[str, ...], kind: Kind = "text"
) -> bool:
    return bool(values) and all(
        any(_fits(pattern, value, kind) for pattern in patterns) for value in values
    )


def _fits(pattern: str, value: str, kind: Kind) -> bool:
    if kind == "command" and value.startswith(UNSURE):
        return exact(pattern) == value
    return matches(pattern, value, kind)


def _widely(values: tuple[str, ...], kind: Kind) -> Iterator[str]:
    """The values, and of commands what else they are to a rule that restricts."""
    yield from values
    for command in values if kind == "command" else ():
        sure = command.removeprefix(UNSURE)
        alone = sure[found.end() :] if (found := _ASSIGNMENTS.match(sure)) else sure
        program = _PROGRAM.match(alone)
        yield from (sure, alone)
        if program:
            yield (program[1] or program[2]) + alone[program.end() :]


def _kinds(touches: Touches) -> _Patterns:
    return touches.paths, touches.commands, touches.hosts


def _values(arguments: Mapping[str, Any], name: str) -> list[str]:
    """The texts that an argument comes to, the items of a list one by one."""
    return [as_text(item) for value in _reach(arguments, name) for item in _items(value)]


def _reach(value: Any, name: str) -> Iterator[Any]:
    """What stands under a name with dots, in every way to read it; the empty name is the whole."""
    if not name:
        yield value
    elif isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Any]", value).items():
            if name == key:
                yield inner
            elif key and name.startswith(f"{key}."):
                yield from _reach(inner, name[len(key) + 1 :])
    elif isinstance(value, list | tuple):
        for item in cast("list[Any]", value):
            yield from _reach(item, name)


def _items(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for item in cast("list[Any]", value):
            yield from _items(item)
    else:
        yield value
