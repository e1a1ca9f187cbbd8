"""What requests begin with: the system text and the tools on offer, in one place per mode."""

import hashlib
from collections.abc import Callable, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from longrein.context.tuning import UNTUNED, Tuning
from longrein.core.policy import Rule, Trust
from longrein.core.records import Source
from longrein.models.base import ToolSpec
from longrein.permissions.evaluate import hidden
from longrein.tools.registry import Registry

BASE = "base"
"""The section that says how to work: the agent's base prompt, or that of a profile."""
PROFILE = "profile"
"""The section that a profile adds for its model, after all others."""
BETWEEN = "\n\n"
"""What stands between two sections of the system text."""


class Offer(Struct, frozen=True):
    """The tools that a model is offered, with a digest that changes when any of them does."""

    specs: tuple[ToolSpec, ...]
    names: tuple[str, ...]
    digest: str


class Prompt:
    """The sections of the system text and, for each mode and set of rules, the tools on offer.

    `sections` is what each source says at present. A new epoch puts it into the system text; until
    then what has changed is told in notes. `tools` are those that a source is about: where a
    profile excludes all of them, it has nothing to say.
    """

    def __init__(
        self,
        sections: Mapping[str, str],
        registries: Mapping[str, Registry],
        clean: Callable[[str], str] = str,
        tools: Mapping[str, frozenset[str]] = {},
    ) -> None:
        self.sections = {name: clean(text) for name, text in sections.items()}
        self._said = dict(self.sections)
        self._tools = tools
        self._silent = frozenset[str]()
        self._digests = {name: digest(text) for name, text in self.sections.items()}
        self._base = self.sections.get(BASE, "")
        self._registries = registries
        self._clean = clean
        self._offers: dict[tuple[object, ...], Offer] = {}

    def saying(self, sections: Mapping[str, str], clean: Callable[[str], str] = str) -> "Prompt":
        """The same tools under another system text, of which `clean` leaves what may be known: what
        is written down of a section is then as long as it is said to be."""
        other = Prompt(sections, self._registries, clean, self._tools)
        other._offers = self._offers
        return other

    @property
    def system(self) -> str:
        """The system text as an epoch that began now would have it."""
        return BETWEEN.join(text for text in self.sections.values() if text)

    def sources(self) -> tuple[Source, ...]:
        """What the system text is made of, with the sections that are empty at present."""
        return tuple(
            Source(name, len(text), self._digests[name]) for name, text in self.sections.items()
        )

    def say(self, source: str, text: str) -> None:
        """A source says this now."""
        self._said[source] = self._clean(text)
        self._show(source)

    def _show(self, source: str) -> None:
        text = "" if source in self._silent else self._said[source]
        if self.sections.get(source) != text:
            self.sections[source] = text
            self._digests[source] = digest(text)

    def tune(self, tuning: Tuning) -> None:
        """Say what is said to a model of this tuning."""
        gone, before = tuning.excluded_tools, self._silent
        self._silent = frozenset(n for n, own in self._tools.items() if own and own <= gone)
        for name in (before ^ self._silent) & self._said.keys():
            self._show(name)
        if BASE in self.sections:
            self.say(BASE, self._base if tuning.base_prompt is None else tuning.base_prompt.strip())
        if tuning.prompt or PROFILE in self.sections:
            self.say(PROFILE, tuning.prompt)

    def changed(self, known: Mapping[str, str]) -> dict[str, str]:
        """The sources that say something else than what the model knows, with their digests."""
        if known == self._digests:
            return {}
        now = {**dict.fromkeys(known, NOTHING), **self._digests}
        return {name: one for name, one in now.items() if known.get(name, NOTHING) != one}

    def offer(
        self,
        mode: str,
        rules: tuple[Rule, ...],
        trust: Trust = "ask",
        tuning: Tuning = UNTUNED,
        without: frozenset[str] = frozenset(),
    ) -> Offer:
        """The tools of a mode without those that a rule, the mode of trust or a profile denies, and
        `without` others."""
        registry = self._registries[mode]
        denied = frozenset[str]()
        if trust == "plan" or any(rule.effect == "deny" for rule in rules):
            denied = frozenset(
                tool.name
                for tool in registry.values()
                if hidden(tool.name, tool.category, rules, trust)
            )
        denied |= tuning.excluded_tools | without
        key = (mode, denied, *tuning.tool_descriptions.items())
        if key not in self._offers:
            self._offers[key] = _offer(registry, denied, tuning.tool_descriptions)
        return self._offers[key]


def digest(text: str) -> str:
    """The digest of a section."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


NOTHING = digest("")
"""The digest of a section that says nothing."""


def _offer(registry: Registry, denied: frozenset[str], said: Mapping[str, str]) -> Offer:
    specs = tuple(
        replace(spec, description=said.get(spec.name, spec.description))
        for spec in registry.specs()
        if spec.name not in denied
    )
    digest = hashlib.sha256(msgspec.json.encode(specs)).hexdigest()[:16]
    return Offer(specs, tuple(spec.name for spec in specs), digest)
