"""What the sessions of a tree see of each other."""

from typing import TYPE_CHECKING, Protocol

from longrein.core.commands import Answer, Approve, Command
from longrein.core.policy import Grant
from longrein.core.state import State
from longrein.loop.tree import Ledger
from longrein.storage.base import ThreadRow
from longrein.tools.shapes import Shape

if TYPE_CHECKING:
    # A session has services and a nursery, and both lead to other sessions.
    from longrein.session.children.driving import Driving
    from longrein.session.children.nursery import Nursery
    from longrein.session.services import Services


class Kin(Protocol):
    """A session of the tree. `held`: an application has opened it by itself."""

    held: bool

    @property
    def thread(self) -> str: ...
    @property
    def scope(self) -> str: ...
    @property
    def folded(self) -> State: ...
    @property
    def closed(self) -> bool: ...
    @property
    def services(self) -> "Services": ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def nursery(self) -> "Nursery": ...
    @property
    def driving(self) -> "Driving": ...

    @property
    def followed(self) -> bool:
        """Whether anybody wants to hear what happens there."""
        ...

    @property
    def pulse(self) -> tuple[object, ...]:
        """What changes whenever there is more to show of it, or of those below."""
        ...

    @property
    def saying(self) -> str:
        """What its model is writing right now."""
        ...

    async def submit(self, command: Command) -> Answer: ...

    async def granting(self, command: Approve) -> tuple[Grant, ...]:
        """What a yes would remember. Raises `UsageError` where it cannot be."""
        ...

    async def moved(self) -> None:
        """Come back after the next event. Raises `SessionClosed` where there will be none."""
        ...

    async def attend(self) -> None:
        """Carry out what other processes posted, to it and to those below it."""
        ...

    def expect(self, run: str, output: Shape[object]) -> None:
        """The answer of a run has to fit this type."""
        ...

    async def close(self) -> None: ...


class Family(Protocol):
    """Where sessions of the tree come from: one per thread."""

    async def open(
        self, row: ThreadRow, scope: str = "default", *, by_parent: bool = False
    ) -> Kin: ...
