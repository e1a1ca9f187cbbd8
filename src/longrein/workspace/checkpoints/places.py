"""Where files are: what is at a path, and making it a version again."""

from typing import NamedTuple, Protocol

from longrein.workspace.checkpoints.values import Version
from longrein.workspace.problems import Refused

OTHER_NOW = "It was changed just now. Look at it, and rewind again."


class Found(NamedTuple):
    """What is at a path now; `stamp` differs whenever it does, and is empty for nothing."""

    version: Version
    stamp: bytes = b""
    data: bytes | None = None

    def is_still(self, version: Version) -> bool:
        """Whether this is what a change left there."""
        if version.kind == "unkept" and self.stamp:
            return version.digest == self.stamp
        return version == self.version


UNREADABLE = Found(Version("unkept", reason="unreadable"))
"""What is at a path that nothing can be found out about."""


def check_count(path: str, count: int, most: int) -> None:
    """That there is not more in a folder than can be kept."""
    if count > most:
        raise Refused(
            path, f"Over {most:,} files are in here, too many to keep. Work on what is inside."
        )


class Place(Protocol):
    """Somewhere that files are. What changes them raises `FileProblem`."""

    async def all_below(self, path: bytes) -> list[bytes]:
        """A path, the folders above it that are not there, and all that is in it.

        Raises `Refused` if there is more in it than can be kept.
        """
        ...

    async def find(self, path: bytes) -> Found:
        """What is there; never a problem."""
        ...

    async def put(self, path: bytes, target: Version, data: bytes, found: Found) -> None:
        """Make a path a version again; `Changed` if it is not what was found any more."""
        ...

    async def remove(self, path: bytes, found: Found) -> None:
        """Remove what was found, a folder only if it is empty."""
        ...

    async def sweep(self, path: bytes) -> None:
        """Remove what a process that is gone was writing beside a path; never a problem."""
        ...
