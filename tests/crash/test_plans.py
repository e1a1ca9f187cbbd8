"""A seed says everything about a case."""

from longrein.testing.crash.plans import ACTS, Measure, Measures, plan
from longrein.testing.crash.points import NAMES
from longrein.testing.crash.scenarios import SCENARIOS
from longrein.testing.crash.view import View

_MEASURE = Measure(dict.fromkeys(NAMES, 3), 0.1)
MEASURES: Measures = {
    name: {"alone": _MEASURE} if one.processes == 1 else {"host": _MEASURE, "client": _MEASURE}
    for name, one in SCENARIOS.items()
}


def test_a_seed_gives_the_same_case_again() -> None:
    assert [plan(seed, MEASURES) for seed in range(50)] == [
        plan(seed, MEASURES) for seed in range(50)
    ]


def test_seeds_in_a_row_kill_at_every_point() -> None:
    plans = [plan(seed, MEASURES) for seed in range(3 * len(NAMES))]
    assert {kill.point for one in plans for kill in one.kills} >= set(NAMES)


def test_more_than_half_of_the_kills_are_at_random_times() -> None:
    kills = [plan(seed, MEASURES).kills[0] for seed in range(12 * len(ACTS))]
    assert sum(not kill.point for kill in kills) > len(kills) / 2


def test_every_act_that_leaves_something_is_killed_at_and_as_soon_as_it_is_durable() -> None:
    kills = [plan(seed, MEASURES) for seed in range(2, 12 * len(ACTS), 6)]
    aimed = {(one.scenario.name, one.kills[0].act, one.kills[0].point) for one in kills}
    for scenario, act in ACTS:
        assert (scenario.name, act.id, "") in aimed
        assert act.waits or (scenario.name, act.id, "journal.durable") in aimed


def test_all_workloads_come_up() -> None:
    assert {plan(seed, MEASURES).scenario.name for seed in range(300)} == set(SCENARIOS)


def test_every_field_that_a_client_is_shown_is_spoken_of_by_some_workload() -> None:
    spoken = {field for _, act in ACTS for field in act.shows}
    counted = {"commands", "run_spent", "spent", "beside_spent", "resource_spent"}
    assert spoken | counted == set(View.__struct_fields__)
