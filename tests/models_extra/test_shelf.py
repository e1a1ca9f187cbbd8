"""The models of a harness: their prices, and which of them can be named."""

import asyncio
import importlib
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest

from longrein.core.errors import UsageError
from longrein.core.usage import Usage
from longrein.models.catalog import ProviderSettings
from longrein.models.kept import KeptKey, KeptKeys
from longrein.models.listing import ModelInfo
from longrein.models.place import Place
from longrein.models.price import Price
from longrein.models.shelf import Models
from longrein.testing import Script, ScriptedModel, say
from tests.support import run

KEY = "sk-very-secret-0123456789"
GIVEN = "custom:ScriptedModel"
PRICES = {"house:large": Price("0.5", "2", window=9_000), GIVEN: Price("1", "1")}
LISTS = {"prices": "cost", "windows": "window", "listed": "listed"}


def load(name: str) -> Any:
    """Only the price list can be had: whoever builds a model here fails."""
    return getattr(importlib.import_module("longrein.models.prices"), LISTS[name])


def models(
    environ: Mapping[str, str] | None = None,
    providers: Mapping[str, ProviderSettings] | None = None,
    prices: Mapping[str, Price] | None = None,
) -> Models:
    given = {GIVEN: ScriptedModel(Script([say("hi")])), "custom:Other": ScriptedModel(Script([]))}
    return Models(given, providers or {}, environ or {}, prices or {}, load)


def known(shelf: Models, *named: str, provider: str = "", usable_only: bool = False) -> Any:
    found = run(shelf.known(named, provider=provider, usable_only=usable_only))
    return {one.name: one for one in found}


def test_before_the_list_is_read_only_set_prices_are_known() -> None:
    shelf = models(prices=PRICES)
    assert shelf.price_now("house:large", Usage(1_000, 1_000)) == 2_500_000
    assert shelf.window_now("house:large") == 9_000
    assert shelf.price_now("openai:gpt-5", Usage(1)) is None
    assert shelf.window_now("openai:gpt-5") is None


def test_after_the_list_is_read_it_is_known_at_once() -> None:
    shelf = models(prices={"openai:gpt-5": Price("1", "1")})
    run(shelf.load_prices())
    assert shelf.price_now("openai:gpt-5-mini", Usage(1_000)) == 250_000
    assert shelf.window_now("openai:gpt-5-mini") == 400_000
    assert shelf.price_now("openai:gpt-5", Usage(1_000)) == 1_000_000
    assert shelf.window_now("openai:gpt-5") == 400_000


def test_the_list_is_read_once_and_beside_the_event_loop() -> None:
    threads: list[str] = []

    def noting(name: str) -> Any:
        threads.append(threading.current_thread().name)
        return load(name)

    async def twice() -> None:
        shelf = Models({}, {}, {}, {}, noting)
        await shelf.load_prices()
        await shelf.load_prices()
        assert await shelf.price("openai:gpt-5", Usage(1_000)) == 1_250_000

    run(twice())
    assert len(threads) == 1
    assert threads[0] != threading.main_thread().name


def test_a_price_that_is_set_does_not_read_the_list() -> None:
    def refuse(name: str) -> Any:
        raise AssertionError(name)

    shelf = Models({}, {}, {}, PRICES, refuse)
    assert run(shelf.price("house:large", Usage(1_000))) == 500_000


def test_what_a_given_model_costs_is_known_only_where_it_is_set() -> None:
    shelf = models(prices=PRICES)
    assert run(shelf.price(GIVEN, Usage(1_000))) == 1_000_000
    assert run(shelf.price("custom:Other", Usage(1_000))) is None
    assert shelf.window_now("custom:Other") is None


def test_every_source_is_listed_once() -> None:
    shelf = models(prices={**PRICES, "openai:gpt-5": Price("1", "2")})
    found = run(shelf.known([GIVEN, "groq:mine", "anthropic:claude-opus-5"]))
    names = [one.name for one in found]
    assert len(names) == len(set(names))
    sources = {one.name: one.source for one in found}
    assert (sources[GIVEN], sources["custom:Other"]) == ("given", "given")
    assert (sources["groq:mine"], sources["house:large"]) == ("configured", "configured")
    assert (sources["anthropic:claude-opus-5"], sources["openai:gpt-5"]) == (
        "configured",
        "configured",
    )
    assert sources["anthropic:claude-opus-4-5"] == "listed"


