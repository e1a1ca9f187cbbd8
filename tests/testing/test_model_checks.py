"""The conformance checks hold for the scripted model, and notice a model that breaks them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from longrein.models.base import Delta, Model, Request, Stopped, TextDelta
from longrein.testing import MODEL_CHECKS, ScriptedModel
from longrein.testing.models import (
    Check,
    a_broken_stream_is_a_network_error,
    text_arrives_whole_and_in_order,
)
from longrein.testing.scripted import Replies
from tests.support import run


@asynccontextmanager
async def scripted(replies: Replies) -> AsyncGenerator[Model]:
    model = ScriptedModel(replies)
    yield model
    await model.close()


@pytest.mark.parametrize("check", MODEL_CHECKS)
def test_the_scripted_model_conforms(check: Check) -> None:
    async def checked() -> None:
        await check(scripted)

    run(checked())


class Careless:
    """A model that stops twice and never fails."""

    wire = "careless"

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        yield TextDelta("Hello")
        yield Stopped("end")
        yield Stopped("end")

    async def close(self) -> None:
        pass


@asynccontextmanager
async def careless(replies: Replies) -> AsyncGenerator[Model]:
    yield Careless()


@pytest.mark.parametrize(
    "check", [text_arrives_whole_and_in_order, a_broken_stream_is_a_network_error]
)
def test_a_careless_model_is_caught(check: Check) -> None:
    async def checked() -> None:
        await check(careless)

    with pytest.raises(AssertionError):
        run(checked())
