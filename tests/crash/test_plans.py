"""A seed says everything about a case."""

from longrein.testing.crash.plans import Measure, Measures, plan
from longrein.testing.crash.points import NAMES
from longrein.testing.crash.scenarios import SCENARIOS

_MEASURE = Measure(dict.fromkeys(NAMES, 3), 0.1)
MEASURES: Measures = {
    name: {"alone": _MEASURE} if one.processes == 1 else {"host": _MEASURE, "client": _MEASURE}
    for name, one in SCENARIOS.items()
}


def test_a_seed_gives_the_same_case_again() -> None:
    assert [plan(seed, MEASURES) for seed in range(50)] == [
        plan(seed, MEASURES) for seed in range(50)
    ]


def test_fifty_seeds_in_a_row_kill_at_every_point_and_more_often_at_random_times() -> None:
    plans = [plan(seed, MEASURES) for seed in range(50)]
    assert {kill.point for one in plans for kill in one.kills} >= set(NAMES)
    assert sum(not one.kills[0].point for one in plans) > 25


def test_all_workloads_come_up() -> None:
    assert {plan(seed, MEASURES).scenario.name for seed in range(300)} == set(SCENARIOS)
