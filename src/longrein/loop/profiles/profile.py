"""`Profile`: what goes with a model, and how two of them are merged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TypeAlias, TypeGuard

from longrein.capabilities.base import Capability
from longrein.context.tuning import Tuning
from longrein.core.errors import UsageError
from longrein.core.naming import snake_case
from longrein.loop.agent import DEFAULT_SETTINGS
from longrein.loop.checks import by_name, check_text, check_values, listed
from longrein.models.base import ModelSettings
from longrein.models.settings import merged as merged_settings

Added: TypeAlias = Capability | Callable[[], Capability]
"""A capability, or what makes one: a class, or a function without arguments."""

TASK, TASKS = "task", "tasks"

Excluded: TypeAlias = type[Capability] | str
"""A capability by its class (subclasses too) or by its name."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What goes with a provider or a model, whichever agent uses it.

    `prompt` is the last section of the system text. `base_prompt` stands instead of the agent's
    `base_prompt`; None leaves that. `tool_descriptions` change what a model is told of tools, by
    their names; `excluded_tools` are neither offered to it nor callable by it. `capabilities` are
    added to the agent's, `excluded_capabilities` taken away, by class or name. `settings` hold
    where the agent and the harness set nothing else. With `alone`, nothing of what weaker
    profiles say holds. `reason` says what the profile is there for.

    Names of tools and capabilities that an agent does not have change nothing.

    >>> from longrein import Profile
    >>> Profile(prompt="Be brief.", excluded_tools={"execute"}).excluded_tools
    frozenset({'execute'})
    """

    _: KW_ONLY
    prompt: str = ""
    base_prompt: str | None = None
    tool_descriptions: Mapping[str, str] = field(default_factory=dict[str, str])
    excluded_tools: frozenset[str] = frozenset()
    capabilities: Sequence[Added] = ()
    excluded_capabilities: frozenset[Excluded] = frozenset()
    settings: ModelSettings = DEFAULT_SETTINGS
    alone: bool = False
    reason: str = ""

    def __post_init__(self) -> None:
        check_text("prompt of a profile", self.prompt)
        check_text("reason of a profile", self.reason)
        if self.base_prompt is not None:
            check_text("base_prompt of a profile", self.base_prompt)
        by_name("tool_descriptions of a profile", self.tool_descriptions, str)
        check_values("settings of a profile", self.settings, ModelSettings)
        tools = listed("excluded_tools of a profile", self.excluded_tools, str, "names of tools")
        gone = self.excluded_capabilities
        excluded = listed("excluded_capabilities of a profile", gone, object, "capabilities")
        added = listed("capabilities of a profile", self.capabilities, object, "capabilities")
        for one in excluded:
            if not isinstance(one, str) and not _is_class(one):
                raise UsageError(
                    f"excluded_capabilities of a profile are classes or names; {one!r} is neither."
                )
        for one in added:
            if not isinstance(one, Capability) and not callable(one):
                raise UsageError(
                    "capabilities of a profile are capabilities, or functions that make one; "
                    f"{one!r} is neither."
                )
        object.__setattr__(self, "prompt", self.prompt.strip())
        object.__setattr__(self, "reason", self.reason.strip())
        object.__setattr__(self, "excluded_tools", frozenset(tools))
        object.__setattr__(self, "excluded_capabilities", frozenset(excluded))
        object.__setattr__(self, "capabilities", tuple(added))

    @property
    def tuning(self) -> Tuning:
        """What of this changes with the model while a thread goes on."""
        gone = self.excluded_tools
        # Who cannot delegate has no children to look after.
        gone = gone | {TASKS} if TASK in gone else gone
        return Tuning(self.prompt, self.base_prompt, self.tool_descriptions, gone)

    def excludes(self, added: Added) -> bool:
        """Whether this takes a capability away. What a function would make is not known."""
        return any(_is(added, one) for one in self.excluded_capabilities)


def merged(below: Profile, above: Profile) -> Profile:
    """`below` with what `above` says.

    Prompts, excluded tools, capabilities and excluded ones add up; descriptions and settings are
    merged, and the later wins; of two base prompts the later counts.

    >>> both = merged(Profile(prompt="One."), Profile(prompt="Two.", excluded_tools={"ls"}))
    >>> both.prompt, both.excluded_tools
    ('One.\\n\\nTwo.', frozenset({'ls'}))
    """
    if above.alone:
        return above
    kept = [one for one in below.capabilities if not above.excludes(one)]
    return Profile(
        prompt=_together("\n\n", below.prompt, above.prompt),
        base_prompt=below.base_prompt if above.base_prompt is None else above.base_prompt,
        tool_descriptions={**below.tool_descriptions, **above.tool_descriptions},
        excluded_tools=below.excluded_tools | above.excluded_tools,
        capabilities=(*kept, *above.capabilities),
        excluded_capabilities=below.excluded_capabilities | above.excluded_capabilities,
        settings=merged_settings(below.settings, above.settings),
        alone=below.alone,
        reason=_together(" ", below.reason, above.reason),
    )


def _is(added: Added, excluded: Excluded) -> bool:
    if isinstance(added, Capability):
        kind, name = type(added), added.name
    elif _is_class(added):
        kind, name = added, snake_case(added.__name__)
    else:
        return False
    if isinstance(excluded, str):
        return excluded in (name, kind.__name__)
    return issubclass(kind, excluded)


def _is_class(given: object) -> TypeGuard[type[Capability]]:
    return isinstance(given, type) and issubclass(given, Capability)


def _together(between: str, below: str, above: str) -> str:
    return between.join(text for text in (below, above) if text)
