"""What tokens cost at the rates that a user sets, and in tiers."""

from decimal import Decimal

import pytest

from longrein.core.errors import UsageError
from longrein.core.usage import Usage
from longrein.models.price import Price
from longrein.models.rates import Rates, Tariff, tariff_of

MILLION = 1_000_000
DOLLAR = 10**9


def rates(input: str, output: str) -> Rates:
    return Rates(Decimal(input), Decimal(output), Decimal(input), Decimal(input))


def test_set_prices_are_exact() -> None:
    price = Price(0.1, "0.3", cached="0.01", cache_written="0.125")
    used = Usage(input=10, output=1, cached=3, cache_written=2)
    assert tariff_of(price).cost(used) == 5 * 100 + 3 * 10 + 2 * 125 + 1 * 300


def test_the_cache_costs_what_input_costs_where_nothing_else_is_set() -> None:
    used = Usage(input=MILLION, cached=400_000, cache_written=100_000)
    assert tariff_of(Price("2", "9")).cost(used) == 2 * DOLLAR


def test_free_is_said_and_not_guessed() -> None:
    assert tariff_of(Price("0", "0")).cost(Usage(input=10)) == 0


@pytest.mark.parametrize("wrong", ["free", "-1", "NaN", "inf", -0.5])
def test_a_price_is_an_amount(wrong: str | float) -> None:
    with pytest.raises(UsageError):
        tariff_of(Price(wrong, "1"))


def test_a_tier_holds_for_all_tokens_of_a_call_with_more_input() -> None:
    dear = rates("6", "20")
    tariff = Tariff(rates("3", "10"), ((200_000, dear), (500_000, rates("9", "30"))))
    assert tariff.cost(Usage(200_000, 1_000)) == 200_000 * 3_000 + 1_000 * 10_000
    assert tariff.cost(Usage(200_001, 1_000)) == 200_001 * 6_000 + 1_000 * 20_000
    assert tariff.cost(Usage(500_001)) == 500_001 * 9_000


def test_a_call_may_cost_something_itself() -> None:
    tariff = Tariff(rates("1", "1"), call=Decimal(12))
    assert tariff.cost(Usage(1_000)) == 1_000_000 + 12_000_000


def test_an_unknown_rate_matters_only_where_it_is_needed() -> None:
    tariff = Tariff(Rates(Decimal(1), None, Decimal(1), Decimal(1)))
    assert tariff.cost(Usage(input=10)) == 10_000
    assert tariff.cost(Usage(input=10, output=1)) is None


def test_absurd_usage_does_not_raise() -> None:
    used = Usage(input=-5, output=10**15, cached=10**9)
    assert tariff_of(Price("1", "10")).cost(used) == 10**15 * 10_000
