"""`touching`: everything that policy needs to know of a shell line.

Commands are written in one way: words quoted where they need it, one blank between them,
assignments in front. What a line runs inside other programs and substitutions stands beside it.
Where the line is not proven to run exactly these commands, each begins with `UNSURE`, and the line
itself is one of them.
"""

import re
from functools import lru_cache
from shlex import quote

from msgspec import Struct

from longrein.permissions.matching import LINE, UNSURE
from longrein.workspace.shell.dangerous import Finding, findings
from longrein.workspace.shell.places import resolved
from longrein.workspace.shell.running import Running, running
from longrein.workspace.shell.safe import Proof, prove
from longrein.workspace.shell.script import Command, Redirection, Word
from longrein.workspace.shell.wrappers import subcommand

KEPT = 16
"""A call is judged, then shown: so many lines are read only once for both."""


class ShellFacts(Struct, frozen=True):
    """What a line runs and does, for rules and for people.

    `writes` and `reads` are the files of its redirections, absolute. `problem` says why allow rules
    cannot go by its commands, and is empty where they can. `proof` says whether it may run unasked,
    `findings` what in it is dangerous. `harmless` are the commands that are proven by themselves.
    """

    commands: tuple[str, ...]
    writes: tuple[str, ...]
    reads: tuple[str, ...]
    proof: Proof
    findings: tuple[Finding, ...]
    problem: str = ""
    harmless: tuple[str, ...] = ()


@lru_cache(KEPT)
def touching(line: str, folder: str) -> ShellFacts:
    """Everything about a line that is run in a folder (absolute, links resolved).

    >>> facts = touching("timeout 5 git push > log.txt", "/project")
    >>> facts.commands, facts.writes
    (('timeout 5 git push', 'git push'), ('/project/log.txt',))
    >>> facts.proof.safe, facts.proof.reason
    (False, 'it writes or reads a file by a redirection')
    >>> touching("rm $X", "/project").commands
    ('? rm $X', '? line: rm $X')
    """
    run = running(line, folder)
    writes, reads, unresolved = _redirected(run, folder)
    problem = run.unproven or unresolved
    proof, found = prove(run, folder), findings(run, folder)
    texts = _texts(run, problem)
    return ShellFacts(texts, writes, reads, proof, found, problem, _harmless(run, proof))


_SPLITS = re.compile(r"\$\{?IFS[^}\s]*\}?|[{},]")
"""What may part a word into several: rm${IFS}x and {rm,x} are two words."""


def _texts(run: Running, problem: str) -> tuple[str, ...]:
    texts = [text for command in run.commands for text in _forms(command)]
    if not problem:
        return tuple(dict.fromkeys(texts))
    # The whole line too: a yes to it is no yes to one of its commands alone.
    marked = [UNSURE + text for text in (*texts, f"{LINE}{run.script.line}")]
    return tuple(dict.fromkeys(marked))


def _harmless(run: Running, proof: Proof) -> tuple[str, ...]:
    """The commands that are proven wherever they stand in the line."""
    proven = frozenset(proof.commands)
    others = {text for one in run.commands if one not in proven for text in _forms(one)}
    texts = dict.fromkeys(text for one in proof.commands for text in _forms(one))
    return tuple(text for text in texts if text not in others)


def _forms(command: Command) -> list[str]:
    """The command in words, and what else it is where a rule restricts."""
    assigned = [f"{name}={_quoted(word)}" for name, word in command.assignments]
    words = [_quoted(word) for word in command.words]
    if not words:
        return [" ".join(assigned)] if assigned else []
    first, rest = command.words[0], words[1:]
    if "=" in first.text and "'" not in words[0]:
        words[0] = f"'{words[0]}'"  # or it would look like an assignment
    forms = [[*assigned, *words]]
    if not all(word.literal for _, word in command.assignments):
        forms.append(words)  # where the assignment ends cannot be seen in the text
    if command.name == "git" and (at := subcommand(command.words)) > 1:
        forms.append([words[0], *words[at:]])
    if not first.literal:
        forms += [[*_SPLITS.sub(" ", first.text).split(), *rest], [command.name, *rest]]
    return [" ".join(form) for form in forms]


def _quoted(word: Word) -> str:
    guessed = quote(word.text)
    # A guess that needs no quotes, such as that for $'rm', is what a rule is about.
    return guessed if word.literal or guessed == word.text else word.raw


def _redirected(run: Running, folder: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """The files written, those read, and why they may be others."""
    writes, reads, problem = list[str](), list[str](), ""
    own = (one for command in run.commands for one in command.redirections)
    for one in (*run.redirections, *own):
        if _is_no_file(one):
            continue
        path = resolved(one.target.text, folder)
        if path is None or not one.target.literal:
            problem = problem or "it cannot be told which file it writes or reads"
        if path:
            (reads if one.operator == "<" else writes).append(path)
    return tuple(dict.fromkeys(writes)), tuple(dict.fromkeys(reads)), problem


def _is_no_file(one: Redirection) -> bool:
    copies = one.operator in (">&", "<&") and (one.target.text.isdigit() or one.target.text == "-")
    return copies or one.target.text == "/dev/null"
