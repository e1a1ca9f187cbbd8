"""What a model call may cost at worst, and what it must be cut to so that it is paid for."""

from collections.abc import Callable

from msgspec import Struct

from longrein.core.usage import ASSUMED_OUTPUT, Usage

MINIMUM = 16
"""With less output than this, in tokens, a call is not worth making."""


class Reservation(Struct, frozen=True):
    """What is set aside for one call.

    `cost` is its worst price, in billionths of a dollar. `max_output` is what its output has to be
    held to, in tokens, so that it costs no more; None where it costs nothing.
    """

    cost: int
    max_output: int | None


def reserve(
    left: int, input_tokens: int, max_output: int | None, price: Callable[[Usage], int | None]
) -> Reservation | None:
    """What to set aside of `left` for a call with so much input and at most so much output.

    Nothing of the input is taken to come from a cache, and all of it to be written to one where
    that is dearer. Output that `left` does not pay for is cut off, never more than it has to be.
    Without a maximum it is held to `ASSUMED_OUTPUT`. None: even the smallest call worth making is
    too dear, or its price is not known. `price` must not fall when output grows, and need not be
    linear.

    >>> def price(usage: Usage) -> int:
    ...     return 3 * usage.input + 15 * usage.output
    >>> reserve(1_000_000, 1_000, None, price)
    Reservation(cost=483000, max_output=32000)
    >>> reserve(100_000, 1_000, None, price)
    Reservation(cost=99990, max_output=6466)
    >>> reserve(3_000, 1_000, None, price) is None
    True
    """

    def worst(output: int) -> int | None:
        plain = price(Usage(input_tokens, output))
        written = price(Usage(input_tokens, output, cache_written=input_tokens))
        return None if plain is None or written is None else max(plain, written)

    most = ASSUMED_OUTPUT if max_output is None else max_output
    output = _largest(min(MINIMUM, most), most, left, worst)
    cost = None if output is None else worst(output)
    if output is None or cost is None:
        return None
    return Reservation(cost, output if cost or output < most else None)


def _largest(least: int, most: int, left: int, worst: Callable[[int], int | None]) -> int | None:
    """The largest output from `least` to `most` that `left` pays for, found by halving."""

    def paid(output: int) -> bool:
        cost = worst(output)
        return cost is not None and cost <= left

    if paid(most):
        return most
    if not paid(least):
        return None
    while most - least > 1:
        middle = (least + most) // 2
        if paid(middle):
            least = middle
        else:
            most = middle
    return least
