"""What can be found wrong with settings before anything runs, in words for whoever wrote them.

What users give may be of any type, whatever the annotations say.
"""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from inspect import iscoroutinefunction, signature, unwrap
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import SlashCommand
from longrein.context.summary import Compaction
from longrein.core.errors import UsageError
from longrein.core.policy import Rule
from longrein.core.records import Point
from longrein.core.slices import Slice
from longrein.core.usage import Limits
from longrein.core.words import counted
from longrein.loop.agent import Agent, Mode
from longrein.loop.retry import Retry
from longrein.loop.setup import Budgets
from longrein.models.base import ModelSettings
from longrein.models.catalog import PROVIDERS, ProviderSettings
from longrein.models.price import Price
from longrein.models.rates import tariff_of

T = TypeVar("T")

SECTIONS = ("base", "agent", "profile")
"""The sections of the system text that are of no capability."""

HOOKS: dict[Point, int] = {
    "before_run": 1,
    "before_model": 1,
    "after_model": 2,
    "before_tool": 2,
    "after_tool": 3,
    "before_finish": 2,
    "on_event": 2,
}
"""The points at which a capability can be asked, with how many arguments."""


def meant(name: str, known: Iterable[str]) -> str:
    """A guess at what was meant, as a sentence; where there is none, all that there is.

    >>> meant("wirte", ["read", "write"])
    " Did you mean 'write'?"
    >>> meant("x", ["read", "write"])
    ' There are: read, write.'
    """
    names = list(known)
    if near := get_close_matches(name, names, n=1):
        return f" Did you mean {near[0]!r}?"
    return f" There are: {', '.join(names) or 'none'}."


def listed(what: str, given: Any, kind: type[T], called: str = "") -> tuple[T, ...]:
    """The members of a list, `called` so in errors: `UsageError` for no list, or others in it.

    >>> listed("unpriced", ["a:b"], str)
    ('a:b',)
    >>> listed("unpriced", "a:b", str)
    Traceback (most recent call last):
    longrein.core.errors.UsageError: unpriced is a list of str, not 'a:b'.
    """
    called = called or kind.__name__
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise UsageError(f"{what} is a list of {called}, not {given!r}.")
    members = tuple(cast("Iterable[Any]", given))
    for one in members:
        if not isinstance(one, kind):
            raise UsageError(f"{what} is a list of {called}; {one!r} is none.")
    return members


def by_name(what: str, given: Any, kind: type[T]) -> Mapping[str, T]:
    """What is given by names. Raises `UsageError` for anything else."""
    if not isinstance(given, Mapping):
        raise UsageError(f"{what} is a dict from names to {kind.__name__}, not {given!r}.")
    named = cast("Mapping[Any, Any]", given)
    for name, one in named.items():
        if not isinstance(name, str) or not isinstance(one, kind):
            raise UsageError(
                f"{what} is a dict from names to {kind.__name__}; {name!r}: {one!r} does not fit."
            )
    return named


def check_values(what: str, given: Any, kind: type[Struct]) -> None:
    """Raises `UsageError` where an object is not of its type, or a field of it is not."""
    if not isinstance(given, kind):
        raise UsageError(f"{what} is an object of {kind.__name__}, not {given!r}.")
    try:
        msgspec.convert(msgspec.to_builtins(given), kind)
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        raise UsageError(f"{what} makes no sense: {error}.") from None


def check_amounts(what: str, given: Any, kind: type[Limits] | type[Budgets]) -> None:
    """Raises `UsageError` for limits that are none: of a wrong type, or below zero."""
    if not isinstance(given, kind):
        raise UsageError(f"{what} is an object of {kind.__name__}, not {given!r}.")
    try:
        msgspec.convert(msgspec.to_builtins(given), kind)
    except msgspec.ValidationError as error:
        text = "money is in billionths of a dollar, and all but seconds are whole numbers"
        raise UsageError(f"These {what} make no sense: {error} ({text}).") from None
    for name in given.__struct_fields__:
        if (amount := getattr(given, name)) is not None and not amount >= 0:
            raise UsageError(f"{what} has {name}={amount!r}; give 0 or more, None for no limit.")


