"""When a run has had enough."""

from longrein.core import words
from longrein.core.outcomes import LimitReached
from longrein.core.state import Run, State
from longrein.core.usage import Spent
from longrein.loop.setup import Budgets, Setup
from longrein.loop.tree import counted as counted


def reached(run: Run, thread: Spent, budgets: Budgets) -> LimitReached | None:
    """The limit that forbids another step, if one does."""
    limits, spent = run.limits, run.spent
    if limits.steps is not None and spent.steps >= limits.steps:
        return LimitReached(
            "steps", f"The run took {words.counted(spent.steps, 'step')}, its limit."
        )
    if limits.tokens is not None and spent.usage.total >= limits.tokens:
        used = spent.usage.total
        return LimitReached("tokens", f"The run used {used} of {limits.tokens} tokens.")
    if limits.cost is not None and spent.cost >= limits.cost:
        return LimitReached(
            "cost", f"The run cost {dollars(spent.cost)} of {dollars(limits.cost)}."
        )
    if limits.cost is not None and spent.unpriced:
        text = "The run has a limit of money, but the price of its model is not known."
        return LimitReached("cost", f"{text} Set a price for it, or take the limit away.")
    if budgets.thread is not None and thread.cost >= budgets.thread:
        spent = f"{dollars(thread.cost)} of {dollars(budgets.thread)}"
        return LimitReached("cost", f"The thread cost {spent}, its budget.")
    if limits.seconds is not None and run.busy >= limits.seconds * 1_000_000:
        return LimitReached("seconds", f"The run worked for {limits.seconds} s, its limit.")
    return None


def reached_here(state: State, run: Run, setup: Setup) -> LimitReached | None:
    """The limit that forbids another step, of the run with all below it or of those above it."""
    ledger = setup.ledger
    limit = reached(ledger.run(state, run), ledger.whole(state), setup.budgets)
    return limit or (setup.above.over() if setup.above else None)


def limited(state: State, setup: Setup) -> bool:
    """Whether money is limited: for the run under way, one that waits, or all."""
    run, budgets = state.run, setup.budgets
    limits = (run.limits if run else None, setup.limits, *(i.limits for i in state.queue))
    if setup.above is not None and setup.above.left() is not None:
        return True
    return budgets != Budgets() or any(one and one.cost is not None for one in limits)


def dollars(billionths: int) -> str:
    """An amount of money, for people.

    One too small for four digits was hardly meant in dollars, so it says what it is counted in.
    """
    if 0 < abs(billionths) < 100_000:
        return f"{words.dollars(billionths, '.9f')} ({billionths:,} billionths of a dollar)"
    return words.dollars(billionths)
