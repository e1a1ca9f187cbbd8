"""The price list: exact where it knows, None where not, and cheap to ask."""

import subprocess
import sys
from collections.abc import Iterator
from decimal import ROUND_HALF_UP

import pytest
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelInfo, Provider

from longrein.core.usage import Usage
from longrein.models.prices import cost, listed, window
from tests.support import cpu

MILLION = 1_000_000
DOLLAR = 10**9


def test_a_listed_model_has_its_price() -> None:
    used = Usage(input=MILLION, output=100_000, cached=400_000)
    assert cost("openai:gpt-5", used) == round(DOLLAR * (0.6 * 1.25 + 0.4 * 0.125 + 0.1 * 10))


def test_writing_to_the_cache_has_a_price_of_its_own() -> None:
    read = cost("anthropic:claude-sonnet-4-5", Usage(input=100_000, cached=100_000))
    written = cost("anthropic:claude-sonnet-4-5", Usage(input=100_000, cache_written=100_000))
    plain = cost("anthropic:claude-sonnet-4-5", Usage(input=100_000))
    assert (read, plain, written) == (DOLLAR * 3 // 100, DOLLAR * 3 // 10, DOLLAR * 375 // 1000)


def test_long_input_costs_what_its_tier_says() -> None:
    short = cost("anthropic:claude-sonnet-4-5", Usage(200_000, 1_000))
    long = cost("anthropic:claude-sonnet-4-5", Usage(200_001, 1_000))
    assert short == 200_000 * 3_000 + 1_000 * 15_000
    assert long == 200_001 * 6_000 + 1_000 * 22_500


USAGES = [
    Usage(1_000, 100),
    Usage(150_000, 7, 100, 50),
    Usage(250_000, 300, 100_000, 50_000),
    Usage(3_000_000, 1, 0, 9),
    Usage(0, 5),
]


def each_listed() -> Iterator[tuple[Provider, ModelInfo]]:
    for provider in get_snapshot().providers:
        for model in provider.models:
            yield provider, model


def told(provider: Provider, model: ModelInfo, usage: Usage) -> int | None:
    """The price as the list itself calculates it, slowly."""
    counted = {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_tokens": usage.cached,
        "cache_write_tokens": usage.cache_written,
    }
    found = model.calc_price(counted, provider)
    if usage.input and found.model_price.input_mtok is None:
        return None
    if usage.output and found.model_price.output_mtok is None:
        return None
    return int((found.total_price * DOLLAR).to_integral_value(ROUND_HALF_UP))


@pytest.mark.parametrize("usage", USAGES)
def test_every_model_costs_what_the_list_itself_says(usage: Usage) -> None:
    checked = 0
    for provider, model in each_listed():
        name = f"{provider.id}:{model.id}"
        found = provider.find_model(model.id.lower(), all_providers=get_snapshot().providers)
        if found is model and ":" not in provider.id:
            assert cost(name, usage) == told(provider, model, usage), name
            checked += 1
    assert checked > 1_000


@pytest.mark.parametrize(
    "model", ["openai:nonsense", "nobody:gpt-5", "ollama:llama3", "lmstudio:x", "gpt-5", "", ":"]
)
def test_what_is_not_listed_is_unknown(model: str) -> None:
    assert cost(model, Usage(input=10, output=10)) is None
    assert window(model) is None


def test_a_listed_model_without_a_price_is_unknown_and_not_free() -> None:
    assert cost("github-copilot:gpt-3.5-turbo", Usage(input=10, output=10)) is None


@pytest.mark.parametrize(
    "name",
    [
        "xai:grok-4",
        "openai-chat:gpt-5",
        "mistral:codestral-latest",
        "google-gla:gemini-2.5-pro",
        "pydantic-ai:google-gla:gemini-2.5-pro",
    ],
)
def test_providers_are_found_under_the_names_used_here(name: str) -> None:
    assert cost(name, Usage(input=1000, output=1000)) is not None


def test_windows_come_from_the_list() -> None:
    assert window("openai:gpt-5") == 400_000


def test_absurd_usage_does_not_raise() -> None:
    used = Usage(input=-5, output=10**15, cached=10**9)
    assert cost("openai:gpt-5", used) == 10**15 * 10_000


def test_a_price_is_looked_up_in_a_few_microseconds() -> None:
    def look_up() -> None:
        for n in range(1_000):
            cost("openai:gpt-5", Usage(1_000 + n, 100, 500))

    assert cpu(look_up) < 0.05


def test_only_models_that_answer_in_text_are_listed() -> None:
    names = {one.model for one in listed("openai")}
    assert "gpt-5" in names
    assert not names & {"text-embedding-3-small", "whisper-1", "dall-e-3"}
    assert not [name for name in names if name.endswith("-")]


def test_a_provider_that_the_list_does_not_have_has_no_models() -> None:
    assert list(listed("ollama")) == []


def test_without_the_list_nothing_is_known() -> None:
    code = (
        "import sys; sys.modules['genai_prices'] = None\n"
        "from longrein.core.usage import Usage\n"
        "from longrein.models.prices import cost, listed, window\n"
        "print(cost('openai:gpt-5', Usage(1)), window('openai:gpt-5'), list(listed('openai')))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["None", "None", "[]"]


def test_nothing_is_loaded_before_it_is_used() -> None:
    code = "import sys, longrein.models.shelf; print('genai_prices' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"
