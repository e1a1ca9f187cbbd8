"""The files of the thread that some code runs in."""

from collections.abc import Mapping, Sequence

from longrein.capabilities.file_tools.place import Call
from longrein.core.errors import NotFound
from longrein.core.ids import Clock
from longrein.tools.reach import Fact
from longrein.workspace.kept import Record
from longrein.workspace.thread import (
    KIND,
    THREAD_FILES,
    Changes,
    ThreadFiles,
    ThreadLog,
    changed,
    read_changes,
)


def thread_files(ctx: Call, *, clock: Clock | None = None) -> ThreadFiles:
    """The file system in the log of a thread, as the code of this call sees and changes it.

    The slice `THREAD_FILES` must be installed.
    """
    return ThreadFiles(CallLog(ctx), clock=clock)


class CallLog:
    """The log of a thread together with what a call has brought about and not written yet."""

    def __init__(self, ctx: Call) -> None:
        self._ctx = ctx

    def records(self) -> Mapping[str, Record]:
        records = self._ctx.read(THREAD_FILES)
        for effect in self._ctx.effects:
            if isinstance(effect, Fact) and (new := read_changes(effect.kind, effect.data)):
                records = changed(records, new)
        return records

    def write(self, changes: Changes, blobs: Sequence[str]) -> None:
        self._ctx.record(KIND, changes, blobs)

    async def keep(self, data: bytes) -> str:
        return await self._ctx.keep_bytes(data)

    async def load(self, digest: str) -> bytes | None:
        try:
            return await self._ctx.load_bytes(digest)
        except NotFound:
            return None


_FITS: type[ThreadLog] = CallLog