def test_prices_are_per_million_tokens_and_windows_are_told() -> None:
    found = known(models(prices=PRICES), "openai:gpt-5")
    for name in ("openai:gpt-5", "openai-chat:gpt-5"):
        assert (found[name].input, found[name].output) == (1_250_000_000, 10_000_000_000)
        assert found[name].window == 400_000
    house = found["house:large"]
    assert (house.input, house.output, house.window) == (500_000_000, 2_000_000_000, 9_000)
    assert found["custom:Other"].input is None


def test_a_surcharge_for_long_input_is_left_out() -> None:
    name = "anthropic:claude-sonnet-4-5"
    assert known(models())[name].input == known(models(), name)[name].input == 3 * 10**9


def test_what_a_call_costs_itself_is_left_out() -> None:
    providers = {"perplexity": ProviderSettings("http://127.0.0.1/v1")}
    name = "perplexity:sonar"
    listed, named = known(models(providers=providers)), known(models(providers=providers), name)
    assert listed[name].input == named[name].input == 10**9


def test_a_key_makes_the_models_of_its_provider_usable() -> None:
    found = known(models({"ANTHROPIC_API_KEY": KEY}))
    assert found["anthropic:claude-opus-5"].usable
    assert found["anthropic:claude-opus-5"].problem == ""
    assert not found["openai:gpt-5"].usable
    assert "OPENAI_API_KEY" in found["openai:gpt-5"].problem


def test_a_local_server_needs_no_key() -> None:
    assert known(models(), "ollama:llama3")["ollama:llama3"].usable


@pytest.mark.parametrize(
    ("name", "problem"),
    [("gpt-5", "write provider:model"), ("nobody:x", "There is no provider 'nobody'")],
)
def test_a_name_that_makes_no_sense_is_listed_with_its_problem(name: str, problem: str) -> None:
    found = known(models(), name)[name]
    assert not found.usable
    assert problem in found.problem


def test_models_of_an_added_provider_are_listed_where_the_list_knows_it() -> None:
    providers = {"cohere": ProviderSettings("http://127.0.0.1/v1", key_env="CO_API_KEY")}
    found = known(models(providers=providers), provider="cohere")
    assert found
    assert all("CO_API_KEY" in one.problem for one in found.values())


def test_one_provider_can_be_asked_for() -> None:
    found = known(models(), "groq:mine", provider="groq")
    assert {one.provider for one in found.values()} == {"groq"}
    assert "groq:mine" in found


def test_only_what_is_usable_can_be_asked_for() -> None:
    found = known(models({"GROQ_API_KEY": KEY}), "ollama:llama3", usable_only=True)
    assert {one.provider for one in found.values()} == {"custom", "groq", "ollama"}


def test_no_key_is_in_what_is_told() -> None:
    providers = {"house": ProviderSettings("http://127.0.0.1/v1", key=KEY)}
    shelf = models({"OPENAI_API_KEY": KEY}, providers, PRICES)
    for one in run(shelf.known()):
        assert KEY not in repr(one) + str(one)


def test_the_list_does_not_hold_up_the_event_loop() -> None:
    async def watched() -> float:
        shelf = models()
        await shelf.load_prices()
        task = asyncio.create_task(shelf.known())
        longest, last = 0.0, time.thread_time()
        while not task.done():
            await asyncio.sleep(0)
            longest, last = max(longest, time.thread_time() - last), time.thread_time()
        return longest

    assert run(watched()) < 0.5


def test_a_model_of_pydantic_ai_needs_the_key_of_its_provider() -> None:
    name = "pydantic-ai:google-gla:gemini-2.5-pro"
    without = known(models(), name)[name]
    assert not without.usable
    assert "GOOGLE_API_KEY or GEMINI_API_KEY" in without.problem
    assert known(models({"GEMINI_API_KEY": KEY}), name)[name].usable
    assert without.input == 1_250_000_000


def test_a_model_of_pydantic_ai_whose_key_is_not_known_here_is_taken_as_usable() -> None:
    assert known(models(), "pydantic-ai:test")["pydantic-ai:test"].usable


