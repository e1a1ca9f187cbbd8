"""What a proven line looks at, and that git's proven lines run nothing that a repository names."""

import os
import subprocess
from pathlib import Path

import pytest

from longrein.workspace.shell import tables
from longrein.workspace.shell.commands import touching


@pytest.mark.parametrize(
    ("line", "reads", "beneath"),
    [
        ("cat a.txt b/c", ["a.txt", "b/c"], False),
        ("cat -- -n", ["-n"], False),
        ("cat", [], False),
        ("ls", [""], False),
        ("ls -lR src", ["src"], True),
        ("grep -rn x src a", ["src", "a"], True),
        ("grep -r x", [""], True),
        ("grep x a", ["a"], False),
        ("grep -e x a b", ["a", "b"], False),
        ("grep -A 3 x a", ["a"], False),
        ("rg x", [""], True),
        ("rg --files src", ["src"], True),
        ("find src -name x", ["src"], True),
        ("find", [""], True),
        ("head -n 5 a", ["a"], False),
        ("head -n5 a", ["a"], False),
        ("tail -5 a", ["a"], False),
        ("sed -n 1,5p a", ["a"], False),
        ("sort -k 2 a | uniq | wc -l", ["a"], False),
        ("echo a b", [], False),
        ("date +%s", [], False),
        ("git rev-parse HEAD", [], False),
        ("cat ./a/./b", ["a/b"], False),
    ],
)
def test_a_proven_line_tells_what_it_looks_at(line: str, reads: list[str], beneath: bool) -> None:
    proof = touching(line, "/project").proof
    assert proof.safe, proof.reason
    assert [*proof.reads] == [f"/project/{path}".rstrip("/") for path in reads]
    assert proof.beneath is beneath


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("make", "make is not in the table"),
        ("sort -o a b", "sort has an option"),
        ("ls *", "glob"),
        ("ls /etc", "outside the folder"),
        ("git status", "configuration of the repository"),
        ("ls > a", "redirection"),
        ("A=1 ls", "sets a variable"),
        ("ls &", "leaves something running"),
    ],
)
def test_what_is_not_proven_says_why(line: str, says: str) -> None:
    proof = touching(line, "/project").proof
    assert not proof.safe
    assert says in proof.reason


def test_the_root_as_folder_has_everything_inside() -> None:
    assert touching("cat /etc/hosts", "/").proof.reads == ("/etc/hosts",)


def test_proven_lines_of_git_run_no_helper_and_write_nothing(tmp_path: Path) -> None:
    repository, marker = _hostile_repository(tmp_path)
    before = _contents(repository)
    for words in sorted(tables.GIT):
        _git(repository, *words)
        assert not marker.exists(), words
    assert _contents(repository) == before


def test_the_hostile_repository_does_run_helpers_on_status(tmp_path: Path) -> None:
    repository, marker = _hostile_repository(tmp_path)
    _git(repository, "status")
    assert marker.exists()


_HELPERS = """
[core]
    fsmonitor = EVIL
    pager = EVIL
    editor = EVIL
    sshCommand = EVIL
    askPass = EVIL
    gitProxy = EVIL
    hooksPath = FOLDER
[diff]
    external = EVIL
[diff "evil"]
    textconv = EVIL
[filter "evil"]
    clean = EVIL
    smudge = EVIL
[merge "evil"]
    driver = EVIL
[gpg]
    program = EVIL
[log]
    showSignature = true
[credential]
    helper = EVIL
[pager]
    branch = EVIL
    remote = EVIL
    rev-parse = EVIL
    symbolic-ref = EVIL
    version = EVIL
[alias]
    branch = !EVIL
    rev-parse = !EVIL
[remote "origin"]
    url = ext::EVIL
    promisor = true
[extensions]
    partialClone = origin
[protocol "ext"]
    allow = always
"""


def _hostile_repository(place: Path) -> tuple[Path, Path]:
    """A repository whose every setting that names a program names one that leaves a mark."""
    repository, marker, evil = place / "repository", place / "marker", place / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {marker}\n")
    evil.chmod(0o755)
    repository.mkdir()
    _git(repository, "init", "-q")
    (repository / ".gitattributes").write_text("* diff=evil filter=evil merge=evil\n")
    (repository / "a").write_text("a\n")
    _git(repository, "add", "-A")
    _git(repository, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "one")
    with (repository / ".git/config").open("a") as config:
        config.write(_HELPERS.replace("EVIL", str(evil)).replace("FOLDER", str(place)))
    (repository / "a").write_text("b\n")
    return repository, marker


def _git(repository: Path, *words: str) -> None:
    subprocess.run(
        ["git", *words],
        cwd=repository,
        env={"PATH": os.environ["PATH"], "HOME": str(repository), "GIT_CONFIG_NOSYSTEM": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=10,
        check=False,
    )


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
