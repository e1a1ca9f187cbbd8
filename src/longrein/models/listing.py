"""Which models can be named here, whether they can be used, and what they cost."""

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from longrein.core.errors import UsageError
from longrein.core.usage import Usage
from longrein.core.words import dollars
from longrein.models.catalog import PROVIDERS, ProviderSettings, find, known
from longrein.models.kept import KeptKeys
from longrein.models.price import Price
from longrein.models.rates import Rates

Source: TypeAlias = Literal["configured", "given", "listed"]

_ADAPTED = "pydantic-ai"
_ADAPTER = "pydantic_ai"
_GOOGLE = ("GOOGLE_API_KEY", "GEMINI_API_KEY")


class ModelInfo(Struct, frozen=True):
    """A model that can be named.

    `usable`: its key is there, or it needs none, and so is what it takes to speak to it; otherwise
    `problem` says what to do. `input` and `output` are prices in billionths of a dollar per million
    tokens, before any surcharge for long input; `window` is how many tokens it can hold. None is
    not known. `source` tells how it came here: `given` as an object, `configured` by an agent, a
    mode or a price, or `listed` in the price list. `key` says how it is with the provider's key.

    >>> from longrein import ModelInfo
    >>> print(ModelInfo("house:large", "house", True, window=8_000, input=500_000_000, output=0))
    house:large: $0.5 in, $0 out per million tokens, holds 8,000 tokens
    >>> print(ModelInfo("groq:some", "groq", False, "Set GROQ_API_KEY."))
    groq:some: price unknown. Cannot be used: Set GROQ_API_KEY.
    """

    name: str
    provider: str
    usable: bool
    problem: str = ""
    window: int | None = None
    input: int | None = None
    output: int | None = None
    source: Source = "listed"
    key: str = ""

    def __str__(self) -> str:
        parts = ["price unknown"]
        if self.input is not None and self.output is not None:
            prices = f"{dollars(self.input, '.6g')} in, {dollars(self.output, '.6g')} out"
            parts = [f"{prices} per million tokens"]
        if self.window is not None:
            parts.append(f"holds {self.window:,} tokens")
        text = f"{self.name}: {', '.join(parts)}"
        return text if self.usable else f"{text}. Cannot be used: {self.problem}"


class Shelf(Struct, frozen=True):
    """What a harness knows of models: the names that were given or used, and the settings."""

    given: tuple[str, ...]
    named: tuple[str, ...]
    providers: Mapping[str, ProviderSettings]
    environ: Mapping[str, str]
    overrides: Mapping[str, Price]
    kept: KeptKeys | None = None

    def problem_with(self, name: str) -> str:
        """As the function of that name says it."""
        return problem_with(name, self.providers, self.environ, self.kept)


class Listed(Struct, frozen=True):
    """A model of the price list, by the provider's own name for it."""

    model: str
    window: int | None
    rates: Rates


def known_models(
    shelf: Shelf,
    price: Callable[[str, Usage], int | None],
    window: Callable[[str], int | None],
    listed: Callable[[str], Iterable[Listed]],
) -> list[ModelInfo]:
    """Every model that can be named, once: given, configured, then listed by provider and name.

    `listed` gives the models of a provider. Nothing is built, opened or asked.
    """
    found: dict[str, ModelInfo] = {}
    for name in (*shelf.given, *shelf.named, *shelf.overrides):
        if name and name not in found:
            found[name] = _configured(name, shelf, price, window(name))
    for one in _of_the_list(shelf, listed):
        found.setdefault(one.name, one)
    keys = {who.name: who.status for who in known(shelf.providers, shelf.environ, shelf.kept)}
    return [replace(one, key=keys.get(one.provider, "")) for one in found.values()]


def _configured(
    name: str, shelf: Shelf, price: Callable[[str, Usage], int | None], window: int | None
) -> ModelInfo:
    given = name in shelf.given
    problem = "" if given else shelf.problem_with(name)
    return ModelInfo(
        name,
        name.partition(":")[0],
        not problem,
        problem,
        window,
        _per_million(lambda tokens: price(name, Usage(input=tokens))),
        _per_million(lambda tokens: price(name, Usage(output=tokens))),
        "given" if given else "configured",
    )


def problem_with(
    name: str,
    providers: Mapping[str, ProviderSettings],
    environ: Mapping[str, str],
    kept: KeptKeys | None = None,
) -> str:
    """What keeps the model `name` from being used, and what to do; empty if nothing is known to.

    Of a model of Pydantic AI it is only known whether the package is there and, for the providers
    that are known here, the key. Nobody is asked for a key.

    >>> from longrein.models.listing import problem_with
    >>> problem_with("groq:some", {}, {})
    "The provider 'groq' needs a key: set the environment variable GROQ_API_KEY."
    """
    who, _, theirs = name.partition(":")
    if who == _ADAPTED:
        return _problem_adapted(theirs.partition(":")[0], environ)
    try:
        find(name, providers, environ, kept and kept.unasked)
    except UsageError as error:
        return str(error)
    return ""


def _problem_adapted(provider: str, environ: Mapping[str, str]) -> str:
    if importlib.util.find_spec(_ADAPTER) is None:
        return "Models of Pydantic AI need the extra: install longrein[pydantic-ai]."
    there = PROVIDERS.get(provider)
    keys = (there.key_env,) if there and there.key_env else ()
    if provider in ("google", "google-gla"):
        keys = _GOOGLE
    if keys and not any(environ.get(key, "").strip() for key in keys):
        named = " or ".join(keys)
        return f"The provider {provider!r} needs a key: set the environment variable {named}."
    return ""


def _of_the_list(shelf: Shelf, listed: Callable[[str], Iterable[Listed]]) -> Iterator[ModelInfo]:
    for provider in known(shelf.providers, shelf.environ, shelf.kept):
        who = provider.name
        problem = shelf.problem_with(f"{who}:any")
        for one in sorted(listed(who), key=lambda one: one.model):
            yield ModelInfo(
                f"{who}:{one.model}",
                who,
                not problem,
                problem,
                one.window,
                _in_billionths(one.rates.input),
                _in_billionths(one.rates.output),
            )


_SOME = 1_000
"""Few enough tokens that no surcharge is on them, and enough that nothing is rounded."""


def _per_million(cost: Callable[[int], int | None]) -> int | None:
    # The difference leaves out what a call costs whatever is said in it.
    less, more = cost(_SOME), cost(2 * _SOME)
    return None if less is None or more is None else (more - less) * (1_000_000 // _SOME)


def _in_billionths(price: Decimal | None) -> int | None:
    return None if price is None else int(price * 10**9)
