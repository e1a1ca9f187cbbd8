"""A model's answer as one text, for whoever does not listen to it being written."""

from collections.abc import Callable
from contextlib import aclosing

from longrein.core.errors import Network
from longrein.models.base import Delta, Model, Request, Stopped, TextDelta


async def whole_answer(
    model: Model, request: Request, hear: Callable[[Delta], None] = lambda delta: None
) -> tuple[str, Stopped]:
    """What a model says to a request, and how it stopped; `hear` is told of each piece.

    Raises `ModelError`.
    """
    said: list[str] = []
    async with aclosing(model.stream(request)) as deltas:
        async for delta in deltas:
            hear(delta)
            if isinstance(delta, TextDelta):
                said.append(delta.text)
            elif isinstance(delta, Stopped):
                return "".join(said), delta
    raise Network(f"{request.model} ended its answer in the middle.")
