"""Prices and windows: exact where known, None where not."""

import subprocess
import sys

import pytest

from longrein.core.errors import UsageError
from longrein.core.usage import Usage
from longrein.models.prices import Price, cost, window

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


@pytest.mark.parametrize(
    "model", ["openai:nonsense", "nobody:gpt-5", "ollama:llama3", "lmstudio:x", "gpt-5", "", ":"]
)
def test_what_is_not_listed_is_unknown(model: str) -> None:
    assert cost(model, Usage(input=10, output=10)) is None
    assert window(model) is None


def test_a_listed_model_without_a_price_is_unknown_and_not_free() -> None:
    assert cost("github-copilot:gpt-3.5-turbo", Usage(input=10, output=10)) is None


@pytest.mark.parametrize(
    "provider", ["xai:grok-4", "google-gla:gemini-2.5-pro", "mistral:codestral-latest"]
)
def test_providers_are_found_under_the_names_used_here(provider: str) -> None:
    assert cost(provider, Usage(input=1000, output=1000)) is not None


def test_windows_come_from_the_list() -> None:
    assert window("openai:gpt-5") == 400_000


def test_an_override_comes_first() -> None:
    overrides = {"openai:gpt-5": Price("1", "2", window=1000)}
    assert cost("openai:gpt-5", Usage(input=MILLION, output=MILLION), overrides) == 3 * DOLLAR
    assert window("openai:gpt-5", overrides) == 1000


def test_an_override_without_a_window_leaves_the_listed_one() -> None:
    assert window("openai:gpt-5", {"openai:gpt-5": Price("1", "2")}) == 400_000


def test_overrides_are_exact() -> None:
    overrides = {"a:b": Price(0.1, "0.3", cached="0.01", cache_written="0.125")}
    used = Usage(input=10, output=1, cached=3, cache_written=2)
    assert cost("a:b", used, overrides) == 5 * 100 + 3 * 10 + 2 * 125 + 1 * 300


def test_free_is_said_and_not_guessed() -> None:
    assert cost("ollama:llama3", Usage(input=10), {"ollama:llama3": Price("0", "0")}) == 0


@pytest.mark.parametrize("wrong", ["free", "-1", "NaN", "inf", -0.5])
def test_a_price_is_an_amount(wrong: str | float) -> None:
    with pytest.raises(UsageError):
        cost("a:b", Usage(input=1), {"a:b": Price(wrong, "1")})


def test_absurd_usage_does_not_raise() -> None:
    used = Usage(input=-5, output=10**15, cached=10**9)
    assert cost("openai:gpt-5", used) == 10**15 * 10_000


def test_without_the_list_there_are_still_the_overrides() -> None:
    code = (
        "import sys; sys.modules['genai_prices'] = None\n"
        "from longrein.models.prices import Price, Usage, cost, window\n"
        "set = {'a:b': Price('1', '1', window=9)}\n"
        "print(cost('openai:gpt-5', Usage(1)), cost('a:b', Usage(1), set), window('a:b', set))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["None", "1000", "9"]


def test_nothing_is_loaded_before_it_is_used() -> None:
    code = "import sys, longrein.models.base; print('genai_prices' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"
