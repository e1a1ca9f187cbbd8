"""The models that a harness has, and what they cost."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import Any, TypeAlias

from msgspec.structs import replace

from longrein.core.errors import UsageError
from longrein.core.usage import Usage
from longrein.models.base import Model
from longrein.models.catalog import ProviderSettings, Wire, account, find, known
from longrein.models.kept import KeptKey, KeptKeys
from longrein.models.listing import ModelInfo, Shelf, known_models
from longrein.models.place import Place
from longrein.models.price import Price
from longrein.models.rates import tariff_of
from longrein.models.secret import Secret

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
        self._keys: dict[str, asyncio.Future[str]] = {}
        """Kept keys by account, those included that are being fetched."""
        self._cost: Cost | None = None

    async def get(self, name: str) -> Model:
        """The model of a name. Raises `UsageError` where it cannot be had."""
        if name in self._given:
            return self._given[name]
        if not name:
            text = "No model is configured: give the agent one, such as model='anthropic:NAME'."
            raise UsageError(text)
        if name not in self._built:
            await self._build(name)
        return self._built[name]

    async def _build(self, name: str) -> None:
        if name.startswith("pydantic-ai:"):
            self._built[name] = self._load("pydantic-ai")(name.removeprefix("pydantic-ai:"))
            return
        place, wire = await self._find(name)
        if name not in self._built:  # others may have waited for the same key
            self._hide(place.key.name, place.key.reveal())
            self._built[name] = self._load(wire)(place)

    async def _find(self, name: str) -> tuple[Place, Wire]:
        kept = self._kept
        unasked = kept.unasked if kept else None
        place, wire = find(name, self._providers, self._environ, unasked)
        who = account(place.provider)
        entry = kept.entries.get(who) if kept else None
        if entry is None or place.key.reveal():
            return place, wire
        # Who gives up waiting leaves the others waiting, and the answer for whoever asks next.
        key = await asyncio.shield(self._fetch(who, entry))
        return replace(place, key=Secret(key, place.key.name)), wire

    def _fetch(self, who: str, entry: KeptKey) -> asyncio.Future[str]:
        """A kept key, asked for once however many wait for it; again where it was not to be had."""

        def forget_failed(key: asyncio.Future[str]) -> None:
            if key.cancelled() or key.exception():
                del self._keys[who]

        if who not in self._keys:
            self._keys[who] = _on_its_own(entry.reveal)
            self._keys[who].add_done_callback(forget_failed)
        return self._keys[who]

    async def known(
        self,
        named: Sequence[str] = (),
        *,
        provider: str = "",
        usable_only: bool = False,
        ask: bool = False,
    ) -> list[ModelInfo]:
        """The models that can be named: given, configured, and those of the price list.

        `named` are the names that agents and modes use. `provider` leaves out all others,
        `usable_only` those that cannot be used as things are. No model is built, and nobody is
        asked but, with `ask`, own providers and servers on this machine. Raises
        `UsageError` for a price that is not an amount of money.
        """
        await self.load_prices()
        names, given = tuple(named), tuple(self._given)
        shelf = Shelf(given, names, self._providers, self._environ, self._overrides, self._kept)
        # There are many, and each has to be looked up: not while others wait.
        found = await asyncio.to_thread(
            known_models, shelf, self._known_price, self.window_now, self._load("listed")
        )
        if ask:
            found += await self._offered({one.name for one in found}, provider)
        return [
            one
            for one in found
            if provider in ("", one.provider) and (one.usable or not usable_only)
        ]

    async def _offered(self, known_names: Collection[str], provider: str) -> list[ModelInfo]:
        """What providers, or the one named, say that they have, as far as nobody else named it."""
        offered = await asyncio.to_thread(self._load, "offered")
        asked = {who: one for who, one in self._providers.items() if provider in ("", who)}
        every: list[ModelInfo] = await offered(self._find, asked, self._environ)
        keys = {who.name: who.status for who in known(self._providers, self._environ, self._kept)}
        return [
            replace(one, key=one.key or keys[one.provider])
            for one in every
            if one.name not in known_names
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
        for key in self._keys.values():
            key.cancel()
        for model in self._built.values():
            await model.close()


def _on_its_own(call: Callable[[], str]) -> asyncio.Future[str]:
    """What a call gives that may wait for a person: leaving the program does not wait for it."""
    done = Future[str]()
    done.set_running_or_notify_cancel()

    def work() -> None:
        try:
            done.set_result(call())
        except BaseException as error:  # for those who wait, whatever it is
            done.set_exception(error)

    Thread(target=work, daemon=True).start()
    return asyncio.wrap_future(done)
