"""When a run has had enough."""

from longrein.core.outcomes import LimitReached
from longrein.core.state import Run


def reached(run: Run) -> LimitReached | None:
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
    if limits.seconds is not None and run.busy >= limits.seconds * 1_000_000:
        return LimitReached("seconds", f"The run worked for {limits.seconds} s, its limit.")
    return None


def dollars(billionths: int) -> str:
    """An amount of money, for people."""
    return f"${billionths / 1_000_000_000:.4f}"
