"""The wires of this package before the scripted server: they conform, and nothing breaks them."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from longrein.core.errors import ModelError
from longrein.core.messages import Text, User
from longrein.models.anthropic import AnthropicModel
from longrein.models.base import Delta, Model, Request, Stopped
from longrein.models.openai_chat import OpenAIChatModel
from longrein.models.openai_responses import OpenAIResponsesModel
from longrein.models.place import Place
from longrein.models.secret import Secret
from longrein.testing import BROKEN, MODEL_CHECKS, ScriptedServer, gone_wrong
from longrein.testing.models import Check, Opens
from longrein.testing.scripted import Replies
from tests.support import run

Makes = Callable[[Place], Model]

WIRES: dict[str, tuple[Makes, str]] = {
    "chat": (OpenAIChatModel, "/v1"),
    "responses": (OpenAIResponsesModel, "/v1"),
    "messages": (AnthropicModel, ""),
}


def opener(wire: str) -> Opens:
    makes, path = WIRES[wire]

    @asynccontextmanager
    async def opens(replies: Replies) -> AsyncGenerator[Model]:
        async with ScriptedServer(replies) as server:
            model = makes(Place("test", "model", server.url + path, Secret("key", "key")))
            try:
                yield model
            finally:
                await model.close()
            assert not server.refused

    return opens


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("check", MODEL_CHECKS)
def test_a_wire_conforms(wire: str, check: Check) -> None:
    async def checked() -> None:
        await check(opener(wire))

    run(checked())


async def no_blobs(name: str) -> bytes:
    raise KeyError(name)


async def heard(model: Model, text: str) -> list[Delta] | ModelError:
    asked = Request("test:model", "Be brief.", (), (User((Text(text),)),), no_blobs)
    try:
        return [delta async for delta in model.stream(asked)]
    except ModelError as error:
        return error


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_answer_stops_once_or_raises_a_model_error(wire: str, name: str) -> None:
    async def ask() -> None:
        async with opener(wire)(gone_wrong(name)) as model:
            first = await heard(model, "first")
            if isinstance(first, list):
                assert [isinstance(delta, Stopped) for delta in first].count(True) == 1
                assert isinstance(first[-1], Stopped)
            assert isinstance(await heard(model, "second"), list)

    run(ask())
