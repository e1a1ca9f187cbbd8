"""What runs outside later is read-only inside, where it exists."""

import os
import sys
from pathlib import Path

import pytest

from longrein.workspace.protected import protected_in
from longrein.workspace.rules import FileRule, decide
from longrein.workspace.sandbox import plan
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from tests.workspace.sandbox.support import said

RUNS = (
    ".git/hooks/h",
    ".git/config",
    ".git/config.worktree",
    ".git/commondir",
    ".git/modules/lib/inner/config",
    ".git/modules/lib/inner/hooks/h",
    ".git/modules/lib/inner/modules/deep/config",
    ".git/worktrees/w/config.worktree",
    ".git/worktrees/w/commondir",
    ".longrein/settings.toml",
    ".agents/notes.md",
)
GOES_ON = (
    ".git/HEAD",
    ".git/index",
    ".git/objects/aa/b",
    ".git/modules/lib/inner/HEAD",
    ".git/modules/lib/inner/modules/deep/HEAD",
    ".git/worktrees/w/HEAD",
)


def filled(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("original")


def test_what_says_what_is_run_cannot_be_changed_and_the_rest_can(tmp_path: Path) -> None:
    filled(tmp_path, *RUNS, *GOES_ON)
    lines = [f"echo x > {path}; rm -f {path}.new; : > {path}.new" for path in (*RUNS, *GOES_ON)]
    said(lambda: Bubblewrap(tmp_path), tmp_path, f"exec 2>/dev/null; {'; '.join(lines)}")
    assert {(tmp_path / path).read_text() for path in RUNS} == {"original"}
    assert {(tmp_path / path).read_text() for path in GOES_ON} == {"x\n"}


def test_a_repository_in_a_further_folder_is_protected_as_well(tmp_path: Path) -> None:
    filled(tmp_path, "root/a", "more/.git/config")
    make = lambda: Bubblewrap(tmp_path / "root", writable=[tmp_path / "more"])  # noqa: E731
    said(make, tmp_path / "root", "echo x 2>/dev/null > ../more/.git/config")
    assert (tmp_path / "more/.git/config").read_text() == "original"


def test_of_very_many_submodules_all_is_read_only(tmp_path: Path) -> None:
    for number in range(plan.MOST_MODULES + 1):
        filled(tmp_path, f".git/modules/{number}/HEAD", f".git/modules/{number}/config")
    masks = {mask.path for mask in plan.protected(str(tmp_path))}
    assert masks == {f"{tmp_path}/.git/modules"}


def test_what_is_protected_is_not_shown_where_a_rule_hides_it(tmp_path: Path) -> None:
    filled(tmp_path, ".git/config", ".git/hooks/h")
    rules = [FileRule("deny", ("**/.git",))]
    line = "cat .git/config .git/hooks/h 2>/dev/null; ls -A .git"
    assert said(lambda: Bubblewrap(tmp_path, rules=rules), tmp_path, line) == [""]


def test_the_environment_of_this_interpreter_is_read_only_inside() -> None:
    prefix = Path(sys.prefix).resolve()
    masks = plan.protected(str(prefix.parent))
    assert (str(prefix), "read") in [(mask.path, mask.access) for mask in masks]


@pytest.mark.parametrize(
    ("path", "effect"),
    [
        *((f"/project/{path}", "ask") for path in RUNS),
        ("/project/.git", "ask"),
        ("/project/sub/.GIT/hooks/pre-commit", "ask"),
        ("/project/.gitignore", "allow"),
        ("/project/x.git/config", "allow"),
        ("/other/.git/config", "allow"),
    ],
)
def test_the_table_is_good_for_file_rules(path: str, effect: str) -> None:
    rules = [FileRule("ask", protected_in("/project"), ("write",))]
    assert decide(rules, path, "write").effect == effect


@pytest.mark.parametrize("name", ["a", "away"])
def test_only_programs_that_commands_cannot_replace_are_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("root/bin", "a"):
        (tmp_path / folder).mkdir(parents=True)
        program = tmp_path / folder / "wc"
        program.write_text(f"#!/bin/sh\necho {folder}\n")
        program.chmod(0o755)
    os.symlink(tmp_path / "root/bin", tmp_path / "away")
    path = f"{tmp_path}/root/bin:/tmp:{tmp_path}/{name}:/usr/bin:/bin"
    monkeypatch.setenv("PATH", path)
    make = lambda: Bubblewrap(tmp_path / "root", readable=[tmp_path / "a"])  # noqa: E731
    (output,) = said(make, tmp_path / "root", "echo 1 | wc -l; echo $PATH")
    expected = ["a", f"{tmp_path}/a:/usr/bin:/bin"] if name == "a" else ["1", "/usr/bin:/bin"]
    assert output.split() == expected


def test_variables_of_the_language_are_known_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_TOKEN", "leak")
    monkeypatch.setenv("LC_TIME", "C")
    assert said(lambda: Bubblewrap(tmp_path), tmp_path, "env | grep ^LC_") == ["LC_TIME=C"]
