"""Titles that a model writes: from how a conversation begins, and fit for a list."""

from collections.abc import AsyncGenerator, Callable

import pytest

from longrein.core.errors import BadRequest, ModelError, Network, RateLimited
from longrein.core.messages import Assistant, File, Message, Note, Text, ToolCall, User
from longrein.core.usage import Usage
from longrein.models.base import Delta, Model, Request, Stop, TextDelta
from longrein.session.titles import LONGEST, MOST_READ, make_title, tidy
from longrein.testing import Reply, ScriptedModel, broken, fail, reply, say, think
from tests.support import run

ASKED = User((Text("How do I bake bread?"), File("image/png", url="https://example.org/x")))
ANSWERED = Assistant((ToolCall("call_1", "look", "{}"), Text("With flour.")), "test:model")
TALK: tuple[Message, ...] = (
    Note("You are in the mode build now."),
    ASKED,
    ANSWERED,
    User((Text("And cake?"),)),
    Assistant((Text("With sugar."),)),
)


def titled(said: Reply, messages: tuple[Message, ...] = TALK) -> tuple[str, Usage]:
    return run(make_title(ScriptedModel(lambda _: said), "test:titles", messages))


def test_a_title_comes_with_what_it_took() -> None:
    said = reply(think("hm"), say("Baking bread"), usage=Usage(40, 3))
    assert titled(said) == ("Baking bread", Usage(40, 3))


def test_the_model_reads_the_first_question_and_the_first_answer_only() -> None:
    model = ScriptedModel(lambda _: say("Bread"))
    long = (User((Text("q" * 9000),)), Assistant((Text("a" * 9000),)))
    run(make_title(model, "test:titles", TALK))
    run(make_title(model, "test:titles", long))
    short, cut = model.requests
    assert short.model == "test:titles"
    assert short.tools == ()
    (message,) = short.messages
    assert isinstance(message, User)
    shown = "".join(part.text for part in message.parts if isinstance(part, Text))
    assert "How do I bake bread?\n[image/png]" in shown
    assert "With flour." in shown
    assert "cake" not in shown
    assert "mode" not in shown
    assert len(str(cut.messages)) < 2 * MOST_READ + 500


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Baking bread", "Baking bread"),
        ('"Baking bread."', "Baking bread"),
        ("# **Baking `bread`**\n\nThis title says it all.", "Baking bread"),
        ("\n\n  Title:  Baking\tbread \n", "Baking bread"),
        ("<think>bread, hm</think>\nBaking bread", "Baking bread"),
        ("„Brot backen“", "Brot backen"),
        ("「パンを焼く」", "パンを焼く"),
        ("Baking\x1b[31m bread\x07", "Baking[31m bread"),
        ("word " * 40, "word " * 15 + "word\u2026"),
        ("x" * 300, "x" * (LONGEST - 1) + "\u2026"),
        ("***", ""),
        ("<think>never ends", ""),
    ],
)
def test_a_title_is_one_tidy_line(said: str, title: str) -> None:
    assert tidy(said) == title
    assert len(tidy(said)) <= LONGEST


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (fail(RateLimited("slow down")), RateLimited),
        (reply(say("Bak"), broken()), Network),
    ],
)
def test_a_model_that_fails_raises(said: Reply, kind: type[ModelError]) -> None:
    with pytest.raises(kind):
        titled(said)


@pytest.mark.parametrize("stop", ["end", "filtered"])
def test_what_could_be_no_title_is_empty_and_comes_with_what_it_took(stop: Stop) -> None:
    said = "Bread" if stop == "filtered" else " \n"
    assert titled(reply(say(said), stop=stop, usage=Usage(40, 3))) == ("", Usage(40, 3))


class Odd:
    """A model that does what no model should."""

    wire = "odd"

    def __init__(self, deltas: Callable[[], AsyncGenerator[Delta, None]]) -> None:
        self._deltas = deltas

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        return self._deltas()

    async def close(self) -> None: ...


async def _endless() -> AsyncGenerator[Delta, None]:
    yield TextDelta("Bread")


async def _raising() -> AsyncGenerator[Delta, None]:
    yield TextDelta("Bread")
    raise KeyError("choices")


@pytest.mark.parametrize(
    ("deltas", "kind", "says"),
    [
        (_endless, Network, "in the middle"),
        (_raising, BadRequest, "KeyError"),
    ],
)
def test_a_model_that_breaks_its_contract_is_a_model_that_fails(
    deltas: Callable[[], AsyncGenerator[Delta, None]], kind: type[ModelError], says: str
) -> None:
    model: Model = Odd(deltas)
    with pytest.raises(kind, match=says):
        run(make_title(model, "test:titles", TALK))
