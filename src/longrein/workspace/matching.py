"""Which lines of a block fit a search, where there is no ripgrep to ask."""

import asyncio
import json
import re
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from longrein.workspace import line_worker
from longrein.workspace.base import Grep
from longrein.workspace.dialect import checked
from longrein.workspace.problems import BadPattern
from longrein.workspace.processes import while_needed

PATIENCE = 10.0
"""Seconds for one block (about a megabyte): a pattern that takes longer takes too long."""


class Matcher(Protocol):
    """Finds lines in blocks that hold whole lines, without the last line end."""

    async def hits(self, block: bytes) -> list[int]:
        """The numbers of the lines that fit, from 0."""
        ...


@asynccontextmanager
async def matcher(query: Grep, patience: float = PATIENCE) -> AsyncGenerator[Matcher, None]:
    """What finds the lines of a search. Raises `BadPattern`, also while in use."""
    pattern = checked(query)
    if query.literal:
        yield _Literal(pattern, query.ignore_case)
        return
    try:
        worker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", "-W", "ignore", str(Path(line_worker.__file__))),
            stdin=PIPE,
            stdout=PIPE,
            limit=1 << 24,
            env={"PYTHONIOENCODING": "utf-8"},
        )
    except OSError:  # a program that has Python inside and no interpreter to start
        raise BadPattern(
            "", "Regular expressions cannot be searched for here. Search for a text (literal)."
        ) from None
    async with while_needed(worker):
        started = _Worker(worker, patience)
        await started.begin(pattern, query.ignore_case)
        yield started


class _Literal:
    """Looks for a text itself, which takes no longer than reading."""

    def __init__(self, text: str, ignore_case: bool) -> None:
        self._text = re.escape(text.encode())
        self._find = re.compile(self._text).finditer
        self._folded = re.compile(re.escape(text), re.IGNORECASE) if ignore_case else None

    async def hits(self, block: bytes) -> list[int]:
        if self._folded is not None:
            lines = block.decode("utf-8", "surrogateescape").split("\n")
            return [n for n, line in enumerate(lines) if self._folded.search(line)]
        places = [0, *(found.start() for found in self._find(block))]
        numbers: list[int] = []
        number = 0
        for before, place in pairwise(places):
            number += block.count(b"\n", before, place)
            if numbers[-1:] != [number]:
                numbers.append(number)
        return numbers


class _Worker:
    """Asks `line_worker`."""

    def __init__(self, process: Process, patience: float) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self._patience = patience

    async def begin(self, pattern: str, ignore_case: bool) -> None:
        problem = json.loads(await self._ask(json.dumps([pattern, ignore_case]).encode() + b"\n"))
        if problem:
            raise BadPattern("", f"The pattern {pattern!r} cannot be read: {problem}.")

    async def hits(self, block: bytes) -> list[int]:
        return json.loads(await self._ask(len(block).to_bytes(4, "big") + block))

    async def _ask(self, data: bytes) -> bytes:
        try:
            async with asyncio.timeout(self._patience):
                self._in.write(data)
                await self._in.drain()
                answer = await self._out.readline()
        except TimeoutError:
            raise BadPattern(
                "", "The search was stopped: this pattern takes too long. Write a simpler one."
            ) from None
        except ConnectionError:
            answer = b""
        if not answer:
            raise BadPattern("", "The search broke off. Write a simpler pattern.")
        return answer
