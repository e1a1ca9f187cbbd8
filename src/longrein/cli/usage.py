"""`longrein usage`: what the threads of a project used, and what it cost."""

from argparse import Namespace

from msgspec.structs import replace

from longrein.cli import exits
from longrein.cli.placed import in_plain_place
from longrein.cli.terminal import DIM, Screen
from longrein.cli.workplace import Workplace
from longrein.client.figures import money
from longrein.core.usage import BILLIONTHS, Spent
from longrein.core.words import dollars
from longrein.storage.base import Store, ThreadRow
from longrein.storage.trees import tree_of

ALL = "all threads, deleted ones too"


@in_plain_place
async def usage(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """A line for each of the threads used last, and one for all together."""
    async with place.harness() as harness:
        rows = [
            replace(row, spent=await _whole(harness.store, row))
            for row in await harness.threads(place.resource, limit=arguments.limit)
        ]
        total = await harness.spent(place.resource)
    if not arguments.json:
        screen.say(_columns("steps", "tokens", "cost", "thread"), DIM)
    for row in rows:
        _put(screen, row.spent, row.id, row.title, json=arguments.json)
    _put(screen, total, "", ALL, json=arguments.json)
    if not arguments.json:
        _budgets(place, total, screen)
    return exits.FINISHED


async def _whole(store: Store, row: ThreadRow) -> Spent:
    """What a thread used, with all children below it."""
    return sum((one.spent for one in await tree_of(store, row)), Spent())


def _put(screen: Screen, spent: Spent, thread: str, title: str, *, json: bool) -> None:
    """One line; `thread` is empty for all threads together."""
    if not json:
        line = _columns(f"{spent.steps:,}", f"{spent.usage.total:,}", money(spent), title)
        screen.out(f"{line}\n")
        return
    data = {
        "thread": thread or None,
        "steps": spent.steps,
        "usage": spent.usage,
        "cost": spent.cost / BILLIONTHS,
        "unpriced": spent.unpriced,
    }
    screen.out_json(data)


def _columns(steps: str, tokens: str, cost: str, title: str) -> str:
    return f"{steps:>7} {tokens:>13} {cost:>11}  {title}"


def _budgets(place: Workplace, total: Spent, screen: Screen) -> None:
    budgets = place.settings.budgets
    if budgets.thread is not None:
        screen.say(f"budget of a thread: {dollars(budgets.thread, '.2f')}", DIM)
    if budgets.resource is not None:
        left = dollars(max(budgets.resource - total.cost, 0), ".2f")
        screen.say(f"budget of all: {dollars(budgets.resource, '.2f')}, {left} left", DIM)
