"""Which blobs an event refers to."""

import re
from collections.abc import Iterator

from longrein.core import events as e
from longrein.core.messages import File

_DIGEST = re.compile(rb'"([0-9a-f]{64})"')


def referred(event: e.Event) -> Iterator[str]:
    """The hashes of the blobs that an event refers to.

    Of an event that only a newer Longrein knows it is every text that could be one.
    """
    match event:
        case e.InputAdmitted(input=input):
            parts = input.parts
        case e.InputEdited(parts=parts):
            pass
        case e.ToolEnded(parts=parts, whole=whole):
            if whole:
                yield whole
        case e.Recorded(blobs=blobs):
            yield from blobs
            return
        case e.Unknown(data=data):
            yield from (found.decode() for found in _DIGEST.findall(data))
            return
        case _:
            return
    yield from (part.blob for part in parts if isinstance(part, File) and part.blob)
