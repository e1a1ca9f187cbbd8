"""Bytes from one connection to another: as fast as they are taken, until an end."""

import asyncio
import re
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable
from typing import TypeAlias

from longrein.workspace.network.requests import Body, NotServed

CHUNK = 64 * 1024

Heard: TypeAlias = Callable[[], object]
"""Called whenever bytes come or go."""

_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\x00-\x08\x0a-\x1f\x7f]*)?\r\n")
_LONGEST_TRAILER = 8 * 1024


async def carry(source: StreamReader, target: StreamWriter, heard: Heard) -> None:
    """Everything up to the end, and the end too; the other direction goes on."""
    while data := await source.read(CHUNK):
        await _hand_on(data, target, heard)
    if target.can_write_eof():
        target.write_eof()


async def carry_body(source: StreamReader, target: StreamWriter, body: Body, heard: Heard) -> None:
    """The body of a request and not a byte more. Raises `NotServed`, `IncompleteReadError`."""
    if body != "chunked":
        await _exactly(source, target, body, heard)
        return
    while size := await _next_size(source, target, heard):
        await _exactly(source, target, size, heard)
        if await source.readexactly(2) != b"\r\n":
            raise NotServed("A chunk is not as long as it says.")
        target.write(b"\r\n")
    trailer = 0
    while (line := await source.readuntil(b"\r\n")) != b"\r\n":
        trailer += len(line)
        if trailer > _LONGEST_TRAILER:
            raise NotServed("There are too many headers after the body.")
    await _hand_on(b"\r\n", target, heard)


async def _next_size(source: StreamReader, target: StreamWriter, heard: Heard) -> int:
    line = _SIZE.fullmatch(await source.readuntil(b"\r\n"))
    if line is None:
        raise NotServed("The size of a chunk cannot be read.")
    size = int(line[1], 16)
    await _hand_on(b"%x\r\n" % size, target, heard)
    return size


async def _exactly(source: StreamReader, target: StreamWriter, size: int, heard: Heard) -> None:
    while size:
        data = await source.read(min(size, CHUNK))
        if not data:
            raise asyncio.IncompleteReadError(b"", size)
        size -= len(data)
        await _hand_on(data, target, heard)


async def _hand_on(data: bytes, target: StreamWriter, heard: Heard) -> None:
    heard()
    target.write(data)
    await target.drain()
    heard()
