"""Whether a session that is opened again shows what clients were told, and no half of it. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any

from longrein.testing.crash.acts import Act, Scenario
from longrein.testing.crash.case import Case, Life
from longrein.testing.crash.view import View
from longrein.testing.crash.wire import Began, Done, Told

Stage = dict[str, Any]
"""Fields of a view, as they are when so many acts are done."""


def not_shown(case: Case, done: Done) -> Iterator[str]:
    """What each process found when it opened the thread, and the last one at the end."""
    scenario = case.plan.scenario
    told = 0
    for life in case.lives:
        for message in life.said:
            if isinstance(message, Began) and message.log:
                yield from _differences(scenario, message.view, told)
        # A host lives on while others come: nobody knows what it was told by then.
        if life.role != "host":
            told = max(told, _told(life, scenario.acts))
    yield from _differences(scenario, done.view, len(scenario.acts))


def _told(life: Life, acts: Sequence[Act]) -> int:
    """How many acts a client knows to be done."""
    done = {message.command for message in life.said if isinstance(message, Told)}
    return _reached(acts, done)


def _reached(acts: Sequence[Act], done: set[str]) -> int:
    return max((place for place, act in enumerate(acts, 1) if act.id in done), default=0)


def _differences(scenario: Scenario, view: View, told: int) -> Iterator[str]:
    """A command that is known has had all of its effect, one that is not has had none of it."""
    acts, known = scenario.acts, set(view.commands)
    for act in acts[:told]:
        if not (act.waits or act.may_be_late or act.id in known):
            yield f"command {act.id} was answered and is not there when the thread is opened"
    first = last = max(told, _reached(acts, known))
    while last < len(acts) and acts[last].waits:
        last += 1
    allowed, shown = _stages(scenario)[first : last + 1], view.fields
    groups = [(field,) for field in allowed[0]] + [act.together for act in acts[first:last]]
    for group in groups:
        got = [shown[field] for field in group]
        wanted = [[stage[field] for field in group] for stage in allowed]
        if got not in wanted:
            yield f"after {first} acts {'and '.join(group)} is {got}, not one of {wanted}"


def _stages(scenario: Scenario) -> list[Stage]:
    """What is shown after each number of acts, of the fields that the workload speaks of."""
    named = {field for act in scenario.acts for field in act.shows}
    stages = [{field: value for field, value in View().fields.items() if field in named}]
    for act in scenario.acts:
        stages.append({**stages[-1], **act.shows})
    return stages
