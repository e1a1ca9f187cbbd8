"""Reservations: never more than is left, never less output than is paid for."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from longrein.core.usage import ASSUMED_OUTPUT, Usage
from longrein.loop.reserve import MINIMUM, Reservation, reserve

Pricing = Callable[[Usage], int | None]


def priced(input: int, output: int, written: int | None = None, step: int = 0) -> Pricing:
    """So much for each token; more than 200,000 of input cost twice as much, output in steps."""

    def price(usage: Usage) -> int:
        factor = 2 if usage.input > 200_000 else 1
        plain = usage.input - usage.cached - usage.cache_written
        fresh = usage.cache_written * (input if written is None else written)
        spoken = usage.output * output + usage.output // 100 * step
        return factor * (plain * input + fresh + spoken)

    return price


def worst(price: Pricing, input: int, output: int) -> int:
    plain, written = price(Usage(input, output)), price(Usage(input, output, cache_written=input))
    assert plain is not None
    assert written is not None
    return max(plain, written)


amounts = st.integers(0, 5 * 10**9)
inputs = st.integers(0, 400_000)
outputs = st.none() | st.integers(1, 200_000)
prices = st.builds(
    priced,
    st.integers(0, 20_000),
    st.integers(0, 100_000),
    st.none() | st.integers(0, 30_000),
    st.integers(0, 10_000),
)


def spoken(found: Reservation, max_output: int | None) -> int:
    """The output that the request will be sent with."""
    if found.max_output is not None:
        return found.max_output
    return ASSUMED_OUTPUT if max_output is None else max_output


@given(amounts, inputs, outputs, prices)
def test_the_worst_price_is_never_above_what_is_left(
    left: int, input: int, max_output: int | None, price: Pricing
) -> None:
    found = reserve(left, input, max_output, price)
    if found is not None:
        assert found.cost == worst(price, input, spoken(found, max_output)) <= left


@given(amounts, inputs, outputs, prices)
def test_the_output_is_the_largest_that_is_paid_for(
    left: int, input: int, max_output: int | None, price: Pricing
) -> None:
    most = ASSUMED_OUTPUT if max_output is None else max_output
    found = reserve(left, input, max_output, price)
    if found is None:
        assert worst(price, input, min(MINIMUM, most)) > left
        return
    output = spoken(found, max_output)
    assert min(MINIMUM, most) <= output <= most
    assert output == most or worst(price, input, output + 1) > left


@given(amounts, amounts, inputs, outputs, prices)
def test_more_money_never_gives_less_output(
    less: int, more: int, input: int, max_output: int | None, price: Pricing
) -> None:
    less, more = sorted((less, more))
    poor, rich = (reserve(left, input, max_output, price) for left in (less, more))
    if poor is not None:
        assert rich is not None
        assert spoken(rich, max_output) >= spoken(poor, max_output)


def test_output_without_a_maximum_is_held_to_what_was_reserved() -> None:
    expected = Reservation(100 + ASSUMED_OUTPUT, ASSUMED_OUTPUT)
    assert reserve(10**9, 100, None, priced(1, 1)) == expected


def test_a_configured_output_stays_in_the_request() -> None:
    assert reserve(10**9, 100, 500, priced(1, 1)) == Reservation(600, 500)


def test_a_configured_output_above_the_ceiling_is_reserved_whole() -> None:
    assert reserve(10**9, 0, 64_000, priced(1, 1)) == Reservation(64_000, 64_000)


def test_a_cut_above_the_ceiling_is_told_too() -> None:
    assert reserve(40_000, 0, 64_000, priced(1, 1)) == Reservation(40_000, 40_000)


def test_input_is_reserved_at_the_price_of_writing_the_cache_where_that_is_dearer() -> None:
    assert reserve(10**9, 100, 50, priced(4, 1, written=5)) == Reservation(550, 50)
    assert reserve(10**9, 100, 50, priced(4, 1, written=1)) == Reservation(450, 50)


def test_less_than_the_minimum_is_refused() -> None:
    assert reserve(100 + MINIMUM, 100, None, priced(1, 1)) == Reservation(116, MINIMUM)
    assert reserve(100 + MINIMUM - 1, 100, None, priced(1, 1)) is None


def test_a_smaller_configured_output_is_not_refused_for_being_small() -> None:
    assert reserve(105, 100, 5, priced(1, 1)) == Reservation(105, 5)


def test_an_unknown_price_is_refused() -> None:
    assert reserve(10**9, 100, None, lambda usage: None) is None


def test_a_price_that_is_unknown_for_the_cache_is_refused() -> None:
    assert reserve(10**9, 9, None, lambda usage: None if usage.cache_written else 1) is None


def test_what_is_free_is_never_cut() -> None:
    assert reserve(0, 100, None, priced(0, 0)) == Reservation(0, None)


def test_nothing_left_pays_for_nothing() -> None:
    assert reserve(-1, 0, None, priced(1, 1)) is None


def test_the_price_is_asked_a_few_dozen_times_at_most() -> None:
    asked = 0

    def price(usage: Usage) -> int:
        nonlocal asked
        asked += 1
        return usage.output

    reserve(31_999, 100, 10**6, price)
    assert asked < 60
