"""What the cases share."""

from collections.abc import AsyncGenerator, Coroutine
from typing import Any, TypeVar

from longrein.workspace.base import FileSystem, FoundFile, FoundLine, Grep
from longrein.workspace.problems import FileProblem

T = TypeVar("T")


async def filled(files: FileSystem, *paths: str, data: bytes = b"text\n") -> None:
    """Files at these paths, all with the same bytes."""
    for path in paths:
        await files.write(path, data)


async def all_of(stream: AsyncGenerator[T, None]) -> list[T]:
    """Everything that a stream gives."""
    return [one async for one in stream]


async def raised(call: Coroutine[Any, Any, object], kind: type[FileProblem]) -> str:
    """The text of the problem that `call` must end in."""
    try:
        await call
    except kind as problem:
        return str(problem)
    raise AssertionError(f"{kind.__name__} was not raised")


async def lines(files: FileSystem, query: Grep) -> list[tuple[str, int, str]]:
    """The lines that a search finds; those of context begin with `-`."""
    found = await all_of(files.grep(query))
    return [
        (one.path, one.number, ("-" if one.context else "") + one.text)
        for one in found
        if isinstance(one, FoundLine)
    ]


async def counts(files: FileSystem, query: Grep) -> dict[str, int]:
    """The files that a search finds, with their counts."""
    found = await all_of(files.grep(query))
    return {one.path: one.lines for one in found if isinstance(one, FoundFile)}
