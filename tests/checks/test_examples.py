"""Every example in a docstring does what it says, also where the name is not public."""

import doctest
import importlib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
MODULES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCE.rglob("*.py"))
    if ">>>" in path.read_text("utf-8")
]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_run(module: str) -> None:
    loaded = importlib.import_module(module)
    done = doctest.testmod(loaded, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert not done.failed
