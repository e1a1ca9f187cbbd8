"""From an answer to the grant that remembers it, and from a grant to a line for a person.

The grants made here have no id, run and scope yet: those are for whoever writes them down.
"""

from typing import Literal, TypeAlias, assert_never

from msgspec.structs import replace

from longrein.core.errors import UsageError
from longrein.core.policy import Grant, Touches
from longrein.core.text import printable
from longrein.permissions.matching import LINE, UNSURE, Action, as_text
from longrein.permissions.patterns import exact, literal
from longrein.permissions.prefixes import widened

Remember: TypeAlias = Literal["call", "tool", "category", "rule"]
"""What is remembered: exactly this call, its tool, its category, or what the approval proposes."""

LONGEST_PROPOSED = 2_000
"""Characters of what is touched, or of the arguments: nobody reads more before saying yes."""

LONGEST_SHOWN = 200

_KINDS = {
    "": "",
    "read": " that reads",
    "edit": " that edits files",
    "execute": " that runs commands",
    "network": " that uses the network",
    "delegate": " that gives work to subagents",
}


def propose(action: Action, asking_rule: str) -> Grant | None:
    """The grant that would make asking for this again needless, and little else.

    Goes by exactly what is touched, but by the kind of work of a command that is sure (`widened`);
    where nothing is touched, by exactly these arguments. None where these are too long to be read
    by a person, and where the tool has a rule about the call that always asks.

    >>> action = Action("write", "edit", {"text": "hi"}, Touches(paths=("/project/*.md",)))
    >>> proposal = propose(action, "default:edit")
    >>> proposal.paths, describe(proposal)
    (('/project/[*].md',), 'write on exactly /project/*.md')
    """
    touches = action.touches
    try:
        text = "" if any(_touched(touches)) else as_text(action.arguments)
    except RecursionError:
        return None
    if any(rule.always for rule in touches.judged) or not is_short(touches, text):
        return None
    touched = _touching(Grant("", asking_rule, tool=action.tool), touches)
    if not any(_touched(touches)):
        return _given(touched, text)
    if any(command.startswith(UNSURE) for command in touches.commands):
        return touched
    return replace(touched, commands=tuple(dict.fromkeys(map(widened, touches.commands))))


def is_short(touches: Touches, arguments: str) -> bool:
    """Whether a person reads all of what a yes to a call would cover: what it touches, or else its
    arguments."""
    length = sum(len(one) for some in _touched(touches) for one in some)
    return (length or len(arguments)) <= LONGEST_PROPOSED


def is_wider(proposal: Grant) -> bool:
    """Whether a proposal covers more than exactly the call that it was made for."""
    unsure = any(pattern.startswith(literal(UNSURE)) for pattern in proposal.commands)
    return "" not in proposal.arguments and not unsure


def covering(kind: Remember, action: Action, rule: str, proposal: Grant | None) -> Grant:
    """The grant for one of the ways to remember the answer to what a rule asked about an action.

    Raises `UsageError` where that is not to be had.

    >>> describe(covering("tool", Action("write", "edit"), "default:edit", None))
    'write'
    """
    match kind:
        case "call":
            return _call(action, rule)
        case "tool":
            return Grant("", rule, tool=action.tool)
        case "category":
            return Grant("", rule, category=action.category)
        case "rule":
            if proposal is None:
                raise UsageError(
                    "This approval proposes no rule; remember the call, the tool or the category."
                )
            return replace(proposal, rule=rule)
        case _:
            assert_never(kind)


def describe(grant: Grant) -> str:
    """What a grant allows, as one line that is safe to show.

    >>> describe(Grant("", "ask:shell", tool="shell", commands=("git status", "git log*")))
    'shell running git status, git log*'
    >>> describe(Grant("", "default:network", category="network"))
    'any tool that uses the network'
    """
    parts = [
        f" {word} {', '.join(map(_shown, patterns))}"
        for word, patterns in (
            ("on", grant.paths),
            ("running", _unmarked(grant.commands)),
            ("connecting to", grant.hosts),
        )
        if patterns
    ]
    parts += [
        f" with {_printable(name)} {_shown(pattern)}" if name else f" with {_shown(pattern)}"
        for name, pattern in grant.arguments.items()
    ]
    if not (parts or grant.tool or grant.category):
        return "nothing"
    return (grant.tool or any_tool(grant.category)) + "".join(parts)


def any_tool(category: str) -> str:
    """The tools of a category, or all that there are, in words.

    >>> any_tool("execute"), any_tool("other"), any_tool("")
    ('any tool that runs commands', 'any tool of the category other', 'any tool')
    """
    return f"any tool{_KINDS.get(category, f' of the category {category}')}"


def _call(action: Action, rule: str) -> Grant:
    try:
        text = as_text(action.arguments)
    except RecursionError:
        raise UsageError(
            "The arguments of this call are nested too deep to be remembered; approve it alone."
        ) from None
    return _given(_touching(Grant("", rule, tool=action.tool), action.touches), text)


def _given(grant: Grant, arguments: str) -> Grant:
    # As a whole, not by name: a call with one more argument is another call.
    return replace(grant, arguments={"": literal(arguments)})


def _touching(grant: Grant, touches: Touches) -> Grant:
    paths, commands, hosts = (tuple(map(literal, some)) for some in _touched(touches))
    return replace(grant, paths=paths, commands=commands, hosts=hosts)


def _touched(touches: Touches) -> tuple[tuple[str, ...], ...]:
    return touches.paths, touches.commands, touches.hosts


def _unmarked(patterns: tuple[str, ...]) -> list[str]:
    """Patterns for commands without marks; a line that is unsure stands for all of its commands."""
    mark, line = literal(UNSURE), literal(UNSURE + LINE)
    whole = [one.removeprefix(line) for one in patterns if one.startswith(line)]
    return whole or [one.removeprefix(mark) for one in patterns]


def _shown(pattern: str) -> str:
    """A pattern on one line; one without wildcards as the text that it fits."""
    text = exact(pattern)
    if text is None or text == pattern:
        return _printable(pattern)
    return f"exactly {_printable(text)}"


def _printable(text: str) -> str:
    """The text without anything that moves a cursor or hides a part of it."""
    shown = printable(text[:LONGEST_SHOWN])
    return shown if len(text) <= LONGEST_SHOWN else f"{shown}... ({len(text)} characters)"
