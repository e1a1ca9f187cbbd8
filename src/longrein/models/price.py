"""What a user says a model costs, where the price list does not know it or knows it wrongly."""

from msgspec import Struct


class Price(Struct, frozen=True, omit_defaults=True):
    """Dollars per million tokens, as text, or as a number that reads as meant.

    Without a price of its own what is read from or written to the cache costs what input costs.
    `window` is the number of tokens that the model can hold, None where it is not known.

    >>> from longrein import Price
    >>> Price("0.5", "2", cached="0.05").window is None
    True
    """

    input: str | float
    output: str | float
    cached: str | float | None = None
    cache_written: str | float | None = None
    window: int | None = None
