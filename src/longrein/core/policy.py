"""Policy as values: what an action touches, standing rules, remembered answers, modes of trust.

Rules and grants stand in events, which are read for ever: what is valid here once stays valid.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import force_setattr

from longrein.core.errors import UsageError

Category: TypeAlias = Literal["read", "edit", "execute", "network", "delegate", "other"]
"""What a tool does, as rules see it."""

CATEGORIES: tuple[str, ...] = get_args(Category)
EFFECTS = ("allow", "ask", "deny")

Trust: TypeAlias = Literal["ask", "edits", "plan", "yolo"]
"""How much a person leaves to the agent; `plan` is reading only."""

Scope: TypeAlias = Literal["run", "thread", "resource"]
"""For how long an answer is remembered."""


class Touches(Struct, frozen=True, omit_defaults=True):
    """What a call would really touch, as its tool found out.

    `paths` are absolute and canonical (links resolved, no `..`); `commands` those that a shell
    line really runs; `hosts` the names or addresses that are connected to, without scheme and port.
    `judged` is what the tool's own rules say of this very call: they weigh as much as any rule that
    goes by what is touched.

    Raises `UsageError` for anything else: a rule about `/etc/passwd` would not see `etc/passwd`.

    >>> from longrein import Touches
    >>> Touches(paths=("/project/notes.md",), hosts=("example.com",)).hosts
    ('example.com',)
    """

    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    judged: "tuple[Rule, ...]" = ()

    def __post_init__(self) -> None:
        for path in self.paths:
            if not path.startswith("/") or _UNTIDY.search(path):
                raise UsageError(
                    f"A tool says that it touches the path {path!r}; it must be absolute, "
                    "without '.', '..', '//' and a slash at the end."
                )
        for host in self.hosts:
            if not host or "[" in host or _NO_HOST.search(host):
                raise UsageError(
                    f"A tool says that it touches the host {host!r}; it must be a name or an "
                    "address, without scheme, user, port, path and brackets."
                )
        if not all(self.commands):
            raise UsageError("A tool says that it touches an empty command; leave it out.")


class Rule(Struct, frozen=True, omit_defaults=True):
    """Standing policy for a tool, a category, what is touched, or (all empty) everything.

    A rule is about the actions that all of its fields fit. Deny always wins. `tool` is the whole
    name of one tool. `arguments` are patterns by the name of an argument (`options.force` reaches
    into an object); these, `path`, `command` and `host` may hold `*`, `**` and `?`. `always`: an
    ask that no grant and no mode of trust answers.

    Raises `UsageError` for an effect or a category that there is not, and for a pattern that
    nothing can match: a deny with a slip of the pen would deny nothing.

    >>> from longrein import Rule
    >>> Rule("deny", category="edit", path="/project/**/.env").path
    '/project/**/.env'
    >>> Rule("deny", path="../secrets/**")
    Traceback (most recent call last):
    longrein.core.errors.UsageError: ...
    """

    effect: Literal["allow", "ask", "deny"]
    tool: str = ""
    category: Category | Literal[""] = ""
    id: str = ""
    always: bool = False
    arguments: Mapping[str, str] = {}
    path: str = ""
    command: str = ""
    host: str = ""

    def __post_init__(self) -> None:
        for given, known in ((self.effect, EFFECTS), (self.category or "other", CATEGORIES)):
            if given not in known:
                raise UsageError(f"A rule cannot have {given!r}; there are: {', '.join(known)}.")
        _check_texts(self)
        if problem := next(_problems(self), ""):
            raise UsageError(f"A rule cannot have {problem}")
        _own(self)

    def __hash__(self) -> int:
        return _hash(self)


class Grant(Struct, frozen=True, omit_defaults=True):
    """A remembered yes: turns what `rule` asks about these actions into allow.

    What it covers is written as in a rule, with two differences. An argument is matched as a whole,
    a list as JSON, and the one with the empty name is all of them together. `paths`, `commands` and
    `hosts` are several patterns: with any of them, or with all arguments together, nothing else may
    be touched.

    A grant with a `run` ends with that run; one with `scope` resource holds in every thread of its
    resource.
    """

    id: str
    rule: str
    tool: str = ""
    category: str = ""
    run: str = ""
    scope: Scope = "thread"
    arguments: Mapping[str, str] = {}
    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _own(self)

    def __hash__(self) -> int:
        return _hash(self)


_UNTIDY = re.compile(r"//|./\Z|(?:\A|/)\.{1,2}(?:/|\Z)", re.DOTALL)
_NO_HOST = re.compile(r"[/\s@]|\A[^:]*:[0-9*]*\Z")
_ESCAPE = re.compile(r"\[.\]", re.DOTALL)
_TOOL = re.compile(r"[A-Za-z0-9_-]*")


def _check_texts(rule: Rule) -> None:
    given = {name: getattr(rule, name) for name in ("tool", "id", "path", "command", "host")}
    given |= {f"arguments[{name!r}]": pattern for name, pattern in rule.arguments.items()}
    for name, text in given.items():
        if not isinstance(text, str):
            raise UsageError(
                f"A rule cannot have {name}={text!r}: it is one text; several need a rule each."
            )


def _problems(rule: Rule) -> Iterator[str]:
    """Why nothing could ever match the rule."""
    if not _TOOL.fullmatch(rule.tool):
        yield (
            f"the tool {rule.tool!r}: tools are named, not matched. Write a rule for each tool, "
            "or one for their category."
        )
    for name in rule.arguments:
        if not all(name.split(".")):
            yield f"an argument named {name!r}; give names, with one dot before each inner one."
    for pattern in (*rule.arguments.values(), rule.path, rule.command, rule.host):
        if "[" in _ESCAPE.sub("", pattern):
            yield f"the pattern {pattern!r}; there are no classes, and [[] is a bracket itself."
    if rule.path and not rule.path.startswith(("/", "**")):
        yield f"the path {rule.path!r}; paths are absolute, so begin with '/' or '**/'."
    if _UNTIDY.search(rule.path):
        yield f"the path {rule.path!r}; leave out '.', '..', '//' and a slash at the end."
    if _NO_HOST.search(rule.host):
        yield f"the host {rule.host!r}; leave out scheme, user, port and path."


def _own(policy: Rule | Grant) -> None:
    """Keep a copy of the arguments: who gave them may change theirs."""
    if policy.arguments:
        force_setattr(policy, "arguments", dict(policy.arguments))


def _hash(policy: Rule | Grant) -> int:
    fields = (getattr(policy, name) for name in policy.__struct_fields__ if name != "arguments")
    return hash((*fields, frozenset(policy.arguments.items())))
