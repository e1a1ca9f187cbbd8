"""What model calls cost and how much models can hold, from a price list that ships as data.

The list comes with the extra `longrein[prices]`; nothing is ever downloaded. It is read when this
module is imported, which takes a moment. What it does not know is None, never zero.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from longrein.core.usage import Usage
from longrein.models.listing import Listed
from longrein.models.rates import Rates, Tariff

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, TieredPrices

try:
    from genai_prices.data_snapshot import get_snapshot
except ImportError:  # Without the extra there are still the prices that a user sets.
    get_snapshot = None

_LIST = get_snapshot() if get_snapshot else None
_ALIASES = {
    "bedrock": "aws",
    "google-gla": "google",
    "google-vertex": "google",
    "openai-chat": "openai",
    "xai": "x-ai",
}
_KINDS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")


def cost(model: str, usage: Usage) -> int | None:
    """What these tokens cost at `provider:model` now, in billionths of a dollar; None if unknown.

    >>> cost("nobody:nothing", Usage(input=1000)) is None
    True
    """
    found = _found(model)
    return None if found is None else _tariff(found).cost(usage)


def window(model: str) -> int | None:
    """How many tokens `provider:model` can hold; None if unknown.

    >>> window("nobody:nothing") is None
    True
    """
    found = _found(model)
    return None if found is None else found.context_window


def listed(provider: str) -> Iterator[Listed]:
    """The models of a provider that answer in text, as far as the list can tell."""
    for known in _LIST.providers if _LIST else ():
        for model in known.models if known.id == _theirs(provider) else ():
            # A name with an open end stands for many, such as those tuned for one customer.
            if _speaks(model) and not model.deprecated and not model.id.endswith("-"):
                yield Listed(model.id, model.context_window, _tariff(model).base)


@lru_cache(maxsize=4096)
def _found(model: str) -> "ModelInfo | None":
    provider, _, name = model.removeprefix("pydantic-ai:").partition(":")
    if _LIST is None or not provider:
        return None
    try:
        return _LIST.find_provider_model(name, None, _theirs(provider), None)[1]
    except LookupError:
        return None


def _theirs(provider: str) -> str:
    return _ALIASES.get(provider, provider)


def _speaks(model: "ModelInfo") -> bool:
    priced = {key for key, price in vars(_prices(model)).items() if price is not None}
    return not priced or "output_mtok" in priced


_tariffs: dict[int, Tariff] = {}
"""By the identity of the list's own prices, which live as long as the list."""


def _tariff(model: "ModelInfo") -> Tariff:
    prices = _prices(model)
    if id(prices) not in _tariffs:
        _tariffs[id(prices)] = _compiled(prices)
    return _tariffs[id(prices)]


def _prices(model: "ModelInfo") -> "ModelPrice":
    # Some prices begin on a day, or hold for some hours of every day.
    return model.get_prices(datetime.now(UTC))


def _compiled(prices: "ModelPrice") -> Tariff:
    kinds: list[Decimal | TieredPrices | None] = [getattr(prices, kind) for kind in _KINDS]
    tiered = [kind for kind in kinds if kind is not None and not isinstance(kind, Decimal)]
    starts = sorted({tier.start for kind in tiered for tier in kind.tiers})
    return Tariff(
        _rates(kinds, 0),
        tuple((start, _rates(kinds, start + 1)) for start in starts),
        _rate(prices.requests_kcount, 0) or Decimal(0),
    )


def _rates(kinds: "list[Decimal | TieredPrices | None]", input: int) -> Rates:
    plain, output, cached, written = (_rate(kind, input) for kind in kinds)
    otherwise = plain or Decimal(0)
    return Rates(
        plain,
        output,
        otherwise if cached is None else cached,
        otherwise if written is None else written,
    )


def _rate(price: "Decimal | TieredPrices | None", input: int) -> Decimal | None:
    if price is None or isinstance(price, Decimal):
        return price
    above = [tier.price for tier in price.tiers if input > tier.start]
    return above[-1] if above else price.base
