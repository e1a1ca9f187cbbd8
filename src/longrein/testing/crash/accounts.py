"""Whether what was used is what the log says was used: by a run, a thread and a resource. Pure."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from longrein.core import events as e
from longrein.core.usage import Spent, Usage
from longrein.testing.crash.view import View


class Account(Struct):
    """What a log comes to: of the run under way, of the thread, and set aside for a call."""

    run: Spent = Spent()
    thread: Spent = Spent()
    reserved: int = 0
    open: bool = False


def miscounted(events: Sequence[e.Event], view: View, *, limited: bool) -> Iterator[str]:
    """Where a view of a thread with these events counts otherwise.

    Where money is `limited` the resource knows of every call at once, else when a run is over.
    """
    account = count(events)
    if view.spent != account.thread:
        yield f"the thread has spent {view.spent}, and its log says {account.thread}"
    if view.run_spent != account.run:
        yield f"the run has spent {view.run_spent}, and its log says {account.run}"
    if limited or not account.open:
        total = account.thread.cost + account.reserved + view.beside_spent.cost
        if view.resource_spent.cost != total:
            yield f"the resource has spent {view.resource_spent}, and its threads {total}"


def count(events: Sequence[e.Event]) -> Account:
    """What was used, by the log alone."""
    account = Account()
    for event in events:
        match event:
            case e.RunStarted():
                account.run, account.open = Spent(), True
            case e.RunEnded():
                account.run, account.open = Spent(), False
            case e.StepStarted(reserved=reserved):
                account.reserved = reserved
            case e.StepEnded() | e.StepInterrupted():
                _spend(account, event.usage, event.cost, steps=1)
            case e.StepFailed():
                if event.usage.total or (account.reserved and _may_have_cost(event)):
                    _spend(account, event.usage, event.cost, steps=0)
                account.reserved = 0
            case _:
                pass
    return account


def _may_have_cost(event: e.StepFailed) -> bool:
    """Whether money may have been spent on a call that failed, so that what was reserved counts."""
    return event.problem.kind in ("lost", "internal") or event.dropped > 0


def _spend(account: Account, usage: Usage, cost: int | None, steps: int) -> None:
    if not usage.total:
        # Nobody said what it used: at worst what was set aside.
        cost = account.reserved or cost
    account.run = account.run.add(usage, cost, steps)
    account.thread = account.thread.add(usage, cost, steps)
    account.reserved = 0
