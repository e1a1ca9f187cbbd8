"""`longrein models`: servers on this machine, and where keys are from."""

import json

import pytest

from tests.cli.world import World
from tests.models.keyed import OLLAMA, Keyed


@pytest.mark.parametrize("provider", ["", "ollama"])
def test_models_of_a_server_on_this_machine_are_listed(world: World, provider: str) -> None:
    only = ["--provider", provider] if provider else []
    with Keyed(answers={"/api/tags": OLLAMA}) as server:
        moved = {"OLLAMA_BASE_URL": f"{server.url}/v1", "LMSTUDIO_BASE_URL": f"{server.url}/no/v1"}
        # A busy machine may not answer in the half second that it is given.
        tries = (world.run("models", *only, **moved) for _ in range(10))
        done = next((done for done in tries if "ollama:" in done.stdout), None)
    assert done is not None
    assert "ollama:qwen3:8b" in done.stdout
    assert f"Ollama at {server.url}" in done.stderr


def test_a_model_tells_how_it_is_with_its_key(world: World) -> None:
    world.run("login", "xai", "--stdin", "--file", input="sk-1234567890")
    nowhere = {
        "OLLAMA_BASE_URL": "http://127.0.0.1:1/v1",
        "LMSTUDIO_BASE_URL": "http://127.0.0.1:1",
    }
    done = world.run("models", "--json", "--all", "--provider", "xai", **nowhere)
    (first, *_) = map(json.loads, done.stdout.splitlines())
    assert (first["usable"], first["key"]) == (True, "key from keys file")
    assert "sk-1234567890" not in done.stdout + done.stderr


def test_only_the_provider_that_is_named_is_asked_for_its_models(world: World) -> None:
    with Keyed() as server:
        nobody = {"OLLAMA_BASE_URL": f"{server.url}/no", "LMSTUDIO_BASE_URL": f"{server.url}/no"}
        world.use(server.url)
        world.run("models", "--provider", "xai", **nobody)
        assert "/v1/models" not in server.asked
        tries = (world.run("models", "--provider", "local", **nobody) for _ in range(10))
        assert any("/v1/models" in server.asked for _ in tries)
