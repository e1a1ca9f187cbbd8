"""Every line of the tables in docs/permissions.md, and every example in the code."""

import doctest
import importlib
from pathlib import Path
from typing import Any, get_args

import pytest

from longrein.core.policy import Category, Rule, Touches, Trust
from longrein.permissions.evaluate import Action, evaluate

PAGE = Path(__file__).parents[2] / "docs" / "permissions.md"
TRUSTS: tuple[Trust, ...] = get_args(Trust)
MODULES = ("evaluate", "explain", "matching", "patterns", "prefixes", "remember")


def _table(first: str) -> list[list[str]]:
    """The lines below the heading that begins with this cell."""
    lines = iter(PAGE.read_text(encoding="utf-8").splitlines())
    next(line for line in lines if line.startswith(f"| {first} |"))
    next(lines)
    rows: list[list[str]] = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


def _read(cell: str) -> Any:
    """The value of a cell written in Python."""
    return eval(cell.replace("`", ""), {"Action": Action, "Rule": Rule, "Touches": Touches})


@pytest.mark.parametrize(("rules", "action", "verdict"), _table("rules"))
def test_the_examples_of_the_page_are_right(rules: str, action: str, verdict: str) -> None:
    given: list[Rule] = [] if rules == "none" else _read(f"[{rules}]")
    found = evaluate(_read(action), given, [], "ask")
    assert type(found).__name__.lower() == verdict


@pytest.mark.parametrize("row", _table("category"), ids=lambda row: row[0])
def test_the_table_of_trust_is_right(row: list[str]) -> None:
    category, *verdicts = row
    found = [evaluate(Action("tool", _category(category)), [], [], trust) for trust in TRUSTS]
    assert [type(one).__name__.lower() for one in found] == verdicts


def test_the_table_of_trust_is_complete() -> None:
    assert [row[0] for row in _table("category")] == list(get_args(Category))
    assert TRUSTS == ("ask", "edits", "plan", "yolo")


@pytest.mark.parametrize(
    "module", ["longrein.core.policy", *(f"longrein.permissions.{name}" for name in MODULES)]
)
def test_the_examples_in_the_code_run(module: str) -> None:
    loaded = importlib.import_module(module)
    done = doctest.testmod(loaded, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert done.attempted
    assert not done.failed


def _category(name: str) -> Category:
    return next(one for one in get_args(Category) if one == name)
