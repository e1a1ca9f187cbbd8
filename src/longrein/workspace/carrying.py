"""Files into a workspace and out of it, for applications."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from longrein.workspace.base import Content, FileSystem
from longrein.workspace.searching import walk


async def put_files(files: FileSystem, contents: Mapping[str, bytes]) -> None:
    """Write files by path, one after the other; what is there is replaced.

    >>> import asyncio
    >>> from longrein.workspace.memory import MemoryFiles
    >>> files = MemoryFiles()
    >>> asyncio.run(put_files(files, {"/report.md": b"# Report", "/data/a.csv": b"1,2"}))
    >>> asyncio.run(files.read("/data/a.csv")).data
    b'1,2'
    """
    for path, data in contents.items():
        await files.write(await files.real(path), data)


async def take_files(
    files: FileSystem, under: str = "/", *, ignored: bool = True
) -> AsyncGenerator[tuple[str, Content], None]:
    """Every file below a folder, with its bytes; links are left out.

    `ignored=False` leaves out what .gitignore files name. One file at a time is in memory; those
    of over 64 MiB raise `TooLarge`: read them with `chunks`.
    """
    async with aclosing(walk(files, await files.real(under), ignored=ignored)) as paths:
        async for path in paths:
            yield path, await files.read(path)
