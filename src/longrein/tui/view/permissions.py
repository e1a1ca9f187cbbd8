"""What is allowed, asked about and denied, and why a call would be."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longrein.client.ruling import HOLDS, about, covered, name_of
from longrein.core.policy import Grant, Rule
from longrein.tui.view.rows import Row, heading
from longrein.tui.view.tones import EMPTY, Line, Tone, line

if TYPE_CHECKING:
    from longrein.client.port import Explanation

GRANT, RULE, FIXED = "grant:", "rule:", "fixed:"
"""How keys begin: a yes that can be taken back, a rule that can be removed, one that cannot."""

THREAD = "thread"
"""The source of rules that were made in the thread itself."""

_TONES: dict[str, Tone] = {"allow": "good", "ask": "warn", "deny": "bad"}


def permission_rows(grants: Sequence[Grant], rules: Sequence[tuple[str, Rule]]) -> list[Row]:
    """What was remembered, then every rule with where it is from."""
    rows: list[Row] = []
    if grants:
        rows.append(heading("Allowed for always", "d takes it back"))
        rows += [_grant(one) for one in grants]
    rows.append(heading("Rules", "deny always wins; without a rule, changes are asked about"))
    rows += [_rule(number, source, rule) for number, (source, rule) in enumerate(rules)]
    return rows


def _grant(grant: Grant) -> Row:
    words = (HOLDS[grant.scope], f"asked by {grant.rule}")
    return Row(f"{GRANT}{grant.id}", covered(grant), cells=words)


def _rule(number: int, source: str, rule: Rule) -> Row:
    own = source == THREAD
    key = f"{RULE}{name_of(rule)}" if own else f"{FIXED}{number}"
    effect = f"{rule.effect} always" if rule.always else rule.effect
    return Row(key, f"{effect:<6} {about(rule)}", cells=(source,), tone=_TONES[rule.effect])


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
                (about(match.rule), "" if match.decided else "dim"),
                (f"  {match.source}", "dim"),
            )
        )
    lines += [line(f"✓ granted  {covered(one)}", "good") for one in why.grants]
    if why.trust:
        lines.append(line(f"✓ trust ({why.trust}) says yes", "good"))
    return lines
