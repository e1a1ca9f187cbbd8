"""`judged`: what the shell's own tables say of a line, as rules for the policy."""

from longrein.core.policy import Rule
from longrein.permissions.patterns import literal
from longrein.workspace.previews import FOUND
from longrein.workspace.shell.commands import ShellFacts

HARMLESS = "shell: proven harmless"

MOST_NAMED = 50
"""Proven commands and files of theirs, of a line that is not proven: nobody writes more of them."""


def judged(facts: ShellFacts, tool: str) -> tuple[Rule, ...]:
    """The rules about this very line, for `Touches.judged`.

    A finding always asks. A proven line without findings is allowed; the tool must still ask file
    rules about `facts.proof.reads`. Of any other line only the commands that are proven by
    themselves are allowed, with the files that they look at, and the rules and defaults of the
    application decide about the rest. The ids name what was found and never the line, so that they
    stay the same.

    >>> from longrein.workspace.shell.commands import touching
    >>> [(rule.effect, rule.id) for rule in judged(touching("ls", "/project"), "execute")]
    [('allow', 'shell: proven harmless')]
    >>> [rule.command for rule in judged(touching("make | tail -5", "/project"), "execute")]
    ['tail -5']
    >>> [(rule.id, rule.always) for rule in judged(touching("rm -r ~", "/project"), "execute")]
    [('shell: removes-root', True)]
    """
    if facts.findings:
        return tuple(
            Rule("ask", tool=tool, id=f"{FOUND}{found.id}", always=True) for found in facts.findings
        )
    if facts.proof.safe:
        return (Rule("allow", tool=tool, id=HARMLESS),)
    # What a redirection opens is not looked at by the proven command that happens to name it too.
    opened = {*facts.writes, *facts.reads}
    looked_at = [path for path in facts.proof.reads if path not in opened]
    if facts.problem or len(facts.harmless) + len(looked_at) > MOST_NAMED:
        return ()
    return (
        *(Rule("allow", tool=tool, command=literal(one), id=HARMLESS) for one in facts.harmless),
        *(Rule("allow", tool=tool, path=literal(one), id=HARMLESS) for one in looked_at),
    )
