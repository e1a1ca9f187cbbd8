"""Tools whose effects can be counted after their process is gone: each is a line in a file."""

import asyncio
import os
import time
from collections.abc import Iterable, Sequence

from msgspec import Struct

from longrein.core.errors import ToolError
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool

WORK = 0.002
"""Seconds that a tool works before its effect, and again after it."""


class Effect(Struct, frozen=True):
    """One thing that happened to the world, by whichever process."""

    tool: str
    key: str
    call: str


class Effects:
    """The file of effects. A line is appended in one write, so it is there whole or not at all."""

    def __init__(self, path: str) -> None:
        self._path = path

    def happen(self, tool: str, key: str, call: str) -> None:
        line = f"{tool} {key} {call}\n".encode()
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line)
        finally:
            os.close(file)

    def read(self) -> list[Effect]:
        """Every effect so far, in order."""
        try:
            with open(self._path, encoding="utf-8") as file:
                return [Effect(*line.split()) for line in file]
        except FileNotFoundError:
            return []


async def _work(ctx: Context[Effects], key: str) -> str:
    await asyncio.sleep(WORK)
    ctx.deps.happen(ctx.tool, key, ctx.call)
    await asyncio.sleep(WORK)
    return f"{ctx.tool} did {key}"


@tool
async def write(ctx: Context[Effects], key: str) -> str:
    """Have an effect."""
    return await _work(ctx, key)


@tool(idempotent=True)
async def look(ctx: Context[Effects], key: str) -> str:
    """Have an effect that does no harm twice."""
    return await _work(ctx, key)


@tool(exclusive=True)
async def alone(ctx: Context[Effects], key: str) -> str:
    """Have an effect while nothing else runs."""
    return await _work(ctx, key)


@tool(exclusive=lambda arguments: arguments["lane"])
async def in_lane(ctx: Context[Effects], key: str, lane: str) -> str:
    """Have an effect, one call of a lane after the other."""
    return await _work(ctx, key)


@tool
def in_thread(ctx: Context[Effects], key: str) -> str:
    """Have an effect in a thread."""
    time.sleep(WORK)
    ctx.deps.happen(ctx.tool, key, ctx.call)
    return f"{ctx.tool} did {key}"


@tool
async def fails(ctx: Context[Effects], key: str) -> str:
    """Have an effect, then fail."""
    await _work(ctx, key)
    raise ToolError(f"{key} failed")


@tool
async def hang(ctx: Context[Effects], key: str) -> str:
    """Have an effect, then never come back."""
    await _work(ctx, key)
    await asyncio.Event().wait()
    return "never"


@tool
async def pour(ctx: Context[Effects], key: str) -> str:
    """Have an effect and return more than a model is shown."""
    return "\n".join([await _work(ctx, key), *(f"line {n}" for n in range(8000))])


@tool(category="execute")
async def deploy(ctx: Context[Effects], key: str) -> str:
    """Have an effect once a person said yes."""
    return await _work(ctx, key)


@tool(category="network")
async def fetch(ctx: Context[Effects], key: str) -> str:
    """Have an effect once a person said yes to this kind."""
    return await _work(ctx, key)


@tool(idempotent=True)
async def tally(ctx: Context[Effects], key: str) -> str:
    """Have an effect that does no harm twice, and count it in the application's state once."""
    ctx.update({"count": ctx.state.count + 1})
    return await _work(ctx, key)


@tool(asks=True)
async def confirm(ctx: Context[Effects], key: str) -> str:
    """Ask twice, then have an effect."""
    first = await ctx.ask(f"{key}: go?", ["yes", "no"])
    second = await ctx.ask(f"{key}: sure?")
    return f"{await _work(ctx, key)} ({first}, {second})"


TOOLS: Sequence[Tool] = (
    write, look, alone, in_lane, in_thread, fails, hang, pour, deploy, fetch, tally, confirm
)  # fmt: skip
"""One tool of each kind; `key` names the effect, the same in every run of a script.

The file of effects is what they depend on, so that they need not be made anew in each process.
"""

HARMLESS_TWICE = frozenset({"look", "tally", "task"})
"""The tools that are declared idempotent."""


def repeated(effects: Iterable[Effect]) -> list[Effect]:
    """The effects that happened before, of tools that must not run twice."""
    seen: set[tuple[str, str]] = set()
    again: list[Effect] = []
    for effect in effects:
        name = (effect.tool, effect.key)
        if name in seen and effect.tool not in HARMLESS_TWICE:
            again.append(effect)
        seen.add(name)
    return again
