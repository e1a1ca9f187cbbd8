"""`judged`: what the shell's own tables say of a line, as rules for the policy."""

from longrein.core.policy import Rule
from longrein.workspace.shell.commands import ShellFacts

HARMLESS = "shell: proven harmless"


def judged(facts: ShellFacts, tool: str) -> tuple[Rule, ...]:
    """The rules about this very line, for `Touches.judged`.

    A finding always asks. A proven line without findings is allowed; the tool must still ask file
    rules about `facts.proof.reads`. About any other line these tables have nothing to say, and the
    rules and defaults of the application decide. The ids name what was found and never the line, so
    that they stay the same.

    >>> from longrein.workspace.shell.commands import touching
    >>> [(rule.effect, rule.id) for rule in judged(touching("ls", "/project"), "execute")]
    [('allow', 'shell: proven harmless')]
    >>> [(rule.id, rule.always) for rule in judged(touching("rm -r ~", "/project"), "execute")]
    [('shell: removes-root', True)]
    """
    if facts.findings:
        return tuple(
            Rule("ask", tool=tool, id=f"shell: {found.id}", always=True) for found in facts.findings
        )
    return (Rule("allow", tool=tool, id=HARMLESS),) if facts.proof.safe else ()
