"""Recalling messages as they were: by observation, by number, by text; never too much at once."""

import json

from longrein.capabilities.observing.memory import ObservationalMemory
from longrein.capabilities.observing.notes import OBSERVATIONS, OBSERVED, Observations
from longrein.capabilities.observing.recalling import MOST, recall
from longrein.core.growing import Trail
from longrein.core.messages import Assistant, Message, Text, ToolCall, ToolResult, User
from longrein.core.slices import Folding
from longrein.core.state import State
from longrein.models.base import Request
from longrein.testing import Reply, call
from longrein.tools.call import Output
from longrein.tools.call import call as call_tool
from longrein.tools.context import Context
from longrein.tools.reach import Reach
from tests.capabilities.kit import results
from tests.capabilities.observing.kit import Baker, hosting, observed, settled, talk
from tests.capabilities.thread import Thread, text_of
from tests.support import run


def recalled(messages: list[Message], status: str = "ok", **arguments: object) -> str:
    """What the model hears of a call, in a thread with one observation, of messages 4 to 7."""
    known = Observations((observed("o1", 0, 3, 9), observed("o2", 3, 7, 19)))
    empty = Folding([OBSERVATIONS]).begun(State())
    kept = {name: type(one)(one.version, known) for name, one in empty.slices.items()}
    state = State(messages=Trail(messages), slices=kept)
    ctx = Context(tool="recall", reach=Reach(folded=lambda: state))
    ending = run(call_tool(recall, json.dumps(arguments), ctx))
    assert isinstance(ending, Output)
    assert ending.status == status, ending
    return text_of(ending)


def test_an_observation_gives_the_messages_it_is_about() -> None:
    text = recalled(talk(5), observation="o2")
    assert [line for line in text.splitlines() if line.startswith("[")] == [
        "[4] agent:", "[5] result of look:", "[6] agent:", "[7] result of look:",
    ]  # fmt: skip
    assert "Result 2" in text
    assert "Result 0" not in text


def test_a_range_gives_its_messages() -> None:
    text = recalled(talk(5), first=2, last=3)
    assert "Result 0" in text
    assert "Result 1" not in text


def test_a_range_beyond_the_end_gives_what_there_is() -> None:
    assert "Result 4" in recalled(talk(5), first=10, last=99)


def test_a_search_names_the_messages_and_shows_what_stands_around() -> None:
    text = recalled(talk(5), search="RESULT 3: lorem")
    (line,) = text.splitlines()
    assert line.startswith("[9] result of look: Result 3: lorem ipsum")
    assert line.endswith("...")


def test_a_search_can_be_held_to_an_observation() -> None:
    assert len(recalled(talk(5), observation="o2", search="lorem").splitlines()) == 2


def test_a_search_that_finds_nothing_says_so() -> None:
    assert recalled(talk(2), search="croissant") == "No message from 1 to 5 holds 'croissant'."


def test_many_hits_are_given_page_by_page() -> None:
    text = recalled(talk(60), search="lorem")
    assert text.splitlines()[-1] == "... more with recall(search='lorem', first=83, last=121)"
    assert len(recalled(talk(60), search="lorem", first=83).splitlines()) == 20


def test_much_is_given_page_by_page() -> None:
    messages = talk(200)
    text = recalled(messages, first=1)
    assert len(text) < MOST + 100
    more = text.splitlines()[-1]
    assert more.startswith("... more with recall(first=")
    assert more.endswith("last=401)")


def test_one_message_alone_is_shown_at_more_length() -> None:
    long: list[Message] = [
        User((Text("x"),)),
        ToolResult("c", "look", (Text("a" * 100_000),)),
    ]
    assert len(recalled(long, first=1, last=2)) < 5_000
    assert MOST < len(recalled(long, first=2, last=2)) < MOST + 200


def test_what_was_recalled_before_is_not_given_again() -> None:
    again: list[Message] = [
        Assistant((ToolCall("c", "recall", "{}"),)),
        ToolResult("c", "recall", (Text("the secret plan"),)),
    ]
    assert "secret" not in recalled(again, first=1)


def test_a_call_that_does_not_say_what_it_wants_is_told() -> None:
    assert "Say which messages" in recalled(talk(2), "error")
    assert "no observation 'o9'" in recalled(talk(2), "error", observation="o9")
    assert "numbered from 1 to 5" in recalled(talk(2), "error", first=9)
    assert "no such messages" in recalled(talk(9), "error", observation="o2", first=12)


def test_what_is_observed_can_be_recalled_in_the_same_run() -> None:
    class Curious(Baker):
        def reply(self, request: Request) -> Reply:
            agents = self.asked["agent"]
            answer = super().reply(request)
            return call("recall", observation="o1") if len(agents) == 8 else answer

    async def body() -> None:
        baker = Curious(8)
        async with hosting(baker, ObservationalMemory(observe_at=500)) as host:
            session = await host.session("ada")
            await (await session.send("Bake."))
            await settled(session)
            (told,) = [one for one in results(session) if "[1] user" in one]
            assert told.startswith("ok: [1] user")
            assert "loaf 0" in told

    run(body())


def test_a_thread_without_observations_can_be_recalled_too() -> None:
    thread = Thread(OBSERVATIONS)
    assert "no observation" in thread.fail(recall, observation="o1")
    thread.record(OBSERVED, None)
    assert "no such messages" in thread.fail(recall, first=1)


def test_the_tool_is_cheap_to_offer() -> None:
    assert len(recall.schema) + len(recall.description) < 1_000
