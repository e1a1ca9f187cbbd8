"""File rules as the shell meets them."""

import os
from pathlib import Path

import pytest

from longrein.testing.sandbox_cases.setting import QUICK, ran
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import Command, Sandbox, SandboxProblem
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.landlock import Landlock
from longrein.workspace.sandbox.masks import Tree
from longrein.workspace.sandbox.places import Place
from tests.workspace.sandbox.support import said, within


def filled(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(os.fsencode(f"<{path}>"))


def test_what_may_not_be_read_is_hidden(tmp_path: Path) -> None:
    filled(tmp_path, "a/.env", "secret/x/y", "b")
    rules = [FileRule("deny", ("**/.env", f"{tmp_path}/secret"))]
    line = "cat a/.env secret/x/y b 2>/dev/null; ls -A secret"
    assert said(lambda: Bubblewrap(tmp_path, rules=rules), tmp_path, line) == ["<b>"]


def test_what_must_be_asked_about_is_forbidden(tmp_path: Path) -> None:
    filled(tmp_path, "a", "b")
    rules = [
        FileRule("ask", (f"{tmp_path}/a",), ("read",)),
        FileRule("ask", (f"{tmp_path}/b",), ("write",)),
    ]
    line = "cat a b 2>/dev/null; echo x 2>/dev/null >> b"
    assert said(lambda: Bubblewrap(tmp_path, rules=rules), tmp_path, line) == ["<b>"]
    assert (tmp_path / "b").read_text() == "<b>"


def test_the_first_rule_decides(tmp_path: Path) -> None:
    filled(tmp_path, "docs/open/a", "docs/open/b.key", "docs/shut", "docs/open/deep/c")
    rules = [
        FileRule("deny", ("**/*.key",)),
        FileRule("allow", (f"{tmp_path}/docs/open/**",)),
        FileRule("deny", (f"{tmp_path}/docs/**",)),
    ]
    lines = (
        "cat docs/open/a docs/open/deep/c",
        "cat docs/open/b.key docs/shut 2>/dev/null",
        "ls docs; echo new > docs/open/deep/new; echo new 2>/dev/null > docs/new",
    )
    output = said(lambda: Bubblewrap(tmp_path, rules=rules), tmp_path, *lines)
    assert output == ["<docs/open/a><docs/open/deep/c>", "", "open"]
    assert (tmp_path / "docs/open/deep/new").read_text() == "new\n"
    assert not (tmp_path / "docs/new").exists()


def test_only_a_part_can_be_written(tmp_path: Path) -> None:
    filled(tmp_path, "src/a", "b")
    rules = [FileRule("allow", (f"{tmp_path}/src/**",)), FileRule("deny", ("/**",), ("write",))]
    line = (
        "echo x > src/a; echo x > src/new; echo x 2>/dev/null > b; touch c 2>/dev/null; cat b src/a"
    )
    assert said(lambda: Bubblewrap(tmp_path, rules=rules), tmp_path, line) == ["<b>x"]
    assert sorted(os.listdir(tmp_path)) == ["b", "src"]


def test_rules_see_through_other_ways_to_write_a_name(tmp_path: Path) -> None:
    filled(tmp_path, ".ENV", "Secret/a")
    rules = [FileRule("deny", ("**/.env", f"{tmp_path}/secret"))]
    line = "cat .ENV Secret/a 2>/dev/null"
    assert said(lambda: Bubblewrap(tmp_path, rules=rules), tmp_path, line) == [""]


def test_rules_hold_in_further_folders(tmp_path: Path) -> None:
    filled(tmp_path, "root/a", "more/a", "more/.env", "read/a", "read/.env")
    make = lambda: Bubblewrap(  # noqa: E731
        tmp_path / "root",
        readable=[tmp_path / "read"],
        writable=[tmp_path / "more"],
        rules=[FileRule("deny", ("**/.env",))],
    )
    line = "cat ../*/.env 2>/dev/null; cat ../*/a; touch ../more/b; touch ../read/b 2>/dev/null"
    assert said(make, tmp_path / "root", line) == ["<more/a><read/a><root/a>"]
    assert (tmp_path / "more/b").exists()
    assert not (tmp_path / "read/b").exists()


def test_names_that_are_hard_to_write_are_masked(tmp_path: Path) -> None:
    name = os.fsdecode(b"a \n'\xff$(x)/.env")
    filled(tmp_path, name)
    rules = [FileRule("deny", ("**/.env",))]
    line = "cat */.env 2>/dev/null; echo $?"
    assert said(lambda: Bubblewrap(tmp_path, rules=rules), tmp_path, line) == ["1"]


def test_a_file_that_came_about_is_masked_for_the_next_command(tmp_path: Path) -> None:
    async def use(sandbox: Sandbox) -> list[str]:
        await ran(sandbox, str(tmp_path), "true")
        filled(tmp_path, "new/.env")
        return [(await ran(sandbox, str(tmp_path), "cat new/.env 2>/dev/null"))[0].decode()]

    rules = [FileRule("deny", ("**/.env",))]
    assert within(lambda: Bubblewrap(tmp_path, rules=rules), use) == [""]


def test_a_file_that_was_replaced_is_masked_for_the_next_command(tmp_path: Path) -> None:
    filled(tmp_path, ".env", ".git/config")

    async def use(sandbox: Sandbox) -> list[str]:
        await ran(sandbox, str(tmp_path), "true")
        for path in (".env", ".git/config"):
            filled(tmp_path, "new")
            os.replace(tmp_path / "new", tmp_path / path)
        line = "cat .env 2>/dev/null; echo x 2>/dev/null > .git/config; cat .git/config"
        return [(await ran(sandbox, str(tmp_path), line))[0].decode()]

    rules = [FileRule("deny", ("**/.env",))]
    assert within(lambda: Bubblewrap(tmp_path, rules=rules), use) == ["<new>"]


def test_while_a_command_runs_nothing_is_started_that_could_see_too_much(tmp_path: Path) -> None:
    folder = str(tmp_path)

    async def use(sandbox: Sandbox) -> list[str]:
        running = await sandbox.start(Command("read -r line; echo $line", folder, QUICK))
        filled(tmp_path, ".env")
        with pytest.raises(SandboxProblem, match=r"\.env.*read -r line") as problem:
            await ran(sandbox, folder, "cat .env")
        await running.write(b"on\n")
        assert b"".join([data async for data in running.output()]) == b"on\n"
        return [
            str(problem.value),
            (await ran(sandbox, folder, "cat .env 2>/dev/null"))[0].decode(),
        ]

    rules = [FileRule("deny", ("**/.env",))]
    assert within(lambda: Bubblewrap(tmp_path, rules=rules), use)[1] == ""


def test_what_is_in_the_background_goes_on_while_masks_stay(tmp_path: Path) -> None:
    filled(tmp_path, ".env")
    lines = (
        "sleep 30 & echo $!",
        "touch other; ls /proc | grep -c .",
        "kill $(pgrep sleep) && echo there",
    )
    rules = [FileRule("deny", ("**/.env",))]
    assert said(lambda: Bubblewrap(tmp_path, rules=rules), tmp_path, *lines)[2] == "there"


def test_too_many_masks_are_refused(tmp_path: Path) -> None:
    for number in range(501):
        (tmp_path / f"{number}.key").touch()
    rules = [FileRule("deny", ("**/*.key",))]
    with pytest.raises(SandboxProblem, match="500"):
        said(lambda: Bubblewrap(tmp_path, rules=rules), tmp_path, "true")


def test_protection_can_be_switched_off(tmp_path: Path) -> None:
    filled(tmp_path, ".git/config")
    said(lambda: Bubblewrap(tmp_path, protect=False), tmp_path, "echo x > .git/config")
    assert (tmp_path / ".git/config").read_text() == "x\n"


def test_git_works_though_its_hooks_and_configuration_are_protected(tmp_path: Path) -> None:
    lines = (
        "git init -q . && git config user.email a@b && git config user.name a",
        "touch a && git add a && git commit -qm one && git checkout -qb x && git log | grep -c one",
        "touch .git/hooks/new; git config user.name b; git config user.name; ls .git/hooks/new",
    )
    first, second, third = said(lambda: Bubblewrap(tmp_path), tmp_path, *lines)
    assert (first, second) == ("", "1")
    assert "Read-only" in third
    assert third.splitlines()[-2] == "a"
    assert "No such file" in third.splitlines()[-1]


def test_a_folder_is_listed_again_only_if_it_changed(tmp_path: Path) -> None:
    filled(tmp_path, "a/b/c", "a/.env")
    tree = Tree(Place(str(tmp_path), "write"), [FileRule("deny", ("**/.env",))])
    first = tree.masks()
    assert [(mask.path, mask.access) for mask in first] == [(f"{tmp_path}/a/.env", "none")]
    assert tree.masks() == first
    filled(tmp_path, "a/b/.env")
    assert len(tree.masks()) == 2


@pytest.mark.parametrize("kind", [Bubblewrap, Landlock])
def test_both_sandboxes_hold_the_same_rules(
    kind: type[Bubblewrap] | type[Landlock], tmp_path: Path
) -> None:
    filled(tmp_path, "a/.env", "a/b/c", "lib/x", "free/y")
    rules = [
        FileRule("deny", ("**/.env",)),
        FileRule("deny", (f"{tmp_path}/lib",), ("write",)),
    ]
    line = (
        "cat a/.env a/b/c lib/x free/y 2>/dev/null; echo n > free/new; echo n > a/b/c;"
        "echo n 2>/dev/null > lib/x; echo n 2>/dev/null > a/.env"
    )
    assert said(lambda: kind(tmp_path, rules=rules), tmp_path, line) == ["<a/b/c><lib/x><free/y>"]
    assert (tmp_path / "free/new").read_text() == (tmp_path / "a/b/c").read_text() == "n\n"
    assert (tmp_path / "lib/x").read_text() == "<lib/x>"
    assert (tmp_path / "a/.env").read_text() == "<a/.env>"


def test_a_readable_folder_inside_the_root_cannot_be_replaced(tmp_path: Path) -> None:
    filled(tmp_path, "a/data/x")
    make = lambda: Bubblewrap(tmp_path, readable=[tmp_path / "a/data"])  # noqa: E731
    said(make, tmp_path, "mv a b; mkdir -p a/data; echo y > a/data/x; rm -rf a")
    assert (tmp_path / "a/data/x").read_text() == "<a/data/x>"
