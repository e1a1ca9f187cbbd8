"""What tokens cost: a rate for each kind of token, exact, with tiers for long input."""

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache

from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.core.usage import Usage
from longrein.models.price import Price

_PER_TOKEN = 1000
"""A dollar per million tokens, in billionths of a dollar per token."""
_PER_CALL = 1_000_000
"""A dollar per thousand calls, in billionths of a dollar per call."""


class Rates(Struct, frozen=True):
    """Dollars per million tokens of each kind; None where nobody knows."""

    input: Decimal | None
    output: Decimal | None
    cached: Decimal
    cache_written: Decimal


class Tariff(Struct, frozen=True):
    """The rates of a model.

    Each of `tiers` has the rates for a call with more input than its number; the smallest is first.
    `call` is what every call costs beside its tokens, in dollars per thousand calls.
    """

    base: Rates
    tiers: tuple[tuple[int, Rates], ...] = ()
    call: Decimal = Decimal(0)

    def cost(self, usage: Usage) -> int | None:
        """What a call with these tokens costs, in billionths of a dollar; None if unknown.

        Usage that makes no sense is made sense of: nothing is below zero, and no part is greater
        than its whole.
        """
        whole = max(usage.input, 0)
        cached = min(max(usage.cached, 0), whole)
        written = min(max(usage.cache_written, 0), whole - cached)
        output = max(usage.output, 0)
        rates = self._rates(whole)
        input, spoken = rates.input, rates.output
        if (whole and input is None) or (output and spoken is None):
            return None
        plain = whole - cached - written
        total = cached * rates.cached + written * rates.cache_written
        total += plain * (input or 0) + output * (spoken or 0)
        exact = total * _PER_TOKEN + self.call * _PER_CALL
        return int(exact.to_integral_value(ROUND_HALF_UP))

    def _rates(self, input: int) -> Rates:
        rates = self.base
        for above, dearer in self.tiers:
            if input > above:
                rates = dearer
        return rates


@lru_cache(maxsize=1024)
def tariff_of(price: Price) -> Tariff:
    """The tariff that a user has set. Raises `UsageError` for what is not an amount of money.

    >>> tariff_of(Price("0.50", "1.50")).cost(Usage(input=1_000, output=100))
    650000
    """
    input = _amount(price.input)
    cached = input if price.cached is None else _amount(price.cached)
    written = input if price.cache_written is None else _amount(price.cache_written)
    return Tariff(Rates(input, _amount(price.output), cached, written))


def _amount(value: str | float) -> Decimal:
    # By way of text: 0.1 is meant, not the binary fraction next to it.
    try:
        amount = Decimal(str(value))
    except InvalidOperation as error:
        raise UsageError(f"{value!r} is not a price in dollars per million tokens.") from error
    if not amount.is_finite() or amount < 0:
        raise UsageError(f"{value!r} is not a price in dollars per million tokens.")
    return amount
