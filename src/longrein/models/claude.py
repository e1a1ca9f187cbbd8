"""What Claude models of each generation accept: thinking, its depth, and how much they may say."""

from typing import Any

from longrein.models.base import Effort, ModelSettings
from longrein.models.efforts import nearest

_ADAPTIVE = (
    "claude-fable-",
    "claude-mythos-",
    "claude-opus-4-6",
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-4-6",
    "claude-sonnet-5",
    "claude-haiku-5",
)
"""Models that decide themselves how long to think, guided by an effort."""

_NO_SAMPLING = tuple(name for name in _ADAPTIVE if not name.endswith("4-6"))
"""Adaptive models that refuse a temperature. They are also those that know the effort `xhigh`."""

_EFFORTS: tuple[Effort, ...] = ("low", "medium", "high", "max")
"""What all adaptive models accept."""

_ALWAYS = ("claude-fable-", "claude-mythos-", "claude-opus-5-5")
"""Models whose thinking cannot be turned off."""

_BETWEEN_TOOLS = ("claude-sonnet-5-5",)
"""Models that call it something else when it is off."""

_BOUND = ("claude-fable-5-1", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5")
"""Models that refuse their own thinking once what came before it has changed (compaction)."""

_BINDING_BETA = "thinking-binding-controls-2026-08-01"

_SMALLEST_BUDGET = 1_024
_BUDGETS: dict[Effort, int] = {
    "minimal": _SMALLEST_BUDGET,
    "low": 2_000,
    "medium": 6_000,
    "high": 12_000,
    # With the room for the answer, all that the smallest of these models may say.
    "xhigh": 16_000,
    "max": 16_000,
}

_OLD = ("claude-3-haiku", "claude-3-opus", "claude-3-sonnet", "claude-3-5")
"""Models that do not think and say little."""


def output_fields(model: str, settings: ModelSettings) -> dict[str, Any]:
    """`max_tokens` and, as far as this model knows them, `thinking`, effort and temperature.

    Models without adaptive thinking get a budget, which is added to the room for the answer, or
    taken out of `max_output` where that is set. A temperature is left out where it is refused.
    """
    if model.startswith(_ADAPTIVE):
        fields = _adaptive(model, settings.effort)
        fields["max_tokens"] = settings.max_output or 32_000
    else:
        fields = _budgeted(model, settings)
    thinks = fields.get("thinking", {}).get("type") in ("adaptive", "enabled")
    if settings.temperature is not None and not thinks and not model.startswith(_NO_SAMPLING):
        fields["temperature"] = settings.temperature
    return fields


def beta_headers(model: str) -> dict[str, str]:
    """What a model wants named before it understands all of `output_fields`."""
    return {"anthropic-beta": _BINDING_BETA} if model.startswith(_BOUND) else {}


def _adaptive(model: str, effort: Effort | None) -> dict[str, Any]:
    if effort == "none" and not model.startswith(_ALWAYS):
        off = "between_tools" if model.startswith(_BETWEEN_TOOLS) else "disabled"
        return {"thinking": {"type": off}}
    thinking: dict[str, Any] = {"type": "adaptive"}
    if model.startswith(_BOUND):
        thinking["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
    if effort is None:
        return {"thinking": thinking} if len(thinking) > 1 else {}
    # Without it the newer models keep what they think to themselves.
    thinking["display"] = "summarized"
    efforts = (*_EFFORTS, "xhigh") if model.startswith(_NO_SAMPLING) else _EFFORTS
    depth = nearest(effort, efforts)
    return {"thinking": thinking, "output_config": {"effort": depth}}


def _budgeted(model: str, settings: ModelSettings) -> dict[str, Any]:
    old = model.startswith(_OLD)
    room = 4_096 if old else 16_000
    budget = _BUDGETS.get(settings.effort, 0) if settings.effort and not old else 0
    if settings.max_output is None:
        most = room + budget
    else:
        most = settings.max_output
        budget = min(budget, most // 2)
    if budget < _SMALLEST_BUDGET:
        return {"max_tokens": most if settings.max_output is not None else room}
    return {"max_tokens": most, "thinking": {"type": "enabled", "budget_tokens": budget}}
