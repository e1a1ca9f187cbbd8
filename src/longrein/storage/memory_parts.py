"""What the store in memory is made of."""

from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from longrein.storage.base import Posted, Snapshot, ThreadRow
from longrein.storage.rewriting import missing, shared


class Thread(Struct, eq=False):
    """A thread and all that is its own. `gone`: deleted, and kept for its forks up to there."""

    row: ThreadRow
    parent: "Thread | None"
    events: list[bytes] = []
    snapshots: list[Snapshot] = []
    blobs: list[tuple[int, str]] = []
    """The hashes that events refer to, with the numbers of the events."""
    inbox: dict[str, Posted] = {}
    owner: str | None = None
    epoch: int = 0
    gone: int | None = None

    @property
    def head(self) -> int:
        return self.row.fork_at + len(self.events)

    @property
    def needed(self) -> int:
        """How far this thread reads its parent."""
        return self.row.fork_at if self.gone is None else min(self.row.fork_at, self.gone)

    def line(self) -> "Iterator[tuple[Thread, int]]":
        """What a thread reads: itself, then its parents, each with how far."""
        thread, upto = self, self.head
        while True:
            yield thread, upto
            upto = min(upto, thread.row.fork_at)
            if thread.parent is None:
                return
            thread = thread.parent

    def refuse_unless_own(self, seq: int) -> None:
        """Raise `UsageError` for an event that cannot be rewritten here."""
        if not 1 <= seq <= self.head:
            raise missing(self.row.id, seq)
        writer = next(thread for thread, _ in self.line() if thread.row.fork_at < seq)
        if writer is not self:
            raise shared(self.row.id, seq, writer.row.id, deleted=writer.gone is not None)


class Blob(Struct):
    """Kept bytes. `loose`: since when they wait for a first reference; None once they had one."""

    data: bytes
    loose: float | None


def change(pairs: dict[str, bytes], changes: Sequence[tuple[str, bytes | None]]) -> None:
    """Put values, or (None) remove those that are there."""
    for key, value in changes:
        if value is None:
            pairs.pop(key, None)
        else:
            pairs[key] = value


class _Watcher(Struct, eq=False):
    """Who wants to hear of writes, once for all writes until it was told."""

    loop: AbstractEventLoop
    changed: Callable[[], None]
    due: bool = False

    def tell(self) -> None:
        if not self.due and not self.loop.is_closed():
            self.due = True
            self.loop.call_soon(self._tell)

    def _tell(self) -> None:
        self.due = False
        self.changed()


class Watchers:
    """All who want to hear of writes."""

    def __init__(self) -> None:
        self._all: list[_Watcher] = []

    def add(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` soon after every write, until what this returns is called."""
        watcher = _Watcher(get_running_loop(), changed)
        self._all.append(watcher)

        def end() -> None:
            if watcher in self._all:
                self._all.remove(watcher)

        return end

    def tell(self) -> None:
        for watcher in self._all:
            watcher.tell()
