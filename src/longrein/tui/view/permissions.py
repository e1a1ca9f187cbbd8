"""What is allowed, asked about and denied, and why a call would be."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longrein.client.remembering import where_asked
from longrein.client.ruling import HOLDS, about, covered, name_of
from longrein.core.policy import Grant, Rule
from longrein.tui.view.header import short_place
from longrein.tui.view.rows import Row, heading
from longrein.tui.view.tones import EMPTY, Line, Tone, line

if TYPE_CHECKING:
    from longrein.client.port import Explanation, FileRule

GRANT, RULE, FIXED = "grant:", "rule:", "fixed:"
"""How keys begin: a yes that can be taken back, a rule that can be removed, one that cannot."""

THREAD, HARNESS = "thread", "harness"
"""The sources of rules that were made in the thread itself, and of those of settings."""

TOOL = "tool"
"""The source of what a tool itself says of a call: its name tells more than what it is about."""

_SOURCES = {HARNESS: "settings", "": "workspace"}

_TONES: dict[str, Tone] = {"allow": "good", "ask": "warn", "deny": "bad"}


def permission_rows(
    grants: Sequence[Grant],
    rules: Sequence[tuple[str, Rule]],
    files: Sequence["FileRule"] = (),
    place: str = "",
    home: str = "",
) -> list[Row]:
    """What was remembered, then every rule with where it is from, and those about files, whose
    paths begin at the place of work where they are in it. `home` is the person's own folder."""
    rows: list[Row] = []
    if grants:
        rows.append(heading("Always allowed", "Ctrl+X takes it back"))
        rows += [_grant(one) for one in grants]
    rows.append(heading("Rules", "deny always wins; without a rule, changes are asked about"))
    rows += [_rule(number, source, rule) for number, (source, rule) in enumerate(rules)]
    # What the harness says of paths stands among its rules.
    own = [one for one in files if one.source != HARNESS]
    if own:
        rows.append(heading("Files", "for file tools and commands; the first that fits decides"))
        pairs = [(rule, path.removeprefix(f"{place}/")) for rule in own for path in rule.paths]
        rows += [_file_rule(len(rules) + n, *pair, home) for n, pair in enumerate(pairs)]
    return rows


def _grant(grant: Grant) -> Row:
    where = where_asked(grant.rule)
    return Row(f"{GRANT}{grant.id}", covered(grant), where, (HOLDS[grant.scope],), words=grant.rule)


def _rule(number: int, source: str, rule: Rule) -> Row:
    own = source == THREAD
    key = f"{RULE}{name_of(rule)}" if own else f"{FIXED}{number}"
    words, source = f"{_effect(rule)}{about(rule)}", _SOURCES.get(source, source)
    return Row(key, words, cells=(source,), tone=_TONES[rule.effect])


def _effect(rule: "Rule | FileRule") -> str:
    """What a rule comes to, as wide for all: what is about it stands in a column."""
    return f"{rule.effect:<6} {'always ' if rule.always else ''}"


def _file_rule(number: int, rule: "FileRule", path: str, home: str) -> Row:
    what = " and ".join(rule.operations)
    but = f" but {', '.join(rule.but)}" if rule.but else ""
    words = f"{_effect(rule)}{what} {path}{but}"
    source = short_place(_SOURCES.get(rule.source, rule.source), home)
    return Row(f"{FIXED}{number}", words, cells=(source,), tone=_TONES[rule.effect])


def explained(why: "Explanation") -> list[Line]:
    """The verdict, and all that had a say in it."""
    lines: list[Line] = [
        ((why.verdict, _TONES[why.verdict]), ("  ", ""), (why.text, "")),
        EMPTY,
    ]
    for match in why.matches:
        mark = "✓" if match.decided else " "
        lines.append(
            (
                (f"{mark} {match.rule.effect:<5} ", _TONES[match.rule.effect]),
                (_what(match.rule, match.source), "" if match.decided else "dim"),
                (f"  {_SOURCES.get(match.source, match.source)}", "dim"),
            )
        )
    lines += [line(f"✓ granted  {covered(one)}", "good") for one in why.grants]
    if why.trust:
        lines.append(line(f"✓ trust ({why.trust}) says yes", "good"))
    return lines


def _what(rule: Rule, source: str) -> str:
    return name_of(rule) if source == TOOL else about(rule)


def explained_file(path: str, uses: Sequence[tuple[str, "Explanation | str"]]) -> list[Line]:
    """What would become of reading and of writing a file; a text says why that is not known."""
    lines: list[Line] = []
    for use, why in uses:
        lines += [EMPTY] if lines else []
        lines.append(line(f"To {use} {path}", "dim"))
        lines += [line(why, "bad")] if isinstance(why, str) else explained(why)
    return lines
