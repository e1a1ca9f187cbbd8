"""The log of a thread for files to be kept in, without a session."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256

import msgspec

from longrein.core.events import Recorded
from longrein.workspace.kept import Record
from longrein.workspace.thread import KIND, Changes, ThreadLog, fold


class Log:
    """The log of a thread in memory, which keeps facts as JSON."""

    def __init__(self) -> None:
        self.events: list[Recorded] = []
        self.blobs: dict[str, bytes] = {}
        self._records: dict[str, Record] = {}

    def records(self) -> Mapping[str, Record]:
        return self._records

    def write(self, changes: Changes, blobs: Sequence[str]) -> None:
        data = json.loads(msgspec.json.encode(changes))
        self.events.append(Recorded(KIND, data, blobs=tuple(blobs), seq=len(self.events) + 1))
        self._records = fold(self._records, self.events[-1])

    async def keep(self, data: bytes) -> str:
        digest = sha256(data).hexdigest()
        self.blobs[digest] = data
        return digest

    async def load(self, digest: str) -> bytes | None:
        return self.blobs.get(digest)


_FITS: type[ThreadLog] = Log
