"""A port to children without a session: what is asked of it, and what it is told to answer."""

import asyncio
import json
from typing import Any

from msgspec.structs import replace

from longrein.core.errors import NotFound, UsageError
from longrein.core.messages import Text
from longrein.tools.call import Output, call
from longrein.tools.children import ChildEnd, Children, ChildView, Order
from longrein.tools.context import Context
from longrein.tools.define import Tool
from longrein.tools.reach import Reach


class Port:
    """Children that end as they are told to; `saying` is what one says while it works."""

    def __init__(
        self, *ends: ChildEnd, saying: tuple[str, ...] = (), views: tuple[ChildView, ...] = ()
    ) -> None:
        self.orders: list[Order] = []
        self.told: list[tuple[str, str]] = []
        self.stopped: list[str] = []
        self._ends = iter(ends)
        self._saying = saying
        self._views = views

    async def run(self, order: Order) -> ChildEnd:
        if order.agent == "nobody":
            raise UsageError("There is no subagent 'nobody'.")
        self.orders.append(order)
        for said in self._saying:
            self._views = (ChildView("thr_1", order.agent, "", "running", text=said, call="c1"),)
            await asyncio.sleep(1.1)
        return next(self._ends)

    async def start(self, order: Order) -> str:
        self.orders.append(order)
        return "thr_7"

    async def stop(self, child: str, reason: str = "") -> bool:
        self.stopped.append(child)
        return self._open(child)

    async def steer(self, child: str, text: str) -> bool:
        self.told.append((child, text))
        return self._open(child)

    def children(self) -> tuple[ChildView, ...]:
        return self._views

    def _open(self, child: str) -> bool:
        view = next((one for one in self._views if one.thread == child), None)
        if view is None:
            raise NotFound(f"There is no child {child!r}.")
        return view.state in ("running", "waiting")


FITS: type[Children] = Port


class Caller:
    """Whoever calls a tool; `shown` is what it put out meanwhile."""

    def __init__(self, port: Port) -> None:
        self.shown: list[str] = []

        def children(call: str) -> Children:
            return port

        self.reach = replace(Reach(), children=children)

    async def call(self, tool: Tool, **arguments: Any) -> tuple[str, str]:
        """How a call ended, and what the model hears of it."""
        ctx = Context(call="c1", tool=tool.name, reach=self.reach, output=self.shown.append)
        ended = await call(tool, json.dumps(arguments), ctx)
        assert isinstance(ended, Output)
        return ended.status, "".join(one.text for one in ended.parts if isinstance(one, Text))