def check_agent(agent: Any) -> None:
    """Raises `UsageError` for what is not an agent, or has what no agent can have."""
    if not isinstance(agent, Agent):
        raise UsageError(f"A harness is made for an Agent, not for {agent!r}.")
    who = f"the agent {agent.name!r}"
    for name in ("instructions", "model", "tools"):
        if iscoroutinefunction(getattr(agent, name)):
            raise UsageError(
                f"{name} of {who} cannot be an async function: let Harness(deps=...) wait for "
                "what it needs, or a capability's context()."
            )
    if not callable(agent.instructions):
        check_text(f"instructions of {who}", agent.instructions)
    if not callable(agent.tools):
        listed(f"tools of {who}", agent.tools, object, "tools")
    check_text(f"base_prompt of {who}", agent.base_prompt)
    check_values(f"settings of {who}", agent.settings, ModelSettings)


def check_text(what: str, given: Any) -> None:
    """Raises `UsageError` for what is not a text."""
    if not isinstance(given, str):
        raise UsageError(f"{what} is a text, not {given!r}.")


def check_modes(modes: tuple[Mode, ...]) -> None:
    """Raises `UsageError` where modes cannot be told apart or lead nowhere."""
    if not modes:
        raise UsageError("There is no mode: give at least one, or leave modes out.")
    ids = [mode.id for mode in modes]
    if twice := next((id for id in ids if ids.count(id) > 1), ""):
        raise UsageError(f"Two modes are called {twice!r}; give each mode an id of its own.")
    defaults = [mode.id for mode in modes if mode.default]
    if len(defaults) > 1:
        raise UsageError(f"The modes {' and '.join(map(repr, defaults))} are both the default.")
    for number, mode in enumerate(modes, 1):
        if not mode.id:
            raise UsageError(f"Mode number {number} has no id; give each mode one of its own.")
        if mode.tools is not None and mode.additional_tools is not None:
            raise UsageError(
                f"Mode {mode.id!r} has both tools (instead of the agent's) and additional_tools "
                "(beside them); choose one."
            )
        if mode.transitions_to and mode.transitions_to not in ids:
            raise UsageError(
                f"Mode {mode.id!r} transitions to {mode.transitions_to!r}, which is not a mode; "
                f"there are: {', '.join(ids)}."
            )
        _check_lists(mode)


def _check_lists(mode: Mode) -> None:
    listed(f"rules of mode {mode.id!r}", mode.rules, Rule)
    listed(f"visible of mode {mode.id!r}", mode.visible or (), str)
    listed(f"tools of mode {mode.id!r}", mode.tools or (), object, "tools")
    listed(f"additional_tools of mode {mode.id!r}", mode.additional_tools or (), object, "tools")


def check_capabilities(capabilities: tuple[Capability, ...]) -> None:
    """Raises `UsageError` for what is not a capability, and for one that could never work."""
    for capability in capabilities:
        if not isinstance(capability, Capability):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UsageError(
                f"{capability!r} is not a capability: give an object of a class of your own that "
                "inherits from longrein.Capability."
            )
        _check_parts(capability)
        _check_hooks(capability)
    names = [capability.name for capability in capabilities]
    if taken := next((name for name in names if name in SECTIONS), ""):
        raise UsageError(f"A capability cannot be called {taken!r}: the system text has that part.")
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise UsageError(f"Two capabilities are called {twice!r}; each can be there once.")


def _check_parts(capability: Capability) -> None:
    who = type(capability).__name__
    if not isinstance(capability.slice, Slice | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"slice of {who} is a Slice, not {capability.slice!r}.")
    listed(f"tools() of {who}", capability.tools(), object, "tools")
    listed(f"rules() of {who}", capability.rules(), Rule)
    listed(f"commands() of {who}", capability.commands(), SlashCommand)


