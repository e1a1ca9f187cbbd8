"""`longrein usage`: what the threads of a project used, and what it cost."""

from argparse import Namespace
from collections.abc import Coroutine
from typing import Any

import msgspec
from msgspec.structs import replace

from longrein.cli import exits
from longrein.cli.terminal import DIM, Screen
from longrein.cli.workplace import Workplace, find_plain_workplace
from longrein.core.usage import BILLIONTHS, Spent
from longrein.core.words import dollars
from longrein.storage.base import Store, ThreadRow
from longrein.storage.trees import tree_of

ALL = "all threads, deleted ones too"


def usage(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """A line for each of the threads used last, and one for all together."""
    return _usage(find_plain_workplace(screen), arguments, screen)


async def _usage(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    async with place.harness() as harness:
        rows = [
            replace(row, spent=await _whole(harness.store, row))
            for row in await harness.threads(place.resource, limit=arguments.limit)
        ]
        total = await harness.spent(place.resource)
    if not arguments.json:
        screen.say(_columns("steps", "tokens", "cost", "thread"), DIM)
    for row in rows:
        said = _json(row.spent, row.id) if arguments.json else _line(row.spent, row.title)
        screen.out(f"{said}\n")
    screen.out(f"{_json(total, '') if arguments.json else _line(total, ALL)}\n")
    if not arguments.json:
        _budgets(place, total, screen)
    return exits.FINISHED


async def _whole(store: Store, row: ThreadRow) -> Spent:
    """What a thread used, with all children below it."""
    return sum((one.spent for one in await tree_of(store, row)), Spent())


def _line(spent: Spent, title: str) -> str:
    return _columns(f"{spent.steps:,}", f"{spent.usage.total:,}", cost(spent), title)


def _columns(steps: str, tokens: str, cost: str, title: str) -> str:
    return f"{steps:>7} {tokens:>13} {cost:>11}  {title}"


def cost(spent: Spent) -> str:
    """What was spent, in dollars; with a sign where more was that nobody knows the price of."""
    if spent.unpriced and not spent.cost:
        return "?"
    return f"{dollars(spent.cost)}{'+?' if spent.unpriced else ''}"


def _json(spent: Spent, thread: str) -> str:
    """`thread` is empty for all threads together."""
    data = {
        "thread": thread or None,
        "steps": spent.steps,
        "usage": spent.usage,
        "cost": spent.cost / BILLIONTHS,
        "unpriced": spent.unpriced,
    }
    return msgspec.json.encode(data).decode()


def _budgets(place: Workplace, total: Spent, screen: Screen) -> None:
    budgets = place.settings.budgets
    if budgets.thread is not None:
        screen.say(f"budget of a thread: {dollars(budgets.thread, '.2f')}", DIM)
    if budgets.resource is not None:
        left = dollars(max(budgets.resource - total.cost, 0), ".2f")
        screen.say(f"budget of all: {dollars(budgets.resource, '.2f')}, {left} left", DIM)
