"""Efforts: what goes over each wire for every level, by model and by server."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longrein.models.anthropic import AnthropicModel
from longrein.models.base import Effort, Model, ModelSettings
from longrein.models.catalog import PROVIDERS, find
from longrein.models.efforts import LEVELS, nearest
from longrein.models.openai_chat import OpenAIChatModel
from longrein.models.openai_responses import OpenAIResponsesModel
from longrein.models.place import Place
from longrein.testing import Script, ScriptedServer, say
from tests.models.provider import deltas, request
from tests.support import run

KEYS = {provider.key_env: "sk-test" for provider in PROVIDERS.values() if provider.key_env}
MAKES = {
    "openai_chat": OpenAIChatModel,
    "openai_responses": OpenAIResponsesModel,
    "anthropic": AnthropicModel,
}


def posted(name: str, asked: Effort | ModelSettings | None) -> dict[str, Any]:
    """The body that a server gets for a request to `name` with this effort, or these settings."""
    settings = asked if isinstance(asked, ModelSettings) else ModelSettings(effort=asked)
    who = name.partition(":")[0]

    async def ask() -> dict[str, Any]:
        script = Script([say("hello")])
        async with ScriptedServer(script, bodies=True) as server:
            place, wire = find(name, {}, KEYS)
            path = "" if wire == "anthropic" else "/v1"
            here = Place(who, place.model, server.url + path, place.key, place.quirks)
            model: Model = MAKES[wire](here)
            await deltas(model, request(settings=settings))
            return json.loads(server.requests[-1].body)

    return run(ask())


CHAT: list[tuple[str, str, Effort, str | None]] = [
    ("openai-chat", "gpt-5", "none", "minimal"),
    ("openai-chat", "gpt-5", "minimal", "minimal"),
    ("openai-chat", "gpt-5-mini", "max", "high"),
    ("openai-chat", "gpt-5.1", "minimal", "low"),
    ("openai-chat", "gpt-5.1", "xhigh", "high"),
    ("openai-chat", "gpt-5.4", "xhigh", "xhigh"),
    ("openai-chat", "gpt-5.4", "max", "xhigh"),
    ("openai-chat", "gpt-5.6-terra", "max", "max"),
    ("openai-chat", "gpt-6.1-sol", "none", "low"),
    ("openai-chat", "o3", "minimal", "low"),
    ("openai-chat", "gpt-4o", "high", None),
    ("openrouter", "some/model", "minimal", "minimal"),
    ("openrouter", "some/model", "max", "max"),
    ("groq", "openai/gpt-oss-120b", "none", "low"),
    ("deepseek", "deepseek-v4-pro", "xhigh", "high"),
    ("deepseek", "deepseek-v4-pro", "max", "max"),
    ("mistral", "mistral-medium-latest", "low", "high"),
    ("mistral", "mistral-medium-latest", "none", "none"),
    ("xai", "grok-4.7", "max", "xhigh"),
    ("vllm", "anything", "none", "none"),
    ("vllm", "anything", "minimal", "low"),
    ("vllm", "anything", "max", "high"),
]


@pytest.mark.parametrize(("provider", "model", "asked", "sent"), CHAT)
def test_chat_sends_the_nearest_effort(
    provider: str, model: str, asked: Effort, sent: str | None
) -> None:
    assert posted(f"{provider}:{model}", asked).get("reasoning_effort") == sent


RESPONSES: list[tuple[str, Effort, dict[str, str] | None]] = [
    ("gpt-5", "minimal", {"effort": "minimal", "summary": "auto"}),
    ("gpt-5", "none", {"effort": "minimal", "summary": "auto"}),
    ("gpt-5.2", "none", {"effort": "none"}),
    ("gpt-5.2", "max", {"effort": "xhigh", "summary": "auto"}),
    ("gpt-5.6", "max", {"effort": "max", "summary": "auto"}),
    ("gpt-5.2-pro", "low", {"effort": "medium", "summary": "auto"}),
    ("gpt-4o", "max", None),
]


@pytest.mark.parametrize(("model", "asked", "sent"), RESPONSES)
def test_responses_send_the_nearest_effort(
    model: str, asked: Effort, sent: dict[str, str] | None
) -> None:
    assert posted(f"openai:{model}", asked).get("reasoning") == sent


MESSAGES: list[tuple[str, Effort, str]] = [
    ("claude-opus-5", "minimal", "low"),
    ("claude-opus-5", "xhigh", "xhigh"),
    ("claude-opus-5", "max", "max"),
    ("claude-opus-4-6", "xhigh", "high"),
    ("claude-opus-4-6", "max", "max"),
    ("claude-opus-5-5", "none", "low"),
]


@pytest.mark.parametrize(("model", "asked", "sent"), MESSAGES)
def test_messages_send_the_nearest_effort(model: str, asked: Effort, sent: str) -> None:
    body = posted(f"anthropic:{model}", asked)
    assert body["output_config"] == {"effort": sent}
    assert body["thinking"]["type"] == "adaptive"


BUDGETS: list[tuple[Effort, int]] = [("minimal", 1_024), ("high", 12_000), ("max", 16_000)]


@pytest.mark.parametrize(("asked", "budget"), BUDGETS)
def test_messages_to_older_models_send_a_budget(asked: Effort, budget: int) -> None:
    body = posted("anthropic:claude-haiku-4-5", asked)
    assert body["thinking"] == {"type": "enabled", "budget_tokens": budget}
    assert body["max_tokens"] == 16_000 + budget <= 32_000


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("openai-chat:gpt-5", "reasoning_effort"),
        ("openai:gpt-5", "reasoning"),
        ("anthropic:claude-opus-5", "output_config"),
    ],
)
def test_nothing_is_sent_where_no_effort_was_asked_for(name: str, field: str) -> None:
    assert field not in posted(name, None)


def test_extra_reaches_a_level_that_is_not_known_here() -> None:
    settings = ModelSettings(effort="max", extra={"reasoning_effort": "ultra"})
    assert posted("vllm:anything", settings)["reasoning_effort"] == "ultra"


@given(st.sampled_from(LEVELS), st.sets(st.sampled_from(LEVELS)))
def test_the_nearest_is_always_one_that_is_accepted(asked: Effort, levels: set[Effort]) -> None:
    found = nearest(asked, sorted(levels))
    assert found in levels if levels else found is None
    if asked in levels:
        assert found == asked
