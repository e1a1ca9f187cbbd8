"""Settings for each model, made from those for all, for its provider, and for itself."""

from collections.abc import Mapping

from longrein.models.base import ModelSettings


def merged(base: ModelSettings, over: ModelSettings) -> ModelSettings:
    """`base` with everything that `over` sets; both `extra` are merged, that of `over` wins.

    >>> merged(ModelSettings(max_output=100, effort="low"), ModelSettings(effort="high"))
    ModelSettings(max_output=100, temperature=None, effort='high', extra={}, media=None)
    """
    return ModelSettings(
        base.max_output if over.max_output is None else over.max_output,
        base.temperature if over.temperature is None else over.temperature,
        base.effort if over.effort is None else over.effort,
        {**base.extra, **over.extra},
        base.media if over.media is None else over.media,
    )


def settings_for(
    name: str, base: ModelSettings, by_model: Mapping[str, ModelSettings]
) -> ModelSettings:
    """The settings of the model `name`: `base`, then its provider's, then its own.

    Keys of `by_model` are a provider (`"anthropic"`) or a model's whole name (`"anthropic:NAME"`).

    >>> by_model = {
    ...     "anthropic": ModelSettings(max_output=8_000, effort="low"),
    ...     "anthropic:NAME": ModelSettings(effort="max"),
    ... }
    >>> found = settings_for("anthropic:NAME", ModelSettings(max_output=500), by_model)
    >>> found.max_output, found.effort
    (8000, 'max')
    """
    provider = name.partition(":")[0]
    for key in dict.fromkeys((provider, name)):
        if key in by_model:
            base = merged(base, by_model[key])
    return base
