"""Tokens and money. Money is an integer of billionths of a dollar; None means that nobody knows."""

from msgspec import Struct

BILLIONTHS = 1_000_000_000
"""Of a dollar: what money is counted in."""

LARGEST = 2**63 - 1
"""The largest number that stores can keep."""

ASSUMED_OUTPUT = 32_000
"""What the output of a model call is held to, in tokens, where money is limited and no other
maximum is configured."""


class Usage(Struct, frozen=True, omit_defaults=True):
    """Tokens of one or more model calls.

    `input` counts everything that was sent, `cached` and `cache_written` are the parts of it that
    came from, or went to, the provider's cache; `reasoning` is the part of `output` spent thinking.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_written: int = 0
    reasoning: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.cache_written + other.cache_written,
            self.reasoning + other.reasoning,
        )

    def __sub__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input - other.input,
            self.output - other.output,
            self.cached - other.cached,
            self.cache_written - other.cache_written,
            self.reasoning - other.reasoning,
        )


class Spent(Struct, frozen=True, omit_defaults=True):
    """What a run or a thread has used so far.

    `cost` is the sum of the prices that are known; `unpriced` counts the calls whose price is not,
    so that a sum is never mistaken for the whole.
    """

    usage: Usage = Usage()
    cost: int = 0
    unpriced: int = 0
    steps: int = 0

    def add(self, usage: Usage, cost: int | None, steps: int = 1) -> "Spent":
        """The sum after one more model call; one that failed makes no step."""
        return Spent(
            self.usage + usage,
            self.cost + (cost or 0),
            self.unpriced + (cost is None),
            self.steps + steps,
        )

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            self.usage + other.usage,
            self.cost + other.cost,
            self.unpriced + other.unpriced,
            self.steps + other.steps,
        )

    def __sub__(self, other: "Spent") -> "Spent":
        return Spent(
            self.usage - other.usage,
            self.cost - other.cost,
            self.unpriced - other.unpriced,
            self.steps - other.steps,
        )


class Limits(Struct, frozen=True, omit_defaults=True):
    """Where a run stops with `LimitReached`. None is no limit.

    `cost` is in billionths of a dollar; `seconds` counts only the time in which something runs,
    not the time spent waiting for a person.
    """

    steps: int | None = 250
    tokens: int | None = None
    cost: int | None = None
    seconds: float | None = None
