"""A model that writes faster than anybody can draw: frames are dropped, keys are not."""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

import pytest

from longrein.client.local import LocalClient
from longrein.client.port import Client, ThreadClient
from longrein.core.display import Display
from longrein.testing import ScriptedModel, say
from longrein.testing.scripted import Script
from longrein.tui.main import FRAME
from tests.support import run
from tests.tui.apps import using
from tests.tui.kit import client

CHUNKS = 600
RATE = 2_000
"""Chunks in a second."""

TYPED = "what I type meanwhile"


class CountedThread:
    """A thread that counts the displays that were drawn of it."""

    def __init__(self, thread: ThreadClient) -> None:
        self._thread = thread
        self.drawn = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._thread, name)

    async def displays(self) -> AsyncGenerator[Display, None]:
        async with aclosing(self._thread.displays()) as displays:
            async for shown in displays:
                self.drawn += 1
                yield shown


class CountedClient:
    """A client whose one thread is counted."""

    def __init__(self, client: LocalClient) -> None:
        self._client = client
        self.opened: list[CountedThread] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def open(self, thread: str = "", *, new: bool = False) -> ThreadClient:
        counted = CountedThread(await self._client.open(thread, new=new))
        self.opened.append(counted)
        return cast("ThreadClient", counted)


@pytest.mark.timeout(120)
def test_two_thousand_chunks_a_second_cost_frames_and_no_keys(tmp_path: Path) -> None:
    async def test() -> None:
        words = " ".join(f"w{n:03}" for n in range(CHUNKS))
        model = ScriptedModel(Script([say(words, size=5)]), delay=1 / RATE)
        async with client(model, tmp_path) as made:
            counted = CountedClient(made)
            async with using(cast("Client", counted)) as person:
                began = time.monotonic()
                await person.types("Go", "enter")
                await person.sees("w010")
                await person.types(TYPED)
                assert person.app.main.editor.draft.text == TYPED
                assert f"w{CHUNKS - 1}" not in person.screen
                await person.sees(f"w{CHUNKS - 1}")
                (thread,) = counted.opened
                assert thread.drawn <= (time.monotonic() - began) / FRAME + 10
                assert person.app.main.editor.draft.text == TYPED

    run(test(), seconds=100)
