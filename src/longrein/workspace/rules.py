"""File rules: which files may be read and written. Pure, but for `resolved`.

An ordered list, and the first rule that is about a path decides; where none is, it is allowed. What
permits is read narrowly, what restricts is read widely: an `allow` goes by the path as it is, a
`deny` and an `ask` also by what a careless disk would take for it (case, Unicode forms, dots and
spaces at the end of names), and they are about everything inside a folder that they name.
"""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from longrein.core.errors import UsageError
from longrein.core.policy import EFFECTS, Rule
from longrein.permissions.patterns import exact, literal, matches
from longrein.workspace.paths import fold, folders_above, is_below, join

Operation: TypeAlias = Literal["read", "write"]
Effect: TypeAlias = Literal["allow", "ask", "deny"]

BUILT_IN = "built in"
"""The source of rules that nobody has to give."""


class FileRule(Struct, frozen=True):
    """What holds for files whose paths fit one of the patterns.

    In patterns `*` is any run without a slash, `**` any run, `?` one character; dot files are
    nothing special, and `/dir/**` is also about `/dir`. `always`: an ask that no grant and no mode
    of trust answers. `but` are patterns of what the rule is not about after all. `source` says
    where it is from, to people who look at rules. Raises `UsageError` for a pattern that nothing
    can fit.

    >>> from longrein import FileRule
    >>> FileRule("deny", ("**/.env",)).operations
    ('read', 'write')
    """

    effect: Effect
    paths: tuple[str, ...]
    operations: tuple[Operation, ...] = ("read", "write")
    always: bool = False
    but: tuple[str, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        if self.effect not in EFFECTS or not set(self.operations) <= {"read", "write"}:
            raise UsageError(
                "A file rule is allow, ask or deny, about read and write; this one is "
                f"{self.effect!r} about {self.operations!r}."
            )
        if isinstance(self.paths, str) or not self.paths or not self.operations:
            raise UsageError("A file rule needs at least one path and one operation, in tuples.")
        for path in (*self.paths, *self.but):
            if not path:
                raise UsageError("A file rule cannot have an empty path; '/**' is everything.")
            Rule(self.effect, path=path)

    def __str__(self) -> str:
        always = "always " if self.always else ""
        but = f" but {', '.join(self.but)}" if self.but else ""
        return f"{always}{self.effect} {'+'.join(self.operations)} {', '.join(self.paths)}{but}"


class Verdict(Struct, frozen=True):
    """What holds for a path, and the rule that says so (None: no rule is about it)."""

    effect: Effect
    rule: FileRule | None = None


Policy: TypeAlias = Callable[[str, Operation], Verdict]
"""What holds for a canonical path with links resolved. Must have no effects and take no time."""


def decide(rules: Iterable[FileRule], path: str, operation: Operation) -> Verdict:
    """The verdict of the first rule that is about this.

    >>> rules = [FileRule("allow", ("/docs/**",), ("read",)), FileRule("deny", ("/**",))]
    >>> decide(rules, "/docs/a.md", "read").effect, decide(rules, "/docs/a.md", "write").effect
    ('allow', 'deny')
    >>> decide([FileRule("deny", ("/Secret",))], "/secret/key", "read").effect
    'deny'
    """
    folded = fold(path)
    for rule in rules:
        if operation in rule.operations and _is_about(rule, path, folded):
            return Verdict(rule.effect, rule)
    return Verdict("allow")


def policy(rules: Sequence[FileRule]) -> Policy:
    """A policy made of rules."""
    return _Rules(rules)


def narrowed(rules: Sequence[FileRule], lists: Iterable[Sequence[FileRule]]) -> list[FileRule]:
    """Rules that allow only what they allowed before and each of the lists allows, too.

    >>> own = [FileRule("allow", ("/a/**",)), FileRule("deny", ("/**",))]
    >>> both = narrowed([FileRule("deny", ("/a/key",))], [own])
    >>> [decide(both, path, "read").effect for path in ("/a/b", "/a/key", "/b")]
    ['allow', 'deny', 'deny']
    """
    found = list(rules)
    for own in lists:
        # What is denied anywhere comes first, and only then what somebody wants to be asked about.
        denies = [*_alone(own, "deny"), *_alone(found, "deny")]
        found = [*denies, *_alone(own, "ask"), *found]
    return found


def _alone(rules: Sequence[FileRule], effect: Effect) -> Iterable[FileRule]:
    """The rules of an effect as they are without the others: each without what an earlier rule of
    another effect decides."""
    for place, rule in enumerate(rules):
        if rule.effect != effect:
            continue
        for operation in rule.operations:
            before = (one for one in rules[:place] if one.effect != effect)
            but = (path for one in before if operation in one.operations for path in one.paths)
            yield replace(rule, operations=(operation,), but=(*rule.but, *but))


def resolved(rules: Iterable[FileRule], folder: str) -> tuple[FileRule, ...]:
    """Rules about files of the disk that are also about what the links lead to that they name.

    Only what stands before the first wildcard is looked up. An allow follows no link in `folder`,
    the real path of what is worked in: whoever works there may have put it there.
    """
    return tuple(
        replace(
            rule,
            paths=tuple(dict.fromkeys((*rule.paths, *_led(rule.paths, rule.effect, folder)))),
            but=tuple(dict.fromkeys((*rule.but, *_led(rule.but, "allow", folder)))),
        )
        for rule in rules
    )


def _led(patterns: Iterable[str], effect: Effect, folder: str) -> Iterable[str]:
    for pattern in patterns:
        real, names = "/", pattern.split("/")
        while names and (name := exact(names[0])) is not None:
            if effect == "allow" and is_below(real, folder):
                break
            real = os.path.realpath(join(real, name))
            del names[0]
        # One that begins with a wildcard is left as it is.
        if pattern.startswith("/"):
            yield "/".join((literal(real).rstrip("/"), *names)) or "/"


class _Rules:
    """The policy that rules make. Searches ask it about every file that they find."""

    def __init__(self, rules: Sequence[FileRule]) -> None:
        self._rules = tuple(rules)
        self._needles = {
            operation: {
                (_needle(path), _needle(_folded(path)))
                for rule in rules
                for path in rule.paths
                if rule.effect != "allow" and operation in rule.operations
            }
            for operation in ("read", "write")
        }

    def __call__(self, path: str, operation: Operation) -> Verdict:
        return decide(self._rules, path, operation)

    def doubtful(self, paths: Sequence[str], operation: Operation) -> set[str]:
        """Some of the paths, among them all that a rule restricts (`guarded.Sifting`)."""
        text = "/".join((*paths, ""))
        easy = _lowered(text)
        folding, seen = (str.lower, easy) if easy else (fold, "/".join(map(fold, paths)))
        found: set[str] = set()
        for needle, folded in self._needles[operation]:
            # In most searches no path has a piece of a rule: looking once at all finds that out.
            covered = easy and folded == needle.lower()
            if folded in seen or (not covered and needle in text):
                found.update(path for path in paths if needle in path or folded in folding(path))
        return found


def _lowered(text: str) -> str:
    """Many paths folded at once, where that is easy; "" where it is not."""
    if not text.isascii() or "./" in text or " /" in text:
        return ""
    lowered = text.encode().translate(_LOWER)
    return "" if b"\0" in lowered else lowered.decode()


_LOWER = bytes(0 if byte < 32 or byte == 127 else byte for byte in range(256)).lower()


def _is_about(rule: FileRule, path: str, folded: str) -> bool:
    if any(_fits(pattern, path) for pattern in rule.but):
        return False
    if rule.effect == "allow":
        return any(_fits(pattern, path) for pattern in rule.paths)
    return any(
        _fits(one, seen) or any(_fits(one, above) for above in folders_above(seen))
        for pattern in rule.paths
        for one, seen in ((pattern, path), (_folded(pattern), folded))
        if _needle(one) in seen
    )


def _fits(pattern: str, path: str) -> bool:
    return _needle(pattern) in path and matches(pattern, path, "path")


@lru_cache(maxsize=1_024)
def _needle(pattern: str) -> str:
    """What every path has that fits: rules are asked about each file of a search, and this is
    much sooner found missing than a pattern found not to fit."""
    return max((piece.strip("/") for piece in _WILD.split(pattern)), key=len)


_WILD = re.compile(r"[*?\[\]]")
_folded = lru_cache(maxsize=1_024)(fold)
