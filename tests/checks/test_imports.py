"""Imports point down the table of layers; the checker itself sees what it should."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.checks.imports import problems

PACKAGE = Path(__file__).parents[2] / "src" / "longrein"


def test_imports_point_down() -> None:
    assert problems(PACKAGE) == []


@pytest.mark.parametrize(
    ("file", "code", "says"),
    [
        ("core/a.py", "from longrein.tools.define import tool", "above it"),
        ("core/a.py", "import longrein.session.bus", "above it"),
        ("models/a.py", "from longrein.storage import base", "beside it"),
        ("models/a.py", "from longrein import storage", "beside it"),
        ("harness.py", "from longrein.settings import Settings", "beside it"),
        ("harness.py", "STORES = {'sqlite': 'longrein.cli.main:Store'}", "above it"),
        ("tools/a.py", "TABLE = {'sqlite': 'longrein.storage.sqlite:Store'}", "late import"),
        ("tools/a.py", "def f():\n    from longrein.core import ids", "late import"),
        ("tools/a.py", "def f():\n    import json", "late import"),
        ("tools/a.py", "from importlib import import_module\nimport_module('json')", "late"),
        ("tools/a.py", "if TYPE_CHECKING:\n    from longrein.loop.decide import x", "above it"),
        ("session/a.py", "from longrein import Agent", "not in the table"),
        ("session/a.py", "import longrein", "package itself"),
        ("session/a.py", "from . import bus", "package itself"),
        ("session/a.py", "from longrein.testing.clock import Clock", "only cli and tests"),
        ("__init__.py", "_PUBLIC = {'Clock': 'longrein.testing.clock:Clock'}", "only cli"),
        ("tui/a.py", "from longrein.session.bus import Bus", "core and client only"),
        ("stuff/a.py", "from longrein.core import ids", "not in the table"),
    ],
)
def test_a_bad_arrow_is_found(tmp_path: Path, file: str, code: str, says: str) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(code)
    found = problems(tmp_path)
    assert len(found) == 1
    assert says in found[0]


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("cli/a.py", "def f():\n    from longrein.testing.demo import demo\n    import json"),
        ("harness.py", "STORES = {'sqlite': 'longrein.storage.sqlite:Store'}"),
        ("session/a.py", "from longrein.core.ids import Clock\nfrom longrein.session.bus import B"),
        ("tui/a.py", "from longrein.core.ids import Clock\nfrom longrein.client.port import C"),
        ("testing/a.py", "from longrein.harness import Harness\nfrom longrein._version import x"),
    ],
)
def test_a_good_arrow_is_let_through(tmp_path: Path, file: str, code: str) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(code)
    assert problems(tmp_path) == []


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import sys, longrein; longrein.__version__; print(*sys.modules)"
    done = subprocess.run(
        # -S: what an environment's own .pth files load is not ours.
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    heavy = {"aiohttp", "asyncio", "inspect", "msgspec", "sqlite3", "typing"}
    assert not heavy & set(done.stdout.split())
