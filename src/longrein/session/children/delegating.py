"""`Children` as a tool call, a hook or a command is given it."""

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from longrein.core import commands as c
from longrein.core.children import Child, ChildView
from longrein.core.errors import NotFound, UsageError
from longrein.core.messages import Text
from longrein.session.children.driving import PARENT_STOPPED, Driving
from longrein.session.children.seen import views
from longrein.tools.children import ChildEnd, Children, Order
from longrein.tools.reach import Reach

ONLY_CALLS = "Only a tool call can have new children."


class Delegating:
    """The port for one call, or for code that is none.

    `why` tells why the call is cancelled, `show` takes what a child had when it was stopped.
    """

    def __init__(
        self,
        driving: Driving,
        call: str = "",
        why: Callable[[], str] = str,
        show: Callable[[str], object] = str,
    ) -> None:
        self._nursery = driving.nursery
        self._driving = driving
        self._call = call
        self._why = why
        self._show = show
        self._ordered = 0

    async def run(self, order: Order) -> ChildEnd:
        child = await self._begin(order)
        try:
            return await self._driving.end(child)
        except asyncio.CancelledError:
            # At a close it stays where it is; who stops the call stops the child.
            if self._why() not in ("", "close"):
                end = await asyncio.shield(self._driving.stop(child, PARENT_STOPPED))
                self._show(end.text)
            raise

    async def start(self, order: Order) -> str:
        return (await self._begin(order)).thread

    async def _begin(self, order: Order) -> Child:
        if not self._call:
            raise UsageError(ONLY_CALLS)
        number, self._ordered = self._ordered, self._ordered + 1
        return await self._driving.begin(order, self._call, number)

    async def stop(self, child: str, reason: str = "") -> bool:
        driving, known = self._known(child)
        if known.open:
            await driving.stop(known, reason or "its parent stopped it")
        return known.open

    async def steer(self, child: str, text: str) -> bool:
        driving, known = self._known(child)
        if known.open:
            kin = await driving.nursery.open(known)
            run = self._nursery.services.ids.new("run")
            id = self._nursery.services.ids.new("cmd")
            await kin.submit(c.Say("steer", run, (Text(text),), id=id, chosen=False))
        return known.open

    def children(self) -> tuple[ChildView, ...]:
        return tuple(views(self._nursery))

    def _known(self, child: str) -> tuple[Driving, Child]:
        found = self._driving.find(child)
        if found is None:
            raise NotFound(f"There is no child {child!r} of this thread.")
        return found


_fits: type[Children] = Delegating


def with_children(reach: Reach, port: Children) -> Reach:
    """What code can reach, children among it."""

    def children(call: str) -> Children:
        return port

    return replace(reach, children=children)
