"""Which blobs an event refers to."""

import re
from collections.abc import Iterator

from longrein.core import events as e
from longrein.core.messages import File
from longrein.core.records import Input

_DIGEST = re.compile(rb'"([0-9a-f]{64})"')


def referred(event: e.Event) -> Iterator[str]:
    """The hashes of the blobs that an event refers to.

    Of an event that only a newer Longrein knows it is every text that could be one.
    """
    match event:
        case e.InputAdmitted(input=Input(parts=parts, whole=whole)):
            pass
        case e.InputEdited(parts=parts, whole=whole) | e.ToolEnded(parts=parts, whole=whole):
            pass
        case e.Recorded(blobs=blobs):
            yield from blobs
            return
        case e.Unknown(data=data):
            yield from (found.decode() for found in _DIGEST.findall(data))
            return
        case _:
            return
    if whole:
        yield whole
    yield from (part.blob for part in parts if isinstance(part, File) and part.blob)
