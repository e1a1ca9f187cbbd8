"""The adapter to Pydantic AI, against its own test models."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec
import pytest
from pydantic_ai import exceptions
from pydantic_ai import messages as theirs
from pydantic_ai.models.test import TestModel

from longrein.core.errors import (
    Auth,
    BadRequest,
    ModelError,
    Network,
    Overloaded,
    RateLimited,
    UsageError,
)
from longrein.core.messages import (
    Assistant,
    File,
    Message,
    Note,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.models.base import (
    CallDelta,
    Delta,
    Model,
    ModelSettings,
    ReasoningDelta,
    Request,
    Stopped,
    TextDelta,
    ToolSpec,
)
from longrein.models.pydantic_ai import PydanticAIModel
from longrein.testing import MODEL_CHECKS, Reply, Script, pause, reply, say, think
from longrein.testing.models import Check
from longrein.testing.scripted import Replies
from tests.models_extra.told import ToldModel
from tests.support import run

TOOL = ToolSpec(
    "read",
    "Read a file.",
    msgspec.Raw(b'{"type":"object","properties":{"path":{"type":"string"}}}'),
)
FINE = Script(otherwise=say("fine"))


async def blob(name: str) -> bytes:
    return name.encode()


def request(*messages: Message, settings: ModelSettings | None = None) -> Request:
    asked = messages or (User((Text("Hi"),)),)
    return Request("told:model", "Be brief.", (TOOL,), asked, blob, settings or ModelSettings())


async def listen(model: Model, asked: Request) -> list[Delta]:
    return [delta async for delta in model.stream(asked)]


def sent(*messages: Message) -> list[theirs.ModelMessage]:
    told = ToldModel(FINE)
    run(listen(PydanticAIModel(told), request(*messages)))
    return told.seen[0]


@asynccontextmanager
async def opens(replies: Replies) -> AsyncGenerator[Model]:
    model = PydanticAIModel(ToldModel(replies))
    yield model
    await model.close()


@pytest.mark.parametrize("check", MODEL_CHECKS)
def test_the_adapter_conforms(check: Check) -> None:
    async def checked() -> None:
        await check(opens)

    run(checked())


def test_their_test_model_calls_every_tool_and_then_answers() -> None:
    model = PydanticAIModel(TestModel())
    first = run(listen(model, request()))
    called = [delta for delta in first if isinstance(delta, CallDelta) and delta.name]
    assert [delta.name for delta in called] == ["read"]
    assert isinstance(first[-1], Stopped)
    assert first[-1].reason == "calls"
    call = ToolCall("call_1", "read", '{"path": "a"}')
    result = ToolResult("call_1", "read", (Text("data"),))
    second = run(listen(model, request(User((Text("Hi"),)), Assistant((call,)), result)))
    assert "data" in "".join(delta.text for delta in second if isinstance(delta, TextDelta))


def test_an_unknown_name_is_the_callers_mistake() -> None:
    for name in ("nobody:nothing", "nothing", "google:gemini-2.5-pro"):
        with pytest.raises(UsageError):
            PydanticAIModel(name)


def test_the_conversation_goes_out_in_their_shape() -> None:
    first, spoke, second = sent(
        User((Text("Look"), File("image/png", blob="bytes"))),
        Assistant((Text("I see."), ToolCall("call_1", "read", '{"path": "a"}'))),
        ToolResult("call_1", "read", (Text("gone"),), status="error"),
        Note("mode: plan", source="mode"),
    )
    assert [part.part_kind for part in first.parts] == ["system-prompt", "user-prompt"]
    assert isinstance(first.parts[1], theirs.UserPromptPart)
    picture = first.parts[1].content[1]
    assert isinstance(picture, theirs.BinaryContent)
    assert (picture.data, picture.media_type) == (b"bytes", "image/png")
    assert [part.part_kind for part in spoke.parts] == ["text", "tool-call"]
    result, note = second.parts
    assert isinstance(result, theirs.ToolReturnPart)
    assert (result.content, result.tool_call_id, result.outcome) == ("gone", "call_1", "failed")
    assert isinstance(note, theirs.UserPromptPart)
    assert note.content == '<note source="mode">\nmode: plan\n</note>'


def test_nothing_empty_and_nothing_malformed_goes_out() -> None:
    messages = sent(
        User((Text(" "),)),
        Assistant((Text(""), ToolCall("", "re ad", "{"))),
        ToolResult("", "re ad", ()),
        Assistant((Text(""),)),
        User((Text("half \ud83d"),)),
    )
    assert [message.kind for message in messages] == ["request", "response", "request"]
    call = messages[1].parts[0]
    assert isinstance(call, theirs.ToolCallPart)
    assert call.tool_name == "re_ad"
    assert call.args_as_dict() == {"invalid_json": "{"}
    result = messages[2].parts[0]
    assert isinstance(result, theirs.ToolReturnPart)
    assert (result.tool_call_id, result.content) == (call.tool_call_id, "(no output)")


def test_reasoning_goes_back_only_to_the_model_that_made_it() -> None:
    own = Reasoning("mine", "proof", model="told:model")
    other = Reasoning("theirs", "proof", model="other:model")
    messages = sent(User((Text("Hi"),)), Assistant((own, other, Text("x"))), User((Text("And"),)))
    thoughts = [part for part in messages[1].parts if isinstance(part, theirs.ThinkingPart)]
    assert [(part.content, part.signature) for part in thoughts] == [("mine", "proof")]


def test_signatures_come_once_and_whole() -> None:
    deltas = run(listen(PydanticAIModel(ToldModel(Script([_thoughtful()]))), request()))
    signed = [d for d in deltas if isinstance(d, ReasoningDelta) and d.signature]
    assert [(delta.index, delta.signature) for delta in signed] == [(0, "one"), (1, "two")]


def _thoughtful() -> Reply:
    return reply(think("a", "one"), say("Hm."), think("b", "two"), say("Yes."))


def test_settings_and_tools_reach_the_model() -> None:
    told = ToldModel(FINE)
    chosen = ModelSettings(max_output=50, temperature=0.5, effort="none", extra={"seed": 1})
    run(listen(PydanticAIModel(told), request(settings=chosen)))
    info = told.infos[0]
    assert [tool.name for tool in info.function_tools] == ["read"]
    assert dict(info.model_settings or {}) == {
        "max_tokens": 50,
        "temperature": 0.5,
        "extra_body": {"seed": 1},
    }


@pytest.mark.parametrize(
    ("raised", "kind", "status"),
    [
        (exceptions.ModelHTTPError(429, "m", "slow"), RateLimited, 429),
        (exceptions.ModelHTTPError(503, "m", "busy"), Overloaded, 503),
        (exceptions.ModelHTTPError(401, "m", "no"), Auth, 401),
        (exceptions.ModelHTTPError(422, "m", "odd"), BadRequest, 422),
        (exceptions.ModelQuotaExceededError("m", "pay"), Auth, 0),
        (exceptions.ModelTimeoutError("m", "late"), Network, 0),
        (exceptions.UnexpectedModelBehavior("what?"), Overloaded, 0),
        (exceptions.UserError("no such setting"), BadRequest, 0),
        (RuntimeError("a client's own"), ModelError, 0),
    ],
)
def test_their_errors_become_ours(raised: Exception, kind: type[ModelError], status: int) -> None:
    def fails(asked: Request) -> Reply:
        raise raised

    with pytest.raises(ModelError) as caught:
        run(listen(PydanticAIModel(ToldModel(fails)), request()))
    assert (type(caught.value), caught.value.status) == (kind, status)


def test_cancelling_closes_what_is_open() -> None:
    async def cancel() -> tuple[bool, int]:
        told = ToldModel(Script([reply(say("a"), pause(), say("b"))]))
        task = asyncio.create_task(listen(PydanticAIModel(told), request()))
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled(), told.open

    assert run(cancel()) == (True, 0)
