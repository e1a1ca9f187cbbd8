"""Programs that run other programs: which words of theirs are a command, or text for a shell."""

import re
from itertools import pairwise

from msgspec import Struct

from longrein.workspace.shell.script import Command, Word


class Wrapper(Struct, frozen=True):
    """How a command follows the words of a program that runs it.

    `flags` are letters of options alone, `valued` of those with a value behind them; `long` are the
    long options whose value is the next word. `operands` stand before the command, `assigns`: so
    may `NAME=value`. `joins`: the words are joined into a line for a shell. `same`: the command
    runs as it would by itself: with the same words, as the same user, on the same machine.
    """

    flags: str = ""
    valued: str = ""
    long: tuple[str, ...] = ()
    operands: int = 0
    assigns: bool = False
    joins: bool = False
    same: bool = False


WRAPPERS: dict[str, Wrapper] = {
    "builtin": Wrapper(),
    "busybox": Wrapper(),
    "caffeinate": Wrapper("dimsu", "tw", same=True),
    "chronic": Wrapper("ev", same=True),
    "chroot": Wrapper(operands=1),
    "chrt": Wrapper("abdfimoprRv", "TPD", operands=1),
    "command": Wrapper("p", same=True),
    "coproc": Wrapper(),
    "dbus-run-session": Wrapper(),
    "doas": Wrapper("Lns", "aCu"),
    "env": Wrapper("i0v", "uC", ("--unset", "--chdir"), assigns=True),
    "eval": Wrapper(joins=True),
    "exec": Wrapper("cl", "a"),
    "fakeroot": Wrapper("hv", "lsib"),
    "firejail": Wrapper(),
    "flock": Wrapper("exsnuo", "wE", ("--timeout", "--wait", "--conflict-exit-code"), 1),
    "gdb": Wrapper(),
    "ionice": Wrapper("t", "cnpPu", same=True),
    "ltrace": Wrapper("cCfLSiTtr", "aAeDlnopusx"),
    "nice": Wrapper("", "n", ("--adjustment",), same=True),
    "nohup": Wrapper(same=True),
    "numactl": Wrapper(),
    "parallel": Wrapper("kvuX0mt", "jnIaLNdS", joins=True),
    "pkexec": Wrapper("", "", ("--user",)),
    "prlimit": Wrapper(),
    "proxychains": Wrapper("q", "f"),
    "rlwrap": Wrapper(),
    "runuser": Wrapper("lmp", "ugGs", ("--user",)),
    "setarch": Wrapper("BFILRSTXZv3", operands=1),
    "setpriv": Wrapper(),
    "setsid": Wrapper("cfw", same=True),
    "ssh": Wrapper("AaCfGgKkMNnqsTtVvXxYy", "BbcDEeFIiJLlmOopQRSWw", operands=1, joins=True),
    "stdbuf": Wrapper("", "ioe", ("--input", "--output", "--error"), same=True),
    "strace": Wrapper("CDcdfFhiknqrtTvVwxyzZ", "abeEIoOpPsSuUX"),
    "sudo": Wrapper("AbBEeHiKklNnPSsVv", "CDghpRrTtUu", ("--user", "--group"), assigns=True),
    "systemd-run": Wrapper("dGPqrSt", "HMpu", assigns=True),
    "taskset": Wrapper("ac", "p", operands=1),
    "time": Wrapper("aplqvV", "fo", ("--format", "--output"), same=True),
    "timeout": Wrapper("v", "ks", ("--kill-after", "--signal"), operands=1, same=True),
    "torsocks": Wrapper(),
    "unbuffer": Wrapper("p", same=True),
    "unshare": Wrapper("cCfimnprUuT", "GRSw"),
    "watch": Wrapper("bcdegptxw", "nq", ("--interval",), joins=True),
    "xargs": Wrapper("0eiloprtx", "adEILnPs"),
    "xvfb-run": Wrapper("al", "efnpsw"),
}
"""Behind an option that is not known here, the command may begin at any word."""

MOST_GUESSED = 16

SHELLS = frozenset("sh bash dash zsh ksh mksh ash fish rbash tcsh csh".split())
INTERPRETERS = SHELLS | frozenset(
    "python python2 python3 perl ruby node deno bun php lua Rscript osascript pwsh tclsh".split()
)

GIT_VALUED = frozenset(
    "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env "
    "--attr-source".split()
)
"""Options before git's own command whose value may be the next word."""


class Inner(Struct, frozen=True):
    """What a command runs in turn: words, or a line for a shell. `sure`: exactly this."""

    what: tuple[Word, ...] | str
    sure: bool


