"""What in a git command is dangerous."""

import re

from longrein.workspace.shell.script import Command
from longrein.workspace.shell.wrappers import subcommand

HELPERS = re.compile(
    r"(?i)(?:core\.(?:hookspath|fsmonitor|pager|editor|sshcommand|askpass|gitproxy|attributesfile"
    r"|alternaterefscommand|worktree)|alias\..*|pager\..*|diff\.external|diff\..*\.(?:textconv|command)"
    r"|difftool\..*|mergetool\..*|merge\..*\.driver|filter\..*|credential\..*|gpg\..*|sequence\.editor"
    r"|interactive\.difffilter|include(?:if)?\..*|protocol\..*|remote\..*\.(?:uploadpack|receivepack|vcs)"
    r"|uploadpack\..*|ssh\..*|man\..*|browser\..*|instaweb\..*|sendemail\..*|url\..*|init\.templatedir"
    r"|trailer\..*)(?:=.*)?"
)
"""Settings that name a program, or from where settings are read."""


def overwrites_remote(command: Command) -> bool:
    """A push that replaces or removes what is there."""
    name, words = _git(command)
    forces = ("--force", "--mirror", "--delete", "--prune", "--force-with-lease")
    return name == "push" and any(
        word.startswith(("+", ":")) or word.partition("=")[0] in forces or _has(word, "fd")
        for word in words
    )


def loses_work(command: Command) -> bool:
    """What is not committed, or only on a branch, would be gone."""
    name, words = _git(command)
    match name:
        case "reset":
            return bool({"--hard", "--merge", "--keep"} & {*words})
        case "clean":
            return any(_has(word, "f") or word == "--force" for word in words)
        case "checkout" | "switch":
            forced = any(
                _has(word, "f") or word in ("--force", "--discard-changes") for word in words
            )
            return forced or (name == "checkout" and bool({".", "--"} & {*words}))
        case "restore":
            return "--staged" not in words or "--worktree" in words
        case "branch" | "tag":
            return any(_has(word, "D" if name == "branch" else "d") for word in words)
        case "stash":
            return bool({"drop", "clear"} & {*words[:1]})
        case "worktree":
            return words[:1] == ("remove",) and any(_has(word, "f") for word in words)
        case "rm":
            return any(_has(word, "rf") for word in words)
        case _:
            return False


def rewrites(command: Command) -> bool:
    """Commits that are there would be others, or removed for good."""
    name, words = _git(command)
    match name:
        case "filter-branch" | "filter-repo" | "replace" | "prune":
            return True
        case "reflog":
            return bool({"expire", "delete"} & {*words[:1]})
        case "gc":
            return any(word.startswith("--prune") for word in words)
        case "update-ref":
            return bool(words)
        case "rebase":
            return "--root" in words
        case _:
            return False


def sets_helper(command: Command) -> bool:
    """A setting or an option that names a program which git then runs."""
    if command.name != "git":
        return False
    name, words = _git(command)
    if any(HELPERS.fullmatch(one.removeprefix("-c")) for one in command.arguments):
        return name != "config" or not {"--get", "--list", "-l", "--get-all"} & {*words}
    runs = ("--ext-diff", "--textconv", "--open-files-in-pager", "--exec-path", "--upload-pack")
    runs += ("--receive-pack", "--exec", "--extcmd", "--config-env")
    if any(one.partition("=")[0] in runs and one != "--exec-path" for one in command.arguments):
        return True
    pages = name == "grep" and any(_has(word, "O") for word in words)
    return pages or any(re.match(r"ext::|fd::", word) for word in words)


def _git(command: Command) -> tuple[str, tuple[str, ...]]:
    """Git's own command and the words behind it; nothing where it is another program."""
    at = subcommand(command.words)
    if command.name != "git" or at >= len(command.words):
        return "", ()
    return command.words[at].text, tuple(word.text for word in command.words[at + 1 :])


def _has(word: str, letters: str) -> bool:
    return word[:1] == "-" and word[1:2] != "-" and any(letter in word for letter in letters)
