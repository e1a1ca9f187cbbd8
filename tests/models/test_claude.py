"""Thinking and room to answer, by generation of model."""

from typing import Any

import pytest

from longrein.models.base import ModelSettings
from longrein.models.claude import beta_headers, output_fields

ADAPTIVE = {"type": "adaptive", "display": "summarized"}
DROPPED = {"block_binding": {"prefix_mismatch_behavior": "drop_block"}}

CASES: list[tuple[str, ModelSettings, dict[str, Any]]] = [
    ("claude-opus-5", ModelSettings(), {"max_tokens": 32_000}),
    (
        "claude-opus-5",
        ModelSettings(max_output=100, effort="high", temperature=0.1),
        {"max_tokens": 100, "thinking": ADAPTIVE, "output_config": {"effort": "high"}},
    ),
    (
        "claude-opus-5",
        ModelSettings(effort="none"),
        {"max_tokens": 32_000, "thinking": {"type": "disabled"}},
    ),
    (
        "claude-opus-5-5",
        ModelSettings(effort="none"),
        {
            "max_tokens": 32_000,
            "thinking": {**ADAPTIVE, **DROPPED},
            "output_config": {"effort": "low"},
        },
    ),
    (
        "claude-haiku-5-5",
        ModelSettings(),
        {"max_tokens": 32_000, "thinking": {"type": "adaptive", **DROPPED}},
    ),
    (
        "claude-sonnet-5-5",
        ModelSettings(effort="none"),
        {"max_tokens": 32_000, "thinking": {"type": "between_tools"}},
    ),
    (
        "claude-sonnet-4-6",
        ModelSettings(temperature=0.1),
        {"max_tokens": 32_000, "temperature": 0.1},
    ),
    (
        "claude-haiku-4-5",
        ModelSettings(effort="medium", temperature=0.1),
        {"max_tokens": 22_000, "thinking": {"type": "enabled", "budget_tokens": 6_000}},
    ),
    (
        "claude-haiku-4-5",
        ModelSettings(effort="high", max_output=4_000),
        {"max_tokens": 4_000, "thinking": {"type": "enabled", "budget_tokens": 2_000}},
    ),
    ("claude-haiku-4-5", ModelSettings(effort="high", max_output=500), {"max_tokens": 500}),
    ("claude-haiku-4-5", ModelSettings(effort="none"), {"max_tokens": 16_000}),
    ("claude-3-haiku-20240307", ModelSettings(), {"max_tokens": 4_096}),
    ("claude-3-haiku-20240307", ModelSettings(effort="high"), {"max_tokens": 4_096}),
    ("somebody-elses", ModelSettings(temperature=1), {"max_tokens": 16_000, "temperature": 1}),
]


@pytest.mark.parametrize(("model", "settings", "fields"), CASES)
def test_fields(model: str, settings: ModelSettings, fields: dict[str, Any]) -> None:
    assert output_fields(model, settings) == fields


def test_models_that_bind_their_thinking_are_told_with_a_header() -> None:
    assert "anthropic-beta" in beta_headers("claude-opus-5-5")
    assert beta_headers("claude-opus-5") == {}
