"""From a seed to a case: which workload, and when its processes are killed."""

from collections.abc import Mapping
from random import Random
from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.testing.crash.points import NAMES
from longrein.testing.crash.scenarios import FIRST_START, SCENARIOS, Scenario

Role: TypeAlias = Literal["alone", "host", "client"]
"""What a process is: the only one, the one that opens the thread, or the other one."""

AGAIN = 0.3
"""How likely the process that recovers is killed as well."""


class Kill(Struct, frozen=True):
    """The end of a process: at the `nth` reach of a point, or so many seconds after it began."""

    point: str = ""
    nth: int = 0
    after: float = 0


class Plan(Struct, frozen=True):
    """One case: its kills, one process after the other, and whom they meet.

    `waits`: the next process starts when the lease of the dead one is over, not at once. `resume`:
    it goes on by itself, not with the client's first command.
    """

    seed: int
    scenario: Scenario
    kills: tuple[Kill, ...]
    victim: Role = "alone"
    first_start: bool = False
    waits: bool = True
    resume: bool = False


class Measure(Struct, frozen=True):
    """An undisturbed process: how often it reaches each point, and how long it works."""

    counts: Mapping[str, int]
    seconds: float


Measures: TypeAlias = Mapping[str, Mapping[Role, Measure]]
"""What was measured: by workload and role."""


def plan(seed: int, measures: Measures) -> Plan:
    """The case of a seed. Three of five kill at random times, the others at the points in turn."""
    chance = Random(seed)
    turn, place = divmod(seed, 5)
    point = NAMES[(2 * turn + place) % len(NAMES)] if place < 2 else ""
    first_start = point.startswith("open.") or (not point and chance.random() < 0.04)
    if first_start:
        scenario, victim = SCENARIOS[FIRST_START], "alone"
    else:
        scenario, victim = _where(point, measures, chance)
    measure = measures[scenario.name][victim]
    kills = [_kill(point, measure, chance)]
    if point.startswith("lease.") and victim == "alone":
        # The lease is taken before the first append: only in a thread that is open does it count.
        kills.insert(0, _kill("", measure, chance))
    if first_start and not point:
        # The start is the short part before the first event.
        kills = [Kill(after=chance.uniform(0, 0.02))]
    # Where two processes work, the one after the first victim is always a client.
    next_one = measures[scenario.name]["alone" if scenario.processes == 1 else "client"]
    while chance.random() < AGAIN:
        kills.append(_kill(_any_point(next_one, chance), next_one, chance))
    return Plan(
        seed,
        scenario,
        tuple(kills),
        victim,
        first_start,
        waits=chance.random() < 0.3,
        resume=chance.random() < 0.5,
    )


def _where(point: str, measures: Measures, chance: Random) -> tuple[Scenario, Role]:
    """A workload and a process of it that gets to the point."""
    places: list[tuple[Scenario, Role]] = [
        (SCENARIOS[name], role)
        for name, roles in measures.items()
        for role, measure in roles.items()
        if not point or measure.counts.get(point)
    ]
    shares = [scenario.share for scenario, _ in places]
    return chance.choices(places, shares)[0]


def _kill(point: str, measure: Measure, chance: Random) -> Kill:
    if not point:
        return Kill(after=chance.uniform(0, measure.seconds))
    return Kill(point, 1 + int(chance.random() * measure.counts.get(point, 1)))


def _any_point(measure: Measure, chance: Random) -> str:
    return "" if chance.random() < 0.5 else chance.choice(sorted(measure.counts))
