"""The facts about a line, as rules and people see them."""

import pytest

from longrein.core.policy import Rule, Touches
from longrein.permissions.evaluate import Action, Ask, evaluate
from longrein.permissions.remember import propose
from longrein.workspace.shell.commands import touching
from longrein.workspace.shell.judging import judged


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("git status", ["git status"]),
        ("  'git'   \"sta\"tus ", ["git status"]),
        ("echo 'a b' \"it's\"", ["echo 'a b' 'it'\"'\"'s'"]),
        ("A=1 B='c d' git log", ["A=1 B='c d' git log"]),
        ("'A=1' x", ["'A=1' x"]),
        ("ls; ls", ["ls"]),
        ("timeout 5 git push", ["timeout 5 git push", "git push"]),
        ("sh -c 'ls; pwd'", ["sh -c 'ls; pwd'", "ls", "pwd"]),
        ("git -C x push", ["git -C x push", "git push"]),
        ("find . -name 'a*'", ["find . -name 'a*'"]),
    ],
)
def test_a_proven_line_is_the_commands_that_it_runs(line: str, texts: list[str]) -> None:
    assert list(touching(line, "/project").commands) == texts


@pytest.mark.parametrize(
    "line", ["rm $X", "cd x && rm a", "A=1; ls", "echo a | sh", "f() { ls; }", "ls '", "xargs rm"]
)
def test_every_command_of_an_unproven_line_is_marked_and_so_is_the_line(line: str) -> None:
    found = touching(line, "/project").commands
    assert all(one.startswith("? ") for one in found)
    assert found[-1] == f"? line: {line}"


def test_going_to_the_folder_itself_changes_nothing() -> None:
    facts = touching("cd /project && git status", "/project")
    assert (facts.commands, facts.problem) == (("git status",), "")


@pytest.mark.parametrize(
    ("line", "writes", "reads"),
    [
        ("a > b", ["/project/b"], []),
        ("a >> ./c//d 2> /e", ["/project/c/d", "/e"], []),
        ("a < ../b", [], ["/b"]),
        ("a > /dev/null 2>&1", [], []),
        ("{ a; } > b", ["/project/b"], []),
        ("a <<E > b\nE", ["/project/b"], []),
        ("sh -c a > b", ["/project/b"], []),
        ("sh -c 'a > b'", ["/project/b"], []),
        ("sh -c '{ a; } > b'", ["/project/b"], []),
        ("timeout 5 a > b", ["/project/b"], []),
    ],
)
def test_the_files_of_redirections_are_absolute(
    line: str, writes: list[str], reads: list[str]
) -> None:
    facts = touching(line, "/project")
    assert [[*facts.writes], [*facts.reads]] == [writes, reads]
    assert Touches((*facts.writes, *facts.reads), facts.commands)


@pytest.mark.parametrize("line", ["a > $X", "a > b/../c", "a > ~/b", "a > b*"])
def test_a_redirection_that_cannot_be_told_is_a_problem(line: str) -> None:
    assert touching(line, "/project").problem


@pytest.mark.parametrize(
    ("granted", "other"),
    [
        ("cd build && rm -r x", "rm -r x"),
        ("sh -c 'rm $X'", "rm $X"),
        ("rm $X", "rm $Y"),
        ("A=1; ls", "ls"),
        ("git status > a", "git status > b"),
        ("git status", "git status; git push"),
        ("ls *", "ls"),
        ("ssh host 'rm -r x'", "rm -r x"),
        ("env PATH=/x git status", "git status"),
        ("chroot /x ls", "ls"),
    ],
)
def test_a_remembered_yes_to_a_line_is_none_to_another(granted: str, other: str) -> None:
    assert _asks_again(granted, granted) is False
    assert _asks_again(granted, other) is True


@pytest.mark.parametrize(
    ("line", "harmless"),
    [
        ("git status | head -3", ["head -3"]),
        ("cat a && npm test; ls", ["cat a", "ls"]),
        ("ls; ls & npm test", []),
        ("npm test > a", []),
        ("head -3 > a; npm test", []),
        ("git --version; npm test", ["git --version", "git"]),
        ("cd x; ls", []),
    ],
)
def test_the_commands_that_are_proven_by_themselves_are_told(
    line: str, harmless: list[str]
) -> None:
    assert list(touching(line, "/project").harmless) == harmless


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("npm test; cat a b", [("cat a b", ""), ("", "/project/a"), ("", "/project/b")]),
        ("npm test; cat a > b", []),
        ("npm test > a; cat a", [("cat a", "")]),
        ("npm test < a; cat a", [("cat a", "")]),
        ("npm test; ls", [("ls", "")]),
        ("npm test; head -3; sudo ls", []),
        ("npm test $X; ls", []),
        ("npm test > a/../b; ls", []),
        ("npm test; " + "; ".join(f"echo {n}" for n in range(60)), []),
    ],
)
def test_proven_commands_are_allowed_by_name_with_the_files_that_only_they_read(
    line: str, allowed: list[tuple[str, str]]
) -> None:
    rules = judged(touching(line, "/project"), "execute")
    assert [(one.command, one.path) for one in rules if one.effect == "allow"] == allowed


def test_what_is_found_asks_whatever_is_allowed_and_trusted() -> None:
    action = _action("sudo ls")
    verdict = evaluate(action, [Rule("allow", tool="execute")], [], "yolo")
    assert isinstance(verdict, Ask)
    assert verdict.rule == "shell: becomes-root"


def _asks_again(granted: str, line: str) -> bool:
    grant = propose(_action(granted), "default:execute")
    assert grant is not None
    return isinstance(
        evaluate(_action(line), [Rule("ask", id="default:execute")], [grant], "ask"), Ask
    )


def _action(line: str) -> Action:
    facts = touching(line, "/project")
    rules = tuple(rule for rule in judged(facts, "execute") if rule.effect == "ask")
    touches = Touches((*facts.writes, *facts.reads), facts.commands, (), rules)
    return Action("execute", "execute", {"command": line}, touches)
