"""Threads that leave the store and come back, and content that is to be forgotten."""

import os
import sys
from argparse import Namespace
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from longrein.cli import exits
from longrein.cli.placed import in_plain_place
from longrein.cli.terminal import Screen
from longrein.cli.threads import find_thread
from longrein.cli.workplace import Workplace
from longrein.core.errors import UsageError


@in_plain_place
async def export(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """`longrein export`: a thread as JSON or as a transcript, on standard output or in a file."""
    async with place.harness() as harness:
        # Before a file is made for it.
        await find_thread(harness.store, place.resource, arguments.thread)
        pieces = harness.export(place.resource, arguments.thread, format=arguments.format)
        async with aclosing(pieces):
            if arguments.file:
                await _into(Path(arguments.file), pieces)
                screen.say(f"{arguments.thread} is in {arguments.file}.")
            else:
                async for piece in pieces:
                    screen.out(piece.decode())
    return exits.FINISHED


async def _into(path: Path, pieces: AsyncGenerator[bytes, None]) -> None:
    """Write a file that is new, and for its owner's eyes only; all of it or none."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(f"There is a file {path} already; name another.") from None
    try:
        with os.fdopen(handle, "wb") as file:
            async for piece in pieces:
                file.write(piece)
    except BaseException:
        os.unlink(path)
        raise


@in_plain_place
async def import_thread(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """`longrein import`: a thread from its export; prints its id."""
    data = sys.stdin.buffer.read() if arguments.file == "-" else _read(Path(arguments.file))
    async with place.harness() as harness:
        try:
            row = await harness.import_thread(place.resource, data, copy=arguments.copy)
        except UsageError as error:
            said = str(error).replace("copy=True", "--copy")
            raise UsageError(said.replace("harness.export", "`longrein export`")) from error
    screen.out(f"{row.id}\n")
    return exits.FINISHED


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None


@in_plain_place
async def erase(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """`longrein erase`: take the content out of an event; says which ones it was in."""
    async with place.harness() as harness:
        erased = await harness.erase(place.resource, arguments.thread, arguments.seq)
    numbers = ", ".join(map(str, erased))
    screen.say(f"The content of {numbers} is gone." if erased else "There was no content in it.")
    return exits.FINISHED
