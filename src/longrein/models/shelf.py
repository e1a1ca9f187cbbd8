"""The models that a harness has, and what they cost."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeAlias

from longrein.core.errors import UsageError
from longrein.core.usage import Usage
from longrein.models.base import Model
from longrein.models.catalog import ProviderSettings, find
from longrein.models.kept import KeptKeys
from longrein.models.listing import ModelInfo, Shelf, known_models
from longrein.models.price import Price
from longrein.models.rates import tariff_of

Cost: TypeAlias = Callable[[str, Usage], int | None]


class Models:
    """The models of a harness by name, built when they are first needed, and what they cost.

    `given` are those that came as objects. `load` gives the implementation of a name. `unpriced`
    are those that cost nothing where nobody knows what they cost: money does not limit them.
    `kept` are keys beside those of settings and environment; `hide` is told the name and the value
    of each key before it is used.
    """

    def __init__(
        self,
        given: Mapping[str, Model],
        providers: Mapping[str, ProviderSettings],
        environ: Mapping[str, str],
        prices: Mapping[str, Price],
        load: Callable[[str], Any],
        unpriced: Collection[str] = (),
        kept: KeptKeys | None = None,
        hide: Callable[[str, str], None] = lambda name, key: None,
    ) -> None:
        self._given = given
        self._load = load
        self._providers = providers
        self._environ = environ
        self._overrides = prices
        self._unpriced = frozenset(unpriced)
        self._kept = kept
        self._hide = hide
        self._built: dict[str, Model] = {}
        self._building = asyncio.Lock()
        self._cost: Cost | None = None

    async def get(self, name: str) -> Model:
        """The model of a name. Raises `UsageError` where it cannot be had."""
        if name in self._given:
            return self._given[name]
        if not name:
            text = "No model is configured: give the agent one, such as model='anthropic:NAME'."
            raise UsageError(text)
        if name not in self._built:
            # One at a time: nobody is asked twice for the same key.
            async with self._building:
                if name not in self._built:
                    self._built[name] = await self._build(name)
        return self._built[name]

    async def _build(self, name: str) -> Model:
        if name.startswith("pydantic-ai:"):
            return self._load("pydantic-ai")(name.removeprefix("pydantic-ai:"))
        # A keyring may take its time, or wait for a person to open it.
        place, wire = await asyncio.to_thread(
            find, name, self._providers, self._environ, self._kept
        )
        self._hide(place.key.name, place.key.reveal())
        return self._load(wire)(place)

    async def known(
        self, named: Sequence[str] = (), *, provider: str = "", usable_only: bool = False
    ) -> list[ModelInfo]:
        """The models that can be named: given, configured, and those of the price list.

        `named` are the names that agents and modes use. `provider` leaves out all others,
        `usable_only` those that cannot be used as things are. No model is built and nobody is
        asked. Raises `UsageError` for a price that is not an amount of money.
        """
        await self.load_prices()
        names, given = tuple(named), tuple(self._given)
        shelf = Shelf(given, names, self._providers, self._environ, self._overrides, self._kept)
        # There are many, and each has to be looked up: not while others wait.
        found = await asyncio.to_thread(
            known_models, shelf, self._known_price, self.window_now, self._load("listed")
        )
        return [
            one
            for one in found
            if provider in ("", one.provider) and (one.usable or not usable_only)
        ]

    async def load_prices(self) -> None:
        """Read the price list if it was not read yet. It is large: this is done beside the loop."""
        if self._cost is None:
            self._cost = await asyncio.to_thread(self._load, "prices")

    async def price(self, name: str, usage: Usage) -> int | None:
        """What a call cost; None where nobody knows."""
        if name not in self._given and name not in self._overrides:
            await self.load_prices()
        return self.price_now(name, usage)

    def price_now(self, name: str, usage: Usage) -> int | None:
        """What a call costs, as `price` says it; before `load_prices` only from what was set."""
        known = self._known_price(name, usage)
        return 0 if known is None and name in self._unpriced else known

    def _known_price(self, name: str, usage: Usage) -> int | None:
        if name in self._overrides:
            return tariff_of(self._overrides[name]).cost(usage)
        if name in self._given or self._cost is None:
            return None
        return self._cost(name, usage)

    def window_now(self, name: str) -> int | None:
        """How many tokens a model can hold; before `load_prices` only where it was set."""
        override = self._overrides.get(name)
        if override is not None and override.window is not None:
            return override.window
        if name in self._given or self._cost is None:
            return None
        return self._load("windows")(name)

    async def close(self) -> None:
        for model in self._built.values():
            await model.close()