def _check_hooks(capability: Capability) -> None:
    who = type(capability).__name__
    for name in dir(type(capability)):
        if name in HOOKS or not name.startswith(("before_", "after_", "on_")):
            continue
        if iscoroutinefunction(getattr(type(capability), name)) and meant(name, HOOKS):
            raise UsageError(
                f"{who}.{name} would never be called: there is no such hook.{meant(name, HOOKS)}"
            )
    for point, count in HOOKS.items():
        hook = getattr(capability, point)
        if not capability.has(point):
            continue
        if not iscoroutinefunction(unwrap(hook)):
            raise UsageError(f"{who}.{point} has to be an async function: write `async def`.")
        try:
            signature(hook).bind(*range(count))
        except TypeError as error:
            raise UsageError(
                f"{who}.{point} is called with {counted(count, 'argument')} after "
                f"self, which it does not take: {error}."
            ) from None


def check_rules(rules: Iterable[tuple[str, Rule]], tools: Collection[str]) -> None:
    """Raises `UsageError` for a rule about a tool that there is not: it would decide nothing."""
    for source, rule in rules:
        if rule.tool and rule.tool not in tools:
            raise UsageError(
                f"A rule ({source}) is about the tool {rule.tool!r}, which no mode has."
                f"{meant(rule.tool, sorted(tools))}"
            )


def check_model(name: str, providers: Collection[str]) -> None:
    """Raises `UsageError` for the name of a model that nobody could find."""
    who, _, model = name.partition(":")
    if not who or not model:
        raise UsageError(f"{name!r} is not a model: write 'provider:model'.")
    check_provider(f"the model {name!r}", who, providers)


def check_provider(what: str, who: str, providers: Collection[str]) -> None:
    """Raises `UsageError` for a provider that nobody knows."""
    if who not in providers:
        raise UsageError(
            f"There is no provider {who!r} for {what}.{meant(who, sorted(providers))} "
            "Others are set with Harness(providers=...)."
        )


def known_providers(given: Any) -> frozenset[str]:
    """Every provider that can be named, those that were given among them."""
    return frozenset((*PROVIDERS, "pydantic-ai", *by_name("providers", given, ProviderSettings)))


def check_others(
    providers: Collection[str] | None,
    titles: Any,
    model_settings: Any,
    prices: Any,
    unpriced: Any,
    retry: Any,
    deps: Any,
    migrate: Any,
    lease_seconds: Any,
) -> None:
    """Raises `UsageError` for what a harness is given beside its terms and makes no sense."""
    if isinstance(titles, str) and providers is not None:
        check_model(titles, providers)
    elif titles is not None and not isinstance(titles, str) and not hasattr(titles, "stream"):
        raise UsageError(f"titles is a model, by name or as an object, not {titles!r}.")
    for name, settings in by_name("model_settings", model_settings or {}, ModelSettings).items():
        what = f"model_settings[{name!r}]"
        check_provider(what, name.partition(":")[0], {*(providers or ()), "custom"})
        check_values(what, settings, ModelSettings)
    for price in by_name("prices", prices or {}, Price).values():
        tariff_of(price)
    listed("unpriced", unpriced, str)
    _check_retry(Retry() if retry is None else retry)
    for what, given in (("deps", deps), ("migrate", migrate)):
        if given is not None and not callable(given):
            raise UsageError(f"{what} is a function, not {given!r}.")
    if not isinstance(lease_seconds, int | float) or not lease_seconds > 0:
        raise UsageError(f"lease_seconds is {lease_seconds!r}; give more than 0.")


def check_compaction(providers: Collection[str] | None, given: Any) -> Compaction:
    """What a harness is given about compaction, or what holds without. Raises `UsageError`."""
    if given is None:
        return Compaction()
    if not isinstance(given, Compaction):
        raise UsageError(f"Give a Compaction, such as Compaction(share=0.8), not {given!r}.")
    if isinstance(given.model, str):
        if given.model and providers is not None:
            check_model(given.model, providers)
    elif not hasattr(given.model, "stream"):
        raise UsageError(f"The model of a Compaction is one, by name or object: {given.model!r}.")
    return given


def _check_retry(given: Any) -> None:
    check_values("retry", given, Retry)
    if given.attempts < 1 or not given.longest_hint >= 0:
        raise UsageError(
            f"{given!r} makes no sense: attempts counts the first one, so 1 or more, and "
            "longest_hint is 0 or more."
        )
