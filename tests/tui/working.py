"""Threads with something in them, for pages to show."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from longrein.client.local import LocalClient
from longrein.client.port import ThreadClient
from longrein.core.display import Display

WAIT = 25.0


async def settled(
    thread: ThreadClient, holds: Callable[[Display], object] | None = None
) -> Display:
    """The display once nothing runs any more, or once this holds."""
    async with asyncio.timeout(WAIT):
        while True:
            shown = thread.display
            if holds(shown) if holds else shown.activity == "idle" and not shown.queue:
                return shown
            await asyncio.sleep(0.01)


async def talked(made: LocalClient, *texts: str) -> ThreadClient:
    """A new thread in which this was said, one after the other."""
    thread = await made.open(new=True)
    for text in texts:
        await thread.say("send", text)
        await settled(thread)
    return thread


def written(folder: Path, name: str, text: str) -> Path:
    """A file in the folder."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def drafts(folder: Path) -> bytes:
    """What is in the files of drafts beside the store in this folder."""
    files = (folder / "longrein.db-drafts").glob("[!.]*")
    try:
        return b"".join(file.read_bytes() for file in files)
    except FileNotFoundError:  # one was sent between the two looks
        return drafts(folder)
