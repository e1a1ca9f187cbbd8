"""Whether a provider takes a key, and which servers are on this machine; by real requests."""

import socket
import time

import pytest

from longrein.models.catalog import ProviderSettings, Wire, find
from longrein.models.local import LocalServer, local_servers
from longrein.models.probing import Accepted, Refused, Unchecked, Verdict, probe
from tests.models.keyed import OLLAMA, Keyed
from tests.support import run

KEY = "sk-1234567890"
WIRES: list[Wire] = ["openai_chat", "openai_responses", "anthropic"]


def verdict(url: str, wire: Wire = "openai_chat", provider: str = "mine") -> Verdict:
    settings = {provider: ProviderSettings(url, key=KEY, wire=wire)}
    return run(probe(*find(f"{provider}:any", settings, {}), 20))


@pytest.mark.parametrize("wire", WIRES)
def test_a_key_is_shown_as_each_wire_wants_it(wire: Wire) -> None:
    with Keyed(KEY) as server:
        assert verdict(server.url, wire) == Accepted()


@pytest.mark.parametrize("wire", WIRES)
def test_a_refusal_says_why_and_never_the_key(wire: Wire) -> None:
    with Keyed("another") as server:
        said = verdict(server.url, wire)
    assert isinstance(said, Refused)
    assert "invalid x-api-key" in said.why
    assert KEY not in said.why


def test_where_everybody_may_see_the_models_the_key_itself_is_asked_about() -> None:
    with Keyed(KEY) as server:
        assert verdict(server.url, provider="openrouter") == Accepted()
        assert server.asked == ["/key"]


@pytest.mark.parametrize("status", [302, 404, 429, 503])
def test_what_is_neither_yes_nor_no_leaves_it_open(status: int) -> None:
    with Keyed(answers={"/models": {"error": "not now"}}, status=status) as server:
        said = verdict(server.url)
    assert isinstance(said, Unchecked)
    assert f"{status}: not now" in said.why


def test_nobody_there_leaves_it_open() -> None:
    said = verdict("http://127.0.0.1:1")
    assert isinstance(said, Unchecked)
    assert "cannot be reached" in said.why


def test_a_server_that_never_answers_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        place = find("mine:any", {"mine": ProviderSettings(url, key=KEY)}, {})
        said = run(probe(*place, 0.2))
    assert isinstance(said, Unchecked)
    assert "did not answer within 0.2 seconds" in said.why


def servers(**environ: str) -> list[LocalServer]:
    return list(run(local_servers(20.0, environ=environ)))


def test_servers_on_loopback_list_the_models_that_answer() -> None:
    with Keyed(answers={"/api/tags": OLLAMA}) as ollama, Keyed() as lmstudio:
        found = servers(OLLAMA_BASE_URL=f"{ollama.url}/v1", LMSTUDIO_BASE_URL=f"{lmstudio.url}/v1")
    assert [(one.provider, one.models) for one in found] == [
        ("ollama", ("ollama:qwen3:8b",)),
        ("lmstudio", ("lmstudio:large",)),
    ]


@pytest.mark.parametrize("body", [{"models": []}, {"other": 1}, [], b"<html>", b"\xff\xfe"])
def test_something_else_that_listens_there_is_not_a_server(body: object) -> None:
    with Keyed(answers={"/api/tags": body, "/v1/models": body}) as other:
        url = f"{other.url}/v1"
        assert servers(OLLAMA_BASE_URL=url, LMSTUDIO_BASE_URL=url) == []


def test_other_machines_are_not_looked_at() -> None:
    elsewhere = "http://192.0.2.1:11434/v1"
    began = time.monotonic()
    assert servers(OLLAMA_BASE_URL=elsewhere, LMSTUDIO_BASE_URL=elsewhere) == []
    assert time.monotonic() - began < 10
