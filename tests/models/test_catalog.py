"""From `provider:model` to a model."""

import json
import subprocess
import sys

import pytest

from longrein.core.errors import UsageError
from longrein.harness import load
from longrein.models.catalog import PROVIDERS, ProviderSettings, find, known
from longrein.models.http import Endpoint
from longrein.models.place import Quirks

KEY = "sk-secret"


KEYS = {provider.key_env: KEY for provider in PROVIDERS.values() if provider.key_env}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_builds_a_model(provider: str) -> None:
    place, wire = find(f"{provider}:some/model:free", {}, KEYS)
    assert load(wire)(place).wire == f"{wire}/{provider}"


def test_a_model_name_may_hold_colons() -> None:
    place, wire = find("openrouter:meta/llama:free", {}, KEYS)
    assert (place.model, wire) == ("meta/llama:free", "openai_chat")


def test_a_missing_key_names_the_variable() -> None:
    with pytest.raises(UsageError, match=r"'groq'.*GROQ_API_KEY"):
        find("groq:m", {}, {})


@pytest.mark.parametrize("name", ["nobody:m", "gpt-5", "", ":m", "openai:"])
def test_an_unknown_name_lists_what_is_known(name: str) -> None:
    with pytest.raises(UsageError, match=r"Known providers: anthropic, .*mine.*vllm"):
        find(name, {"mine": ProviderSettings("http://x")}, KEYS)


def test_any_compatible_server_can_be_added() -> None:
    settings = {"mine": ProviderSettings("http://host/v1/", key_env="MINE", short_call_ids=True)}
    place, wire = find("mine:m", settings, {"MINE": KEY})
    assert (place.base_url, place.key.reveal(), wire) == ("http://host/v1", KEY, "openai_chat")
    assert place.quirks == Quirks(short_call_ids=True)
    with pytest.raises(UsageError, match="MINE"):
        find("mine:m", settings, {})


def test_settings_win_over_the_environment_and_that_over_what_is_known() -> None:
    moved = {**KEYS, "OPENAI_BASE_URL": "http://proxy/v1"}
    assert find("openai:m", {}, KEYS)[0].base_url == "https://api.openai.com/v1"
    assert find("openai:m", {}, moved)[0].base_url == "http://proxy/v1"
    given = {"openai": ProviderSettings("http://mine", key="other", wire="openai_chat")}
    place, wire = find("openai:m", given, moved)
    assert (place.base_url, place.key.reveal(), wire) == ("http://mine", "other", "openai_chat")


def test_known_tells_which_providers_are_ready() -> None:
    found = {
        one.name: one.ready
        for one in known({"mine": ProviderSettings("http://x")}, {"GROQ_API_KEY": KEY})
    }
    assert found["groq"]
    assert found["ollama"]
    assert found["mine"]
    assert not found["openai"]


def test_no_repr_shows_a_key() -> None:
    settings = {"openai": ProviderSettings(key=KEY, headers={"X-Key": KEY})}
    place, wire = find("openai:m", settings, {})
    endpoint = Endpoint("http://x", {"Authorization": KEY}, place.key)
    for value in (settings, place, place.key, endpoint, load(wire)(place)):
        assert KEY not in repr(value)
        assert KEY not in str(value)


def test_the_catalog_imports_no_wire() -> None:
    code = "import sys, json, longrein.models.catalog; print(json.dumps(list(sys.modules)))"
    modules = json.loads(subprocess.check_output([sys.executable, "-c", code]))
    assert "aiohttp" not in modules
