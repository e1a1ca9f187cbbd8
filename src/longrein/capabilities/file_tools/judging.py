"""What file rules say about a call, and what a yes to it covers."""

from collections.abc import Iterable

from msgspec import Struct

from longrein.core.policy import Rule, Touches
from longrein.workspace.base import FileSystem, Kind
from longrein.workspace.paths import is_below, join
from longrein.workspace.problems import Refused
from longrein.workspace.rules import FileRule, Operation, Policy, Verdict, decide, policy
from longrein.workspace.searching import EVERYTHING

MOST_INSIDE = 50_000
"""What a folder may hold if each of it has to be held against rules."""


class Need(Struct, frozen=True):
    """What a call does with a path. `chief`: an allow has to be about this; the other needs only
    must not be denied or asked about."""

    operation: Operation
    path: str
    chief: bool = True


def judge(tool: str, rules: Iterable[FileRule], needs: Iterable[Need]) -> tuple[Rule, ...]:
    """What file rules say about a call as a whole: the denies, else the asks, else an allow.

    An allow only if a rule allows every chief need by name.

    >>> rules = [FileRule("allow", ("/docs/**",)), FileRule("deny", ("**/.env",))]
    >>> [rule.effect for rule in judge("edit_file", rules, [Need("write", "/docs/a.md")])]
    ['allow']
    >>> judge("edit_file", rules, [Need("write", "/src/a.py")])
    ()
    """
    kept = tuple(rules)
    verdicts = [(need, decide(kept, need.path, need.operation)) for need in needs]
    for effect in ("deny", "ask"):
        found = dict.fromkeys(one.rule for _, one in verdicts if one.effect == effect and one.rule)
        if found:
            return tuple(Rule(effect, tool, id=name(one), always=one.always) for one in found)
    chief = [one.rule for need, one in verdicts if need.chief]
    named = [name(rule) for rule in chief if rule]
    if not named or len(named) < len(chief):
        return ()
    # With a path: it weighs as what a person said about files.
    return (Rule("allow", tool=tool, path="/**", id=named[0]),)


def name(rule: FileRule) -> str:
    """What a file rule is called in approvals and refusals."""
    return f"file rule: {rule}"


def clearing(rules: tuple[FileRule, ...], touches: Touches) -> Policy:
    """The rules for a call that may run: what they ask about it has been answered.

    Only what is touched was decided on, so only there an ask that was raised counts as answered.
    """
    asked = {one.id for one in touches.judged if one.effect == "ask"}
    if not asked:
        return policy(rules)

    def verdict(path: str, operation: Operation) -> Verdict:
        found = decide(rules, path, operation)
        if found.effect != "ask" or found.rule is None or name(found.rule) not in asked:
            return found
        covered = any(is_below(path, one) for one in touches.paths)
        return Verdict("allow", found.rule) if covered else found

    return verdict


def for_people(rules: tuple[FileRule, ...]) -> Policy:
    """The rules for what a person is shown who is asked: what they deny stays hidden."""

    def verdict(path: str, operation: Operation) -> Verdict:
        found = decide(rules, path, operation)
        return Verdict("allow", found.rule) if found.effect == "ask" else found

    return verdict


class Inner(Struct, frozen=True):
    """Something in a folder."""

    path: str
    kind: Kind
    size: int


class Within(Struct, frozen=True):
    """All that is in a folder, however deep, and how much of it no path can name."""

    found: list[Inner]
    unnamed: int


async def inside(files: FileSystem, path: str, most: int = MOST_INSIDE) -> Within:
    """Everything in a folder, however deep; nothing for what is no folder.

    Raises `Refused` where there is more than `most`.
    """
    found, unnamed = list[Inner](), 0
    stat = await files.stat(path)
    waiting = [path] if stat is not None and stat.kind == "folder" else []
    while waiting:
        folder = waiting.pop()
        listing = await files.entries(folder, EVERYTHING)
        unnamed += listing.unnamed
        for entry in listing.entries:
            one = Inner(join(folder, entry.name), entry.kind, entry.size)
            found.append(one)
            if one.kind == "folder":
                waiting.append(one.path)
        if len(found) > most:
            raise Refused(
                path, f"There is more than {most:,} in this folder. Take the folders in it instead."
            )
    return Within(found, unnamed)
