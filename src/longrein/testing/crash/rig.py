"""Many cases side by side: lanes that run one after the other, until there are enough kills."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from longrein.testing.crash.case import Case, undisturbed
from longrein.testing.crash.equip import import_all
from longrein.testing.crash.judge import Ending, ending, judge
from longrein.testing.crash.plans import Measure, Measures, Role, plan
from longrein.testing.crash.points import NAMES
from longrein.testing.crash.process import Process, Say, close, hear, hold, ready_to_fork, start
from longrein.testing.crash.scenarios import SCENARIOS
from longrein.testing.crash.wire import Broke, Judged

LEAST_RANDOM = 0.4
FAULTS = (
    "lost",
    "repeated",
    "unsettled",
    "unusable",
    "unknown_not_started",
    "different",
    "miscounted",
    "misplaced",
    "left_behind",
    "strayed",
)


class Undisturbed(Struct, frozen=True):
    """How each workload ends when nobody is killed, and what was measured of it."""

    endings: dict[str, Ending]
    measures: Measures


class Totals:
    """What all cases came to."""

    def __init__(self) -> None:
        self.cases = 0
        self.kills = 0
        self.random = 0
        self.first_starts = 0
        self.unknown = 0
        self.reported = 0
        self.points: Counter[str] = Counter(dict.fromkeys(NAMES, 0))
        self.scenarios: Counter[str] = Counter()
        self.faults: Counter[str] = Counter(dict.fromkeys(FAULTS, 0))
        self.failures: dict[int, dict[str, list[str]]] = {}

    def add(self, judged: Judged) -> None:
        self.cases += 1
        self.kills += judged.kills
        self.random += judged.random
        self.first_starts += judged.first_starts
        self.unknown += judged.unknown
        self.reported += judged.reported
        self.points.update(judged.hits)
        self.scenarios[judged.scenario] += judged.kills
        for kind, found in judged.findings.items():
            self.faults[kind] += len(found)
        if judged.findings:
            self.failures[judged.seed] = judged.findings

    def enough(self, kills: int, hits: int) -> bool:
        """Whether there are so many kills, and so many hits of every point."""
        return self.kills >= kills and min(self.points.values()) >= hits

    @property
    def random_enough(self) -> bool:
        return self.random >= LEAST_RANDOM * self.kills

    def results(self) -> dict[str, Any]:
        """The figures for the file of results."""
        return {
            "kills": self.kills,
            "random": self.random,
            "first_starts": self.first_starts,
            "cases": self.cases,
            "points": dict(self.points),
            "workloads": dict(self.scenarios),
            **self.faults,
            "unknown": self.unknown,
            "reported": self.reported,
            "failures": sorted(self.failures),
        }


def measure() -> Undisturbed:
    """Run every workload once without killing anybody."""
    import_all()
    ready_to_fork()
    cases = {name: undisturbed(scenario) for name, scenario in SCENARIOS.items()}
    measures = {name: _measured(case) for name, case in cases.items()}
    return Undisturbed({name: _ending(case) for name, case in cases.items()}, measures)


def _measured(case: Case) -> dict[Role, Measure]:
    return {life.role: life.measure for life in case.lives}


def _ending(case: Case) -> Ending:
    done = case.lives[-1].done
    assert done is not None, "measured, so it is done"
    end = ending(done, case.plan.scenario)
    if wrong := judge(case, end).findings:
        raise RuntimeError(f"an undisturbed run of {case.plan.scenario.name} is wrong: {wrong}")
    return end


def run_again(seed: int, model: Undisturbed) -> tuple[Case, Judged]:
    """Run the case of one seed."""
    case = Case(plan(seed, model.measures)).run()
    return case, judge(case, model.endings[case.plan.scenario.name])


def run_many(
    seeds: Iterator[int], lanes: int, model: Undisturbed, done: Callable[[Judged], bool]
) -> None:
    """Run the cases of seeds side by side, until `done` says so about what came out."""
    running = {lane.process: lane for lane in (_Lane(model) for _ in range(lanes))}
    for lane in running.values():
        lane.give(next(seeds))
    stopping = False
    for process, message in hear(list(running), until=float("inf")):
        if isinstance(message, Judged):
            stopping = done(message) or stopping
            running[process].give(-1 if stopping else next(seeds))
        elif isinstance(message, Broke):
            raise RuntimeError(f"the rig itself failed:\n{message.trace}")
        elif message is None:
            running[process].end()


class _Lane:
    """A process that runs the cases it is given, one at a time."""

    def __init__(self, model: Undisturbed) -> None:
        take, self._give = os.pipe()
        hold(self._give)
        self.process: Process = start(lambda say: _run_lane(take, model, say))
        os.close(take)

    def give(self, seed: int) -> None:
        """Let it run a seed; -1 ends it."""
        os.write(self._give, seed.to_bytes(8, "big", signed=True))

    def end(self) -> None:
        self.process.end()
        close(self._give)


def _run_lane(take: int, model: Undisturbed, say: Say) -> None:
    while data := os.read(take, 8):
        seed = int.from_bytes(data, "big", signed=True)
        if seed < 0:
            return
        say(run_again(seed, model)[1])


def encode_results(totals: Totals) -> bytes:
    """The results as a JSON file."""
    return msgspec.json.format(msgspec.json.encode(totals.results()), indent=2) + b"\n"
