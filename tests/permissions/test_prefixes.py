"""Which commands are widened to their kind of work, and which never are."""

from pathlib import Path
from shlex import quote

import pytest

from longrein.permissions.patterns import literal, matches
from longrein.permissions.prefixes import KINDS_OF_WORK, widened

PAGE = (Path(__file__).parents[2] / "docs" / "shell.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "pattern"),
    [
        ("git commit -m 'a b'", "git commit *"),
        ("git status", "git status *"),
        ("npm test", "npm test *"),
        ("npm run build:all -- -x", "npm run build:all *"),
        ("python3 -m pytest -x tests", "python3 -m pytest *"),
        ("python3 tools/gen-all.py --fast", "python3 tools/gen-all.py *"),
        ("node ./a.mjs", "node ./a.mjs *"),
        ("cargo build --release", "cargo build *"),
        ("pytest", "pytest *"),
    ],
)
def test_a_command_is_widened_to_its_kind_of_work(command: str, pattern: str) -> None:
    assert widened(command) == pattern


@pytest.mark.parametrize(
    "command",
    [
        "python3 -c 'import os'",
        "python3 -m timeit 'import os'",
        "python3 -m pip install x",
        "python3 -",
        "python3",
        "python3 -x.py",
        "node -e 1",
        "node --require=a.js b.js",
        "sh -c 'npm test'",
        "bash a.sh",
        "env npm test",
        "xargs git add",
        "find . -name '*.py' -exec git add '{}' ';'",
        "rm x",
        "rm -r build",
        "make test",
        "sudo npm test",
        "timeout 5 npm test",
        "git",
        "git -C x status",
        "git push origin x",
        "git -c core.pager=x log",
        "git config a b",
        "npm run",
        "npm run --prefix=../x build",
        "npm install x",
        "npm exec x",
        "/elsewhere/npm test",
        "CI=1 npm test",
        "'npm test' x",
        "npm  test",
        "npm test '",
        "? npm test",
        "curl example.com",
    ],
)
def test_any_other_command_stays_what_it_is(command: str) -> None:
    assert widened(command) == literal(command)


@pytest.mark.parametrize("kind", KINDS_OF_WORK)
def test_a_kind_of_work_fits_itself_with_more_words_and_nothing_that_only_begins_like_it(
    kind: str,
) -> None:
    command = kind.replace("NAME", "build").replace("SCRIPT", "a.py")
    pattern = widened(f"{command} {quote('x y')}")
    assert pattern == f"{command} *"
    assert matches(pattern, command, "command")
    assert not matches(pattern, f"{command}x", "command")
    assert not matches(pattern, f"A=1 {command}", "command")


def test_the_page_lists_every_kind_of_work() -> None:
    text = PAGE.split("**Kinds of work:** ")[1].split("\n\n")[0]
    assert " ".join(text.split()) == ", ".join(f"`{kind}`" for kind in KINDS_OF_WORK)
