"""The crash rig in short: every named point, and half as many kills at random times."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from longrein.testing.crash.points import NAMES
from longrein.testing.crash.scenarios import SCENARIOS

SOURCE = Path(__file__).parents[2] / "src"


@pytest.mark.timeout(330)
def test_nothing_is_lost_or_done_twice_whenever_a_process_is_killed(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    done = subprocess.run(
        [sys.executable, "-m", "longrein.testing.crash", "--kills", "45", "--hits", "1",
         "--first", "0", "--seconds", "300", "--results", str(results)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(results.read_text())
    assert figures["kills"] >= 45
    assert min(figures["points"].values()) >= 1
    assert figures["failures"] == []


def test_the_rig_knows_every_point_that_the_code_names() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")]
    named = {name for text in texts for name in re.findall(r'reached\("([a-z.]+)"\)', text)}
    assert sorted(named) == list(NAMES)


def test_every_effect_of_the_workloads_has_a_key_of_its_own() -> None:
    for scenario in SCENARIOS.values():
        keys = re.findall(r'"key": ?"([^"]+)"', scenario.script.to_json())
        assert len(keys) == len(set(keys)), scenario.name
