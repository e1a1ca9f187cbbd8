"""What settings files say about models: what is asked of them, and their profiles."""

from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.loop.profiles.profile import Profile
from longrein.loop.profiles.registry import check_key
from longrein.models.base import Effort, Media, ModelSettings

MOST_TEMPERATURE = 2


class ModelTable(Struct, frozen=True, omit_defaults=True):
    """What is asked of a model, or of all models of a provider. None leaves it as it is."""

    effort: Effort | None = None
    max_output: int | None = None
    temperature: float | None = None
    media: tuple[Media, ...] | None = None

    def asked(self) -> ModelSettings:
        """The settings themselves."""
        return ModelSettings(self.max_output, self.temperature, self.effort, media=self.media)


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


def check_model_table(where: str, name: str, given: ModelTable, source: str) -> None:
    """Raises `UsageError` for a name that no model has, and for amounts that make no sense."""
    who, colon, model = name.partition(":")
    if not who or (colon and not model):
        raise UsageError(f'{source}: {where}: write [models."provider"] or "provider:model".')
    _check_amounts(where, given, source)


def check_profile_table(key: str, given: ProfileTable, source: str) -> None:
    """Raises `UsageError` for a bad key, and for settings that make no sense."""
    try:
        check_key(key)
    except UsageError as error:
        raise UsageError(f'{source}: profiles."{key}": {error}') from None
    _check_amounts(f'profiles."{key}".settings', given.settings, source)


def _check_amounts(where: str, given: ModelTable, source: str) -> None:
    if given.max_output is not None and given.max_output < 1:
        raise UsageError(
            f"{source}: {where}.max_output: {given.max_output} is not a whole number from 1 on."
        )
    if given.temperature is not None and not 0 <= given.temperature <= MOST_TEMPERATURE:
        raise UsageError(
            f"{source}: {where}.temperature: {given.temperature} is not a number from 0 to "
            f"{MOST_TEMPERATURE}."
        )
