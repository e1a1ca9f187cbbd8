"""What changed, all in all: the first version against the last, with lines counted."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from longrein.storage.tables.database import Database
from longrein.storage.writer import Writer
from longrein.workspace.checkpoints import objects
from longrein.workspace.checkpoints.values import FileChange, Row, Version, shown, status
from longrein.workspace.diffs import LARGEST, Diff, diff

MOST_COUNTED = 200
"""Files whose lines are counted at once; of more only the versions are told."""

_SHOWS = ("file", "link", "unkept")


class Net(NamedTuple):
    """The version of a path before the first of some changes, and after the last."""

    path: bytes
    before: Version
    after: Version

    def is_change(self) -> bool:
        kinds = {self.before.kind, self.after.kind}
        return self.before != self.after and not kinds.isdisjoint(_SHOWS)


def nets(rows: Iterable[Row]) -> list[Net]:
    """All in all, what these changes did to files. What others did before and after is not ours."""
    found: dict[bytes, Net] = {}
    for row in rows:
        if row.origin == "foreign" or row.after is None:
            continue
        first = found.get(row.path)
        found[row.path] = Net(row.path, first.before if first else row.before, row.after)
    return [net for net in found.values() if net.is_change()]


async def count(writer: Writer, found: Sequence[Net]) -> list[FileChange]:
    """The same with lines counted, by path."""
    found = sorted(found)
    changes: list[FileChange] = []
    for at, net in enumerate(found):
        counted = Diff("")
        if at < MOST_COUNTED and _can_be_compared(net):
            before, after = await writer.read(lambda db, net=net: _load(db, net))
            counted = await asyncio.to_thread(diff, before, after, "", 0)
        changes.append(_change(net, counted))
    return changes


def _load(db: Database, net: Net) -> tuple[bytes | None, bytes | None]:
    """The bytes of both versions; None for what is not there."""
    return _bytes(db, net.before), _bytes(db, net.after)


def _bytes(db: Database, version: Version) -> bytes | None:
    return objects.load(db, version.digest) if version.kind in ("file", "link") else None


def _can_be_compared(net: Net) -> bool:
    if "unkept" in (net.before.kind, net.after.kind) or net.before.digest == net.after.digest:
        return False
    return max(net.before.size, net.after.size) <= LARGEST


def _change(net: Net, counted: Diff) -> FileChange:
    return FileChange(
        shown(net.path),
        status(net.before, net.after),
        counted.added,
        counted.removed,
        _hex(net.before),
        _hex(net.after),
    )


def _hex(version: Version) -> str:
    return version.digest.hex() if version.kind in ("file", "link") else ""
