"""Texts that are too long for a model: it is shown head and tail, and the whole is kept as a blob.

Where the agent has tools to read files it is told a path at which it finds all of it.
"""

import asyncio
from typing import Protocol, TypeVar, runtime_checkable

from msgspec.structs import replace

from longrein.core import commands as c
from longrein.core.errors import StoreError
from longrein.core.messages import Content
from longrein.core.offload import OFFLOAD, input_path, result_path
from longrein.core.state import State
from longrein.session.services import Services
from longrein.tools.bounds import LIMIT, OF_INPUT, bound

Said = TypeVar("Said", c.Say, c.EditInput)


@runtime_checkable
class Offloading(Protocol):
    """A capability that shows what was offloaded. Inputs of more characters than `longest_input`
    are shown in part; 0: all of them whole."""

    longest_input: int


class Offload:
    """Makes long texts short for the model of one session."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def result(
        self, state: State, call: str, parts: tuple[Content, ...]
    ) -> tuple[tuple[Content, ...], str]:
        """What the model is shown of a result, and the hash of all of it where that is less."""
        whole = bound(parts, LIMIT).whole
        if not whole:
            return parts, ""
        try:
            blob = await self._keep(whole)
        except (StoreError, asyncio.CancelledError):
            # The tool has run: what the model is shown of it must not be lost with the rest.
            return bound(parts, LIMIT).parts, ""
        path = result_path(call) if self._services.loop.readable(state, OFFLOAD) else ""
        return bound(parts, LIMIT, path, kept=True).parts, blob

    async def command(self, state: State, command: c.Command) -> c.Command:
        """A command of which no input is too long. Where nobody could read the rest, it stays as
        it is: a person gave all of it."""
        match command:
            case c.Say(id=id):
                return await self._said(state, command, id)
            case c.EditInput(input=id):
                return await self._said(state, command, id)
            case c.Together(parts=parts):
                said = [
                    await self._said(state, part, part.id) if isinstance(part, c.Say) else part
                    for part in parts
                ]
                return replace(command, parts=tuple(said))
            case _:
                return command

    async def _said(self, state: State, said: Said, id: str) -> Said:
        longest = self._longest_input
        if isinstance(said, c.Say) and said.kind == "signal":
            return said
        readable = longest and self._services.loop.readable(state, OFFLOAD)
        if not readable or not bound(said.parts, longest).whole:
            return said
        shown = bound(said.parts, OF_INPUT, input_path(id))
        return replace(said, parts=shown.parts, whole=await self._keep(shown.whole))

    async def _keep(self, text: str) -> str:
        clean = self._services.redactor.text(text)
        return await self._services.store.put_blob(clean.encode("utf-8", "replace"))

    @property
    def _longest_input(self) -> int:
        offloading = (one for one in self._services.capabilities if isinstance(one, Offloading))
        return next((one.longest_input for one in offloading), 0)
