"""From a seed to a case: which workload, and when its processes are killed."""

from collections.abc import Mapping
from random import Random
from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.testing.crash.acts import Scenario
from longrein.testing.crash.points import NAMES, Kill
from longrein.testing.crash.scenarios import FIRST_START, SCENARIOS

Role: TypeAlias = Literal["alone", "host", "client"]
"""What a process is: the only one, the one that opens the thread, or the other one."""

AGAIN = 0.3
"""How likely the process that recovers is killed as well."""

LONGEST_ACT = 0.01
"""Seconds from the beginning of an act in which it is killed."""

LONGEST_REWIND = 0.03
"""The same of one that puts files back."""

ACTS = tuple(
    (scenario, act) for scenario in SCENARIOS.values() for act in scenario.acts if act.shows
)
"""The acts that leave something behind."""


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
    """The case of a seed. Of six two kill at a point, one at an act, and three at random times."""
    chance = Random(seed)
    turn, place = divmod(seed, 6)
    point = NAMES[(2 * turn + place) % len(NAMES)] if place < 2 else ""
    first_start = point.startswith("open.") or (place > 2 and chance.random() < 0.06)
    if first_start:
        scenario, victim = SCENARIOS[FIRST_START], "alone"
        # The start is the short part before the first event.
        start = Kill(after=chance.uniform(0, 0.02))
        kills = [_kill(point, measures[FIRST_START][victim], chance) if point else start]
    elif place == 2:
        scenario, victim, aimed = _aimed(turn, measures, chance)
        kills = [aimed]
    else:
        scenario, victim = _where(point, measures, chance)
        measure = measures[scenario.name][victim]
        kills = [_kill(point, measure, chance)]
        if point.startswith("lease.") and victim == "alone":
            # The lease is taken before the first append: it counts only in a thread that is open.
            kills.insert(0, _kill("", measure, chance))
    # Where two processes work, the one after the first victim is always a client.
    next_one = measures[scenario.name][_client(scenario)]
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


def _aimed(turn: int, measures: Measures, chance: Random) -> tuple[Scenario, Role, Kill]:
    """A kill at one act after the other: as soon as it is durable, and the next time at any time.

    Kills that are spread over a whole run would rarely meet the one write that matters.
    """
    again, place = divmod(turn, len(ACTS))
    scenario, act = ACTS[place]
    victim = _client(scenario)
    writes = not act.waits and measures[scenario.name][victim].counts.get("journal.durable")
    if writes and again % 2 == 0:
        return scenario, victim, Kill("journal.durable", 1, act=act.id)
    longest = LONGEST_REWIND if act.do in ("rewind", "undo") else LONGEST_ACT
    return scenario, victim, Kill(after=chance.uniform(0, longest), act=act.id)


def _client(scenario: Scenario) -> Role:
    return "alone" if scenario.processes == 1 else "client"


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
