"""`Opening`: what a capability is told when a session is opened, and what it may add to it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from longrein.capabilities.contexts import HookContext
from longrein.core.errors import UsageError
from longrein.core.policy import Rule
from longrein.core.slices import Slice
from longrein.storage.base import Store
from longrein.tools.within import OUTSIDE, Within
from longrein.workspace.base import FileSystem
from longrein.workspace.checkpoints.values import Standing
from longrein.workspace.rules import FileRule

T = TypeVar("T")
Mount: TypeAlias = FileSystem | Callable[[Within[Any, Any]], FileSystem]
"""Files, or what gives them for the code that wants to see them."""


class Places(Struct, frozen=True):
    """What a capability adds to the place that an agent works in.

    `mounts` are files that are seen under absolute paths, `readable` folders of the disk that
    commands may read, by paths without links.

    >>> from longrein import Places
    >>> Places(readable=("/opt/manuals",)).mounts
    {}
    """

    mounts: Mapping[str, Mount] = {}
    readable: tuple[str, ...] = ()


class Beside(Protocol):
    """What a capability can do beside the runs of its session, for as long as that is open."""

    def spawn(self, work: "Callable[[HookContext], Awaitable[None]]", by: str) -> None:
        """Do something beside the run, in the name of a capability.

        What it records is written when it has ended. What it raises is reported as `hook_failed`
        and brings nothing about. It is cancelled when the session is closed, and not begun where
        another process writes the thread.
        """
        ...

    def read(self, slice: Slice[T]) -> T:
        """The value of a slice as it is now; its first one until the session is open."""
        ...


class Nowhere:
    """Beside nothing: there is no session."""

    def spawn(self, work: "Callable[[HookContext], Awaitable[None]]", by: str) -> None:
        raise UsageError(OUTSIDE)

    def read(self, slice: Slice[T]) -> T:
        return slice.initial


class Opening(Struct, frozen=True):
    """For whom a session is opened, the store, the dependencies that were made for it, the
    harness's own rules, and what all capabilities add to the place of work.

    `beside` is for work in the background; it can be used once the session is open. `capabilities`
    are the names of all that the agent has.
    """

    resource: str
    scope: str
    thread: str
    store: Store
    deps: Any = None
    rules: tuple[Rule, ...] = ()
    places: tuple[Places, ...] = ()
    beside: Beside = Nowhere()
    capabilities: tuple[str, ...] = ()
    files: tuple[tuple[FileRule, ...], ...] = ()
    """Lists of file rules that a child has to keep beside all others: in each of them the first
    rule about a path decides, and the strictest of all lists holds."""
    above: Callable[[], tuple[Standing, ...]] = tuple
    """Where the threads stand that a child works for, the nearest first; nobody for a root."""
