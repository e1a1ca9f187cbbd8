"""The tables of a settings file, and what is made of each.

None, or empty, leaves what an earlier layer says. `wrong` is what of a table makes no sense, with
the key before it; empty: nothing.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.context.summary import Compaction
from longrein.core.limits_table import wrong_amount
from longrein.core.policy import Category, Rule
from longrein.core.preferences import Preferences, Reasoning, Way
from longrein.loop.profiles.profile import Profile
from longrein.models.base import Effort, Media, ModelSettings
from longrein.settings.said import all_said
from longrein.workspace.rules import FileRule, Operation

Effect: TypeAlias = Literal["allow", "ask", "deny"]

MOST_TEMPERATURE = 2


class BudgetTable(Struct, frozen=True, omit_defaults=True):
    """What a whole thread, and all threads of a project together, may cost, in dollars."""

    thread: float | None = None
    project: float | None = None

    def wrong(self) -> str:
        for key, amount in (("thread", self.thread), ("project", self.project)):
            if why := wrong_amount(amount):
                return f"{key}: {why}"
        return ""


class SubagentsTable(Struct, frozen=True, omit_defaults=True):
    """Whether the agent delegates, whether to a general-purpose child too, and how deep."""

    enabled: bool | None = None
    default: bool | None = None
    depth: int | None = None

    def wrong(self) -> str:
        return f"depth: {self.depth} is below 0." if self.depth and self.depth < 0 else ""


class SwitchTable(Struct, frozen=True, omit_defaults=True):
    """Whether the agent has it at all."""

    enabled: bool | None = None


class ObservingTable(Struct, frozen=True, omit_defaults=True):
    """Whether notes are taken on long conversations, by which models, and at how many tokens."""

    enabled: bool | None = None
    model: str = ""
    reflector_model: str = ""
    observe_at: int | None = None
    reflect_at: int | None = None

    def wrong(self) -> str:
        for key, tokens in (("observe_at", self.observe_at), ("reflect_at", self.reflect_at)):
            if tokens is not None and tokens < 1:
                return f"{key}: {tokens} is not a whole number from 1 on."
        return ""


class CompactionTable(Struct, frozen=True, omit_defaults=True):
    """As in `Compaction`."""

    share: float | None = None
    keep: float | None = None
    model: str = ""
    timeout: float | None = None
    enabled: bool | None = None

    def compaction(self) -> Compaction:
        """All of it, with the defaults. Raises `UsageError` for what makes no sense."""
        return Compaction(**all_said(self))


class AppTable(Struct, frozen=True, omit_defaults=True):
    """As in `Preferences`."""

    theme: str = ""
    notify: Way | None = None
    mouse: bool | None = None
    animations: bool | None = None
    timestamps: bool | None = None
    editor: str = ""
    reasoning: Reasoning | None = None

    def preferences(self) -> Preferences:
        """All of it, with the defaults."""
        return Preferences(**all_said(self))


class ModelTable(Struct, frozen=True, omit_defaults=True):
    """What is asked of a model, or of all models of a provider."""

    effort: Effort | None = None
    max_output: int | None = None
    temperature: float | None = None
    media: tuple[Media, ...] | None = None

    def asked(self) -> ModelSettings:
        """The settings themselves."""
        return ModelSettings(self.max_output, self.temperature, self.effort, media=self.media)

    def wrong(self) -> str:
        if self.max_output is not None and self.max_output < 1:
            return f"max_output: {self.max_output} is not a whole number from 1 on."
        if self.temperature is not None and not 0 <= self.temperature <= MOST_TEMPERATURE:
            return f"temperature: {self.temperature} is not a number from 0 to {MOST_TEMPERATURE}."
        return ""


class ProfileTable(Struct, frozen=True, omit_defaults=True):
    """A profile, as far as a file can say it: capabilities are added in code."""

    prompt: str = ""
    base_prompt: str | None = None
    tool_descriptions: dict[str, str] = {}
    excluded_tools: tuple[str, ...] = ()
    excluded_capabilities: tuple[str, ...] = ()
    alone: bool = False
    settings: ModelTable = ModelTable()

    def profile(self) -> Profile:
        """The profile itself."""
        return Profile(
            prompt=self.prompt,
            base_prompt=self.base_prompt,
            tool_descriptions=self.tool_descriptions,
            excluded_tools=frozenset(self.excluded_tools),
            excluded_capabilities=frozenset(self.excluded_capabilities),
            alone=self.alone,
            settings=self.settings.asked(),
        )


class RuleTable(Struct, frozen=True, omit_defaults=True):
    """A rule for a tool, a category, what is given or touched, or (all empty) everything."""

    effect: Effect
    tool: str = ""
    category: Category | None = None
    always: bool = False
    arguments: dict[str, str] = {}
    path: str = ""
    command: str = ""
    host: str = ""

    def rule(self) -> Rule:
        """The rule itself. Raises `UsageError` for a pattern that nothing can match."""
        return Rule(**all_said(self))


class FilesTable(Struct, frozen=True, omit_defaults=True):
    """A file rule. Paths that do not begin with '/' or '**' begin at the project."""

    effect: Effect
    paths: tuple[str, ...]
    operations: tuple[Operation, ...] = ("read", "write")

    def rule(self, project: str) -> FileRule:
        """The rule itself. Raises `UsageError` for a pattern that nothing can match."""
        rooted = [
            p if p.startswith(("/", "**")) else f"{project.rstrip('/')}/{p}" for p in self.paths
        ]
        return FileRule(self.effect, tuple(rooted), self.operations)
