"""When a run has had enough."""

from msgspec.structs import replace

from longrein.core.outcomes import LimitReached
from longrein.core.state import Run, State
from longrein.core.usage import Spent
from longrein.loop.setup import Budgets, Setup


def reached(run: Run, thread: Spent, budgets: Budgets) -> LimitReached | None:
    """The limit that forbids another step, if one does."""
    limits, spent = run.limits, run.spent
    if limits.steps is not None and spent.steps >= limits.steps:
        return LimitReached("steps", f"The run took {spent.steps} steps, its limit.")
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


def limited(state: State, setup: Setup) -> bool:
    """Whether money is limited: for the run under way, one that waits, or all."""
    run, budgets = state.run, setup.budgets
    limits = (run.limits if run else None, setup.limits, *(i.limits for i in state.queue))
    return budgets != Budgets() or any(one and one.cost is not None for one in limits)


def counted(state: State) -> Spent:
    """What the thread cost, with what is reserved for the call in flight."""
    reserved = state.step.reserved if state.step and state.step.phase != "tools" else 0
    return replace(state.spent, cost=state.spent.cost + reserved) if reserved else state.spent


def dollars(billionths: int) -> str:
    """An amount of money, for people.

    One too small for four digits was hardly meant in dollars, so it says what it is counted in.
    """
    if 0 < abs(billionths) < 100_000:
        return f"${billionths / 1_000_000_000:.9f} ({billionths:,} billionths of a dollar)"
    return f"${billionths / 1_000_000_000:.4f}"
