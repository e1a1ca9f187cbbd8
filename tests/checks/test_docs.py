"""The documentation runs, and what is generated from the code is current."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.make_events_doc import PAGE, render
from tests.checks.examples import REPOSITORY, pages, python_blocks

WITH_CODE = [page for page in pages() if python_blocks(page)]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.name)
def test_the_blocks_of_a_page_run_one_after_the_other(page: Path, tmp_path: Path) -> None:
    program = tmp_path / "page.py"
    program.write_text("\n".join(python_blocks(page)), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(REPOSITORY / "src"), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_page_of_events_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), "run `make docs`"


def test_the_guide_for_agents_is_short() -> None:
    assert len((REPOSITORY / "AGENTS.md").read_text(encoding="utf-8").splitlines()) < 150
