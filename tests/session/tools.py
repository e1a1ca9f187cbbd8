"""Tools that the session tests use."""

import asyncio

from longrein.core.errors import ToolError
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool


@tool(category="read", idempotent=True)
async def read(path: str = "/") -> str:
    """Read a file."""
    return f"content of {path}"


@tool(category="execute")
async def deploy(target: str) -> str:
    """Deploy to a target."""
    return f"deployed to {target}"


@tool(category="edit")
async def write(path: str, text: str = "") -> str:
    """Write a file."""
    return f"wrote {path}"


@tool
async def fail() -> str:
    """Fail with an exception."""
    raise RuntimeError("the disk is on fire")


@tool
async def refuse() -> str:
    """Fail in the tool's own words."""
    raise ToolError("Give a smaller number.")


@tool(timeout=0.05)
async def hang() -> str:
    """Never come back."""
    await asyncio.sleep(60)
    return "never"


@tool
async def strange() -> object:
    """Return what no JSON can hold."""
    return object()


@tool(asks=True)
async def confirm(ctx: Context, what: str) -> str:
    """Ask twice, then act."""
    first = await ctx.ask(f"Do {what}?", ["yes", "no"])
    how = await ctx.ask("How?")
    return f"{what}: {first}, {how}"


class Gate:
    """Tools that wait until they are let through, and tell who is inside."""

    def __init__(self) -> None:
        self.inside: list[str] = []
        self.order: list[str] = []
        self.most = 0
        self._open: dict[str, asyncio.Event] = {}

    def open(self, *names: str) -> None:
        for name in names:
            self._open.setdefault(name, asyncio.Event()).set()

    async def enter(self, name: str) -> str:
        self.inside.append(name)
        self.order.append(name)
        self.most = max(self.most, len(self.inside))
        try:
            await self._open.setdefault(name, asyncio.Event()).wait()
        finally:
            self.inside.remove(name)
        return f"{name} done"

    def tools(self) -> list[Tool]:
        @tool
        async def work(name: str) -> str:
            """Work until let through."""
            return await self.enter(name)

        @tool(exclusive=True)
        async def alone(name: str) -> str:
            """Work with nobody beside."""
            return await self.enter(name)

        @tool(exclusive=lambda arguments: str(arguments["lane"]))
        async def lane(name: str, lane: str) -> str:
            """Work with nobody else in the lane."""
            return await self.enter(name)

        return [work, alone, lane]
