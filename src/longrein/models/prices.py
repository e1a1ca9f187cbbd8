"""What model calls cost and how much models can hold, from a price list that ships as data.

The list comes with the extra `longrein[prices]`; nothing is ever downloaded. What neither it nor
an override knows is None, never zero.
"""

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import TYPE_CHECKING

from longrein.core.errors import UsageError
from longrein.core.usage import Usage
from longrein.models.price import Price

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider

try:
    from genai_prices.data_snapshot import get_snapshot
except ImportError:  # Without the extra there are still the overrides.
    get_snapshot = None

_ALIASES = {"bedrock": "aws", "google-gla": "google", "google-vertex": "google", "xai": "x-ai"}
_BILLIONTHS = 10**9
_PER_TOKEN = 1000
"""A dollar per million tokens, in billionths of a dollar per token."""


def cost(model: str, usage: Usage, overrides: Mapping[str, Price] | None = None) -> int | None:
    """What these tokens cost at `provider:model`, in billionths of a dollar; None if unknown.

    An entry of `overrides` under the same name comes before the list. Raises `UsageError` for an
    override that is not an amount of money.

    >>> cost("nobody:nothing", Usage(input=1000)) is None
    True
    """
    usage = _sane(usage)
    override = (overrides or {}).get(model)
    if override is not None:
        return _overridden(override, usage)
    found = _found(model)
    return None if found is None else _listed(*found, usage)


def window(model: str, overrides: Mapping[str, Price] | None = None) -> int | None:
    """How many tokens `provider:model` can hold; None if unknown.

    >>> window("nobody:nothing") is None
    True
    """
    override = (overrides or {}).get(model)
    if override is not None and override.window is not None:
        return override.window
    found = _found(model)
    return None if found is None else found[1].context_window


def _sane(usage: Usage) -> Usage:
    """The same, with nothing below zero and no part greater than its whole."""
    whole = max(usage.input, 0)
    cached = min(max(usage.cached, 0), whole)
    written = min(max(usage.cache_written, 0), whole - cached)
    return Usage(whole, max(usage.output, 0), cached, written)


def _overridden(price: Price, usage: Usage) -> int:
    plain = usage.input - usage.cached - usage.cache_written
    input = _amount(price.input)
    cached = input if price.cached is None else _amount(price.cached)
    written = input if price.cache_written is None else _amount(price.cache_written)
    total = plain * input + usage.cached * cached + usage.cache_written * written
    return _whole((total + usage.output * _amount(price.output)) * _PER_TOKEN)


def _amount(value: str | float) -> Decimal:
    # By way of text: 0.1 is meant, not the binary fraction next to it.
    try:
        amount = Decimal(str(value))
    except InvalidOperation as error:
        raise UsageError(f"{value!r} is not a price in dollars per million tokens.") from error
    if not amount.is_finite() or amount < 0:
        raise UsageError(f"{value!r} is not a price in dollars per million tokens.")
    return amount


def _found(model: str) -> "tuple[Provider, ModelInfo] | None":
    if get_snapshot is None:
        return None
    provider, _, name = model.partition(":")
    try:
        known = _ALIASES.get(provider, provider)
        return get_snapshot().find_provider_model(name, None, known, None)
    except LookupError:
        return None


def _listed(provider: "Provider", model: "ModelInfo", usage: Usage) -> int | None:
    counted = {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_tokens": usage.cached,
        "cache_write_tokens": usage.cache_written,
    }
    try:
        priced = model.calc_price(counted, provider)
    except (LookupError, ValueError):
        return None
    # The list has models without any price; to it they cost nothing, to us nobody knows.
    if usage.input and priced.model_price.input_mtok is None:
        return None
    if usage.output and priced.model_price.output_mtok is None:
        return None
    return _whole(priced.total_price * _BILLIONTHS)


def _whole(amount: Decimal) -> int:
    return int(amount.to_integral_value(ROUND_HALF_UP))