def test_a_model_of_pydantic_ai_needs_the_extra() -> None:
    code = (
        "import sys; sys.modules['pydantic_ai'] = None\n"
        "from longrein.models.listing import problem_with\n"
        "print(problem_with('pydantic-ai:test', {}, {}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "longrein[pydantic-ai]" in out.stdout


def test_a_price_that_is_no_amount_is_refused() -> None:
    with pytest.raises(UsageError, match="free"):
        run(models(prices={"a:b": Price("free", "1")}).known())


def test_a_model_reads_as_a_line() -> None:
    known = ModelInfo("a:b", "a", True, "", 128_000, 37_500_000, 12_500_000_000, "listed")
    assert str(known) == "a:b: $0.0375 in, $12.5 out per million tokens, holds 128,000 tokens"
    missing = ModelInfo("a:b", "a", False, "Set KEY.", None, None, None, "configured")
    assert str(missing) == "a:b: price unknown. Cannot be used: Set KEY."


def test_a_key_is_fetched_once_and_beside_the_event_loop() -> None:
    threads: list[str] = []
    hidden: list[tuple[str, str]] = []
    both_ask = threading.Event()

    def fetch() -> str:
        threads.append(threading.current_thread().name)
        assert both_ask.wait(40), "the loop goes on meanwhile"
        return KEY

    def hide(name: str, key: str) -> None:
        hidden.append((name, key))

    async def both() -> None:
        kept = KeptKeys({"anthropic": KeptKey("the keyring", fetch)})
        made = ScriptedModel(Script([]))

        def build(place: object) -> ScriptedModel:
            return made

        shelf = Models({}, {}, {}, {}, lambda wire: build, (), kept, hide)
        asking = [asyncio.create_task(shelf.get("anthropic:some-model")) for _ in range(2)]
        await asyncio.sleep(0.01)
        both_ask.set()
        assert await asyncio.gather(*asking) == [made, made]

    run(both())
    assert len(threads) == 1
    assert threads[0] != threading.main_thread().name
    assert hidden == [("anthropic.key", KEY)]


class Keyring:
    """A keyring that waits until a person opens it."""

    def __init__(self) -> None:
        self.asked = 0
        self.opened = threading.Event()
        self.problem = ""

    def reveal(self) -> str:
        self.asked += 1
        assert self.opened.wait(40), "nobody opened it"
        if self.problem:
            raise UsageError(self.problem)
        return KEY

    def shelf(self) -> Models:
        kept = KeptKeys({"anthropic": KeptKey("the keyring", self.reveal)})

        def build(place: Place) -> ScriptedModel:
            return ScriptedModel(Script([]))

        return Models({}, {}, {"OPENAI_API_KEY": KEY}, {}, lambda wire: build, (), kept)


def test_while_a_keyring_waits_models_whose_key_is_at_hand_are_had() -> None:
    async def body() -> None:
        keyring = Keyring()
        shelf = keyring.shelf()
        waiting = asyncio.create_task(shelf.get("anthropic:one"))
        await asyncio.sleep(0)
        await asyncio.wait_for(shelf.get("openai:gpt-5"), 20)
        assert not waiting.done()
        keyring.opened.set()
        await waiting

    run(body())


def test_who_waits_for_the_same_key_shares_it_though_the_first_gave_up() -> None:
    async def body() -> None:
        keyring = Keyring()
        shelf = keyring.shelf()
        first, *others = [
            asyncio.create_task(shelf.get(name))
            for name in ("anthropic:one", "anthropic:one", "anthropic:two")
        ]
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait([first])
        again = asyncio.create_task(shelf.get("anthropic:one"))
        await asyncio.sleep(0)
        keyring.opened.set()
        one, two, same = await asyncio.gather(*others, again)
        assert one is same is not two
        assert keyring.asked == 1

    run(body())


def test_a_keyring_that_refused_is_asked_again_next_time() -> None:
    async def body() -> None:
        keyring = Keyring()
        shelf = keyring.shelf()
        keyring.problem = "Locked."
        keyring.opened.set()
        found = await asyncio.gather(
            shelf.get("anthropic:one"), shelf.get("anthropic:two"), return_exceptions=True
        )
        assert [str(error) for error in found] == ["Locked.", "Locked."]
        assert keyring.asked == 1
        keyring.problem = ""
        await shelf.get("anthropic:one")
        assert keyring.asked == 2

    run(body())


def test_leaving_does_not_wait_for_a_keyring() -> None:
    keyring = Keyring()

    async def body() -> None:
        shelf = keyring.shelf()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(shelf.get("anthropic:one"), 0.01)
        await shelf.close()

    began = time.monotonic()
    run(body())
    assert time.monotonic() - began < 20
    keyring.opened.set()
