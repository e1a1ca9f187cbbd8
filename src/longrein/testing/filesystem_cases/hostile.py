"""Paths that are meant to break something."""

from longrein.testing.filesystem_cases.setting import all_of
from longrein.workspace.base import FileSystem, Grep
from longrein.workspace.problems import FileProblem


async def try_everything(files: FileSystem, path: str) -> list[FileProblem]:
    """What came of every operation on a path: a file system answers, or says what is wrong.

    Whatever else is raised goes through: it would have ended a run.
    """
    problems: list[FileProblem] = []
    for operation in (_looks, _searches, _writes, _moves, _removes):
        try:
            await operation(files, path)
        except FileProblem as problem:
            problems.append(problem)
    assert all(0 < len(str(problem)) < 2_000 for problem in problems), "too few or many words"
    return problems


async def _looks(files: FileSystem, path: str) -> None:
    found = await files.stat(await files.real(path))
    if found is not None and found.kind == "folder":
        await files.entries(path)
    await files.read(path, 0, 100)
    await all_of(files.chunks(path))


async def _searches(files: FileSystem, path: str) -> None:
    await all_of(files.glob("*.txt", path))
    await all_of(files.grep(Grep("secret", path)))


async def _writes(files: FileSystem, path: str) -> None:
    await files.write(path, b"mine")
    assert (await files.read(path)).data == b"mine"


async def _moves(files: FileSystem, path: str) -> None:
    await files.write("/moved-from", b"mine")
    await files.move("/moved-from", path, replace=True)
    await files.move(path, "/moved-to", replace=True)


async def _removes(files: FileSystem, path: str) -> None:
    await files.remove(path, recursive=True)
