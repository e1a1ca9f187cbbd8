"""The conformance suite for file systems: what every implementation of `FileSystem` must do.

Each case is run on a file system with nothing in it.

    @pytest.mark.parametrize("case", filesystem_cases(), ids=str)
    def test_the_file_system_keeps_the_contract(case: FileSystemCase, tmp_path: Path) -> None:
        asyncio.run(case.check(DiskFiles(tmp_path)))
"""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec import Struct

from longrein.testing.cases import cases_in
from longrein.testing.filesystem_cases import changing, reading, searching
from longrein.testing.filesystem_cases.hostile import try_everything
from longrein.workspace.base import FileSystem

__all__ = ["FileSystemCase", "filesystem_cases", "try_everything"]

Check: TypeAlias = Callable[[FileSystem], Awaitable[None]]


class FileSystemCase(Struct, frozen=True):
    """One promise of the port `FileSystem`. `str` gives what it promises."""

    promise: str
    body: Check

    def __str__(self) -> str:
        return self.promise

    async def check(self, files: FileSystem) -> None:
        """Raise `AssertionError` if a file system with nothing in it breaks the promise."""
        await self.body(files)


def filesystem_cases() -> list[FileSystemCase]:
    """All the promises that a file system must keep."""
    found = cases_in(reading, changing, searching)
    return [FileSystemCase(promise, body) for promise, body in found]
