"""Sums of what threads spent."""

from collections.abc import Iterable

from longrein.core.usage import Spent


def total(spent: Iterable[Spent]) -> Spent:
    """All of it together."""
    sum = Spent()
    for each in spent:
        sum = Spent(
            sum.usage + each.usage,
            sum.cost + each.cost,
            sum.unpriced + each.unpriced,
            sum.steps + each.steps,
        )
    return sum
