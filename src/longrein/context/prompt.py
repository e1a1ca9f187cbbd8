"""What requests begin with: the system text and the tools on offer, in one place per mode."""

import hashlib
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from longrein.core.policy import Rule, Trust
from longrein.models.base import ToolSpec
from longrein.permissions.evaluate import hidden
from longrein.tools.registry import Registry


class Offer(Struct, frozen=True):
    """The tools that a model is offered, with a digest that changes when any of them does."""

    specs: tuple[ToolSpec, ...]
    names: tuple[str, ...]
    digest: str


class Prompt:
    """The system text and, for each mode and set of rules, the tools on offer."""

    def __init__(self, system: str, registries: Mapping[str, Registry]) -> None:
        self.system = system
        self._registries = registries
        self._offers: dict[tuple[str, frozenset[str]], Offer] = {}

    def saying(self, system: str) -> "Prompt":
        """The same tools under another system text."""
        other = Prompt(system, self._registries)
        other._offers = self._offers
        return other

    def offer(self, mode: str, rules: tuple[Rule, ...], trust: Trust = "ask") -> Offer:
        """The tools of a mode without those that a rule or the mode of trust denies."""
        registry = self._registries[mode]
        denied = frozenset[str]()
        if trust == "plan" or any(rule.effect == "deny" for rule in rules):
            denied = frozenset(
                tool.name
                for tool in registry.values()
                if hidden(tool.name, tool.category, rules, trust)
            )
        key = (mode, denied)
        if key not in self._offers:
            self._offers[key] = _offer(registry, denied)
        return self._offers[key]


def _offer(registry: Registry, denied: frozenset[str]) -> Offer:
    specs = tuple(spec for spec in registry.specs() if spec.name not in denied)
    digest = hashlib.sha256(msgspec.json.encode(specs)).hexdigest()[:16]
    return Offer(specs, tuple(spec.name for spec in specs), digest)