def inner(command: Command) -> list[Inner]:
    """What the program of a command runs, as far as its words tell."""
    name, words = command.name, command.words
    found = list[Inner]()
    if wrapper := WRAPPERS.get(name):
        found += _wrapped(wrapper, words)
    if name in SHELLS or name in ("su", "runuser", "script", "flock"):
        found += _after_c(words)
    if name in SHELLS:
        found += [Inner(text, False) for text in command.here]
    if name == "find":
        found += _executed(words)
    if name == "git":
        found += _by_git(words)
    if name == "trap" and len(words) > 2:
        found.append(Inner(words[1].text, False))
    if name == "alias":
        found += [Inner(word.text.partition("=")[2], False) for word in words[1:]]
    return found


def subcommand(words: tuple[Word, ...]) -> int:
    """The place of git's own command among its words; behind the last where there is none."""
    place = 1
    while place < len(words) and words[place].text.startswith("-"):
        place += 2 if words[place].text in GIT_VALUED else 1
    return min(place, len(words))


_ASSIGNS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_WITH_C = re.compile(r"-[A-Za-z]*c[A-Za-z]*|--command")


def _wrapped(wrapper: Wrapper, words: tuple[Word, ...]) -> list[Inner]:
    place, known = _command_place(wrapper, words)
    if not known:
        anywhere = range(1, len(words))
        return [
            Inner(words[at:], False)
            for at in anywhere[:MOST_GUESSED]
            if not words[at].text.startswith("-")
        ]
    if place >= len(words):
        return []
    rest = words[place:]
    if wrapper.joins:
        return [Inner(" ".join(word.text for word in rest), False)]
    return [Inner(rest, wrapper.same)]


def _command_place(wrapper: Wrapper, words: tuple[Word, ...]) -> tuple[int, bool]:
    """Where the command begins, and whether every word before it is known."""
    place, known = 1, True
    while place < len(words) and words[place].text.startswith("-"):
        option = words[place].text
        place += 1
        if option == "--":
            break
        if option.startswith("--"):
            name, given, _ = option.partition("=")
            known &= name in wrapper.long
            place += name in wrapper.long and not given
        else:
            letters = option[1:]
            at = next((n for n, one in enumerate(letters) if one not in wrapper.flags), -1)
            if at >= 0:
                known &= letters[at] in wrapper.valued
                place += at == len(letters) - 1
    place += wrapper.operands
    while wrapper.assigns and place < len(words) and _ASSIGNS.match(words[place].text):
        place += 1
    return place, known


def _after_c(words: tuple[Word, ...]) -> list[Inner]:
    """The text behind `-c`, as in `bash -lc '...'`."""
    at = next((n for n, word in enumerate(words) if n and _WITH_C.fullmatch(word.text)), 0)
    texts = [word for word in words[at + 1 :] if not word.text.startswith(("-", "+"))] if at else []
    # With further options the shell may read files of its own before.
    exactly = len(words) == 3 and at == 1 and words[1].text == "-c"
    return [Inner(texts[0].text, exactly and texts[0].literal)] if texts else []


def _executed(words: tuple[Word, ...]) -> list[Inner]:
    """What `find` runs for the files that it finds, whose names are not on the line."""
    found, at = list[Inner](), 0
    while at < len(words):
        if words[at].text in ("-exec", "-execdir", "-ok", "-okdir"):
            ends = (n for n in range(at, len(words)) if words[n].text in (";", "+", "\\;"))
            end = next(ends, len(words))
            found.append(Inner(words[at + 1 : end], False))
            at = end
        at += 1
    return [one for one in found if one.what]


def _by_git(words: tuple[Word, ...]) -> list[Inner]:
    """What git is told to run on its own command line."""
    texts = [word.text for word in words]
    at = subcommand(words)
    found = [
        Inner(setting.partition("=")[2].lstrip("!"), False)
        for option, setting in pairwise(texts[: at + 1])
        if option == "-c"
    ]
    match texts[at : at + 2]:
        case ["submodule", "foreach"]:
            rest = [text for text in texts[at + 2 :] if not text.startswith("-")]
            found.append(Inner(" ".join(rest), False))
        case ["bisect", "run"]:
            found.append(Inner(words[at + 2 :], False))
        case ["rebase" | "filter-branch" | "difftool" | "mergetool", *_]:
            found += [
                Inner(text.partition("=")[2] or following, False)
                for text, following in zip(texts[at:], [*texts[at + 1 :], ""], strict=True)
                if text.startswith(("-x", "--exec", "--extcmd"))
                or text.partition("=")[0].endswith("-filter")
            ]
        case _:
            pass
    return [one for one in found if one.what]
