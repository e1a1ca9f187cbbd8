"""Limits as files say them."""

from msgspec import Struct

from longrein.core.usage import BILLIONTHS, LARGEST, Limits


class LimitsTable(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Where a run stops; `cost` in dollars. None: this does not say it.

    >>> LimitsTable(cost=1.5).limits().cost
    1500000000
    >>> LimitsTable(cost=float("inf")).wrong()
    'cost: inf is not a number above 0.'
    """

    steps: int | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None

    def wrong(self) -> str:
        """What of it makes no sense, with the key before it; empty: nothing."""
        for key, count in (("steps", self.steps), ("tokens", self.tokens)):
            if count is not None and not 1 <= count <= LARGEST:
                return f"{key}: {count} is not a whole number from 1 on."
        for key, amount in (("cost", self.cost), ("seconds", self.seconds)):
            if why := wrong_amount(amount):
                return f"{key}: {why}"
        return ""

    def limits(self) -> Limits:
        """The same for a run; `wrong` was asked before."""
        steps = Limits().steps if self.steps is None else self.steps
        cost = None if self.cost is None else round(self.cost * BILLIONTHS)
        return Limits(steps, self.tokens, cost, self.seconds)


def wrong_amount(amount: float | None) -> str:
    """Why nothing can be held to so many dollars or seconds; empty: it can."""
    if amount is None:
        return ""
    if not 0 < amount < float("inf"):
        return f"{amount} is not a number above 0."
    if amount * BILLIONTHS > LARGEST:
        return f"{amount} is too much to be counted. Leave it out for no limit."
    return ""
