"""The machinery of the benchmarks, with numbers so small that they mean nothing."""

from pathlib import Path

import pytest

from bench.idle import idle
from bench.main import benchmarks
from bench.ratios import ratio
from bench.report import AIMS, row, save
from bench.search import search
from bench.workload import WORKLOADS, Workload
from bench.written import written


def test_both_sides_of_a_ratio_send_the_same_requests() -> None:
    numbers = ratio(Workload("step_ratio_50", steps=3, chunks=5, sessions=2), pairs=1)
    assert numbers["step_ratio_50"] > 0
    assert numbers["step_ratio_50_ours_requests"] == 2 * (3 + 1)
    assert numbers["step_ratio_50_ours_bytes"] == numbers["step_ratio_50_bare_bytes"] > 0


def test_bytes_written_are_counted_by_step() -> None:
    numbers = written(steps=32)
    assert numbers["written_per_step_early_bytes"] > 0
    assert numbers["written_per_step_late_bytes"] > 0


def test_idle_sessions_are_weighed() -> None:
    assert idle(sessions=3)["idle_session_kb_all_bytes"] > 0


def test_both_sides_of_a_search_find_the_same() -> None:
    numbers = search(files=200, pairs=1, settled=0)
    assert min(numbers["glob_ratio"], numbers["grep_ratio"], numbers["grep_lines_ratio"]) > 0


def test_every_number_with_an_aim_is_measured() -> None:
    measured = [name for names, _ in benchmarks(pairs=1, quick=True) for name in names]
    assert sorted(measured) == sorted(AIMS)


def test_a_missed_aim_is_marked() -> None:
    assert row("chunk_ratio", {"chunk_ratio": 3.5}).endswith("missed")
    assert not row("chunk_ratio", {"chunk_ratio": 2.5}).endswith("missed")


def test_numbers_not_measured_again_stay_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    save({"chunk_ratio": 2.0, "resume_cpu_ms": 10.0}, path)
    save({"chunk_ratio": 2.5}, path)
    assert path.read_text().split() == [
        "{", '"chunk_ratio":', "2.5,", '"resume_cpu_ms":', "10.0", "}",
    ]  # fmt: skip


@pytest.mark.parametrize("name", [workload.name for workload in WORKLOADS])
def test_a_ratio_stands_in_the_table(name: str) -> None:
    assert row(name, {name: 1.0, f"{name}_spread": 0.25}).startswith(name)
