"""The models that a harness has, and what they cost."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from longrein.core.errors import UsageError
from longrein.core.usage import Usage
from longrein.models.base import Model
from longrein.models.catalog import ProviderSettings, build
from longrein.models.price import Price

Cost: TypeAlias = Callable[[str, Usage, Mapping[str, Price]], int | None]


class Models:
    """The models of a harness by name, built when they are first needed, and what they cost.

    `given` are those that came as objects. `load` gives the implementation of a name.
    """

    def __init__(
        self,
        given: Mapping[str, Model],
        providers: Mapping[str, ProviderSettings],
        environ: Mapping[str, str],
        prices: Mapping[str, Price],
        load: Callable[[str], Any],
    ) -> None:
        self._given = given
        self._load = load
        self._providers = providers
        self._environ = environ
        self._overrides = prices
        self._built: dict[str, Model] = {}
        self._cost: Cost | None = None

    def get(self, name: str) -> Model:
        """The model of a name. Raises `UsageError` where it cannot be had."""
        if name in self._given:
            return self._given[name]
        if not name:
            text = "No model is configured: give the agent one, such as model='anthropic:NAME'."
            raise UsageError(text)
        if name not in self._built:
            self._built[name] = self._build(name)
        return self._built[name]

    def _build(self, name: str) -> Model:
        if name.startswith("pydantic-ai:"):
            return self._load("pydantic-ai")(name.removeprefix("pydantic-ai:"))
        return build(name, self._providers, self._environ, self._load)

    async def price(self, name: str, usage: Usage) -> int | None:
        """What a call cost; None where nobody knows."""
        if name in self._given and name not in self._overrides:
            return None
        cost = self._cost
        if cost is None:
            # The list is large: it is read beside the event loop, once.
            cost = self._cost = await asyncio.to_thread(self._load, "prices")
            return await asyncio.to_thread(cost, name, usage, self._overrides)
        return cost(name, usage, self._overrides)

    async def close(self) -> None:
        for model in self._built.values():
            await model.close()
