"""`Children`: the port through which a tool delegates work to children, threads of their own."""

from typing import Protocol

from msgspec import Struct

from longrein.core.children import ChildView as ChildView
from longrein.core.children import EndStatus as EndStatus
from longrein.core.errors import UsageError
from longrein.core.usage import Spent


class Order(Struct, frozen=True):
    """What a child is to do: the name of its `Subagent`, and the task in words.

    `title` says it in a few words, for people. `background`: nobody waits for it.

    >>> from longrein import Order
    >>> Order("researcher", "Find out who wrote this.", title="The author").agent
    'researcher'
    """

    agent: str
    text: str
    title: str = ""
    background: bool = False


class ChildEnd(Struct, frozen=True):
    """How a child ended, never as an exception.

    `text` is what it said last or, where it did not finish, what went wrong and what it had said by
    then; `value` is its answer as JSON where its `Subagent` has an `output`; `spent` is what it and
    all below it used.

    >>> from longrein import ChildEnd
    >>> ChildEnd("thr_2", "limit", "The run took 40 steps, its limit.").status
    'limit'
    """

    thread: str
    status: EndStatus
    text: str
    value: str = ""
    spent: Spent = Spent()


class Children(Protocol):
    """What a tool call can do about children: `ctx.children`.

    A tool that delegates is declared `idempotent`: after a crash it is called again, and finds the
    children that it already has, in the order in which it asked for them.

    >>> from longrein import Children, Context, Order, tool
    >>> @tool(category="delegate", idempotent=True, timeout=None)
    ... async def second_opinion(ctx: Context, question: str) -> str:
    ...     "Ask somebody who has not heard any of this."
    ...     children: Children = ctx.children
    ...     end = await children.run(Order("general-purpose", question))
    ...     return end.text
    """

    async def run(self, order: Order) -> ChildEnd:
        """Start a child for this call, or go on with it after a crash, until it ends.

        Raises `UsageError` where nobody of that name can be delegated to.
        """
        ...

    async def start(self, order: Order) -> str:
        """Start the child of this call in the background; returns its thread.

        What it comes to reaches the parent as a signal.
        """
        ...

    async def stop(self, child: str, reason: str = "") -> bool:
        """Stop a child in the background. False: it has ended already. Raises `NotFound`."""
        ...

    async def steer(self, child: str, text: str) -> bool:
        """Tell a child something that comes before what it is at. False: it has ended already."""
        ...

    def children(self) -> tuple[ChildView, ...]:
        """Every child of the thread, in the order in which they began."""
        ...


class NoChildren:
    """The port of code that no session runs."""

    async def run(self, order: Order) -> ChildEnd:
        raise UsageError(OUTSIDE)

    async def start(self, order: Order) -> str:
        raise UsageError(OUTSIDE)

    async def stop(self, child: str, reason: str = "") -> bool:
        raise UsageError(OUTSIDE)

    async def steer(self, child: str, text: str) -> bool:
        raise UsageError(OUTSIDE)

    def children(self) -> tuple[ChildView, ...]:
        return ()


OUTSIDE = "Children work only in a tool call that a session runs."
NO_CHILDREN: Children = NoChildren()
