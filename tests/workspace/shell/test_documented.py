"""The tables of docs/shell.md are those of the code, and the examples in the code run."""

import doctest
import importlib
from collections.abc import Iterable
from pathlib import Path

import pytest

from longrein.workspace.shell import tables
from longrein.workspace.shell.dangerous import DANGERS
from longrein.workspace.shell.running import EVALUATING, STATEFUL
from longrein.workspace.shell.wrappers import SHELLS, WRAPPERS

PAGE = (Path(__file__).parents[3] / "docs" / "shell.md").read_text(encoding="utf-8")
MODULES = ("commands", "dangerous", "judging", "literal", "parse", "places", "running", "safe")


def _words(some: Iterable[str]) -> str:
    return " ".join(f"`{one}`" for one in some)


def harmless() -> list[str]:
    """The rows of the table of harmless commands."""
    rows = list[str]()
    for name, one in tables.HARMLESS.items():
        flags = f"`-{one.flags}`" if one.flags else ""
        valued = _words(f"-{letter} x" for letter in one.valued)
        options = " ".join(part for part in (flags, valued, _words(one.long.split())) if part)
        beneath = one.beneath if one.beneath in ("", "always") else _words(one.beneath.split())
        rows.append(f"| `{name}` | {options} | {one.operands} | {beneath} |")
    return rows


def dangers() -> list[str]:
    """The rows of the table of findings."""
    return [f"| `{danger}` | {reason} |" for danger, reason in DANGERS.items()]


def lists() -> dict[str, str]:
    """Every list of the page by the words that it begins with."""
    return {
        "Alone": _words(sorted(tables.FIND)),
        "With a value": _words(sorted(tables.FIND_VALUED)),
        "Lines of git": ", ".join(f"`git {' '.join(words)}`" for words in sorted(tables.GIT)),
        "Programs that run others": _words(sorted(WRAPPERS)),
        "Shells": _words(sorted(SHELLS)),
        "Builtins that change what follows": _words(sorted(STATEFUL)),
        "Builtins that run a subscript": _words(sorted(EVALUATING)),
    }


def _table(heading: str) -> list[str]:
    lines = PAGE.splitlines()
    start = lines.index(heading) + 2
    end = next((n for n in range(start, len(lines)) if not lines[n].startswith("|")), len(lines))
    return lines[start:end]


def test_the_table_of_harmless_commands_is_that_of_the_code() -> None:
    assert _table("| command | options | other words | reads all in a folder |") == harmless()


def test_the_table_of_findings_is_that_of_the_code() -> None:
    assert _table("| finding | what the line does |") == dangers()


@pytest.mark.parametrize("name", lists().keys())
def test_a_list_of_the_page_is_that_of_the_code(name: str) -> None:
    text = PAGE.split(f"**{name}:** ")[1].split("\n\n")[0]
    assert " ".join(text.split()) == lists()[name]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_the_code_run(module: str) -> None:
    loaded = importlib.import_module(f"longrein.workspace.shell.{module}")
    done = doctest.testmod(loaded, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert done.attempted
    assert not done.failed
