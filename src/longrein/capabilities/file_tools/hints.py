"""What a model may have meant by a path at which there is nothing."""

import asyncio
import re
from contextlib import aclosing

from longrein.capabilities.file_tools.place import Place
from longrein.workspace.base import FileSystem
from longrein.workspace.paths import canonical, folders_above, is_below, join, parent
from longrein.workspace.problems import BadPath, FileProblem, Missing, shown

MOST = 3
_ORDINARY = re.compile(r"[\w.+@-]{2,100}")
_EXACT = ("delete", "move")
"""Tools to which no file elsewhere is proposed: it would be gone."""

_BESIDES = {"edit_file": " To make a new file use write_file."}


async def instead(place: Place, files: FileSystem, tool: str, problem: Missing) -> str:
    """That there is nothing, and what to do: `files` are those that the call may see."""
    path, base = problem.path, place.base
    folder = await _nearest(files, path)
    says = problem.says
    if "Did you mean" in says:
        return says
    found = await _unquoted(files, path)
    if not found and tool not in _EXACT:
        found = await _namesakes(place, files, path)
    if found:
        says = f"There is nothing here. Did you mean {_listed(found, base)}?"
    elif folder != parent(path):
        says = f"There is nothing here, nor a folder for it. List {_listed([folder], base)} first."
    return says + _BESIDES.get(tool, "")


def shorten(path: str, base: str) -> str:
    """A path from the working folder on, if it is there.

    >>> shorten("/project/src/a.py", "/project"), shorten("/etc/a", "/project"), shorten("/", "/")
    ('src/a.py', '/etc/a', '.')
    """
    if path == base:
        return "."
    if path.startswith("/") and is_below(path, base):
        return path[len(base.rstrip("/")) + 1 :]
    return path


async def _nearest(files: FileSystem, path: str) -> str:
    """The innermost folder above a path that is there."""
    if await _is_there(files, parent(path)):
        return parent(path)
    nearest = "/"
    for folder in folders_above(path)[1:]:
        if not await _is_there(files, folder):
            break
        nearest = folder
    return nearest


async def _is_there(files: FileSystem, path: str) -> bool:
    try:
        return await files.stat(await files.real(path)) is not None
    except FileProblem:
        return False


async def _unquoted(files: FileSystem, path: str) -> list[str]:
    """The path without blanks and quotes at the ends of its names, if something is there."""
    try:
        bare = canonical("/".join(map(_bare, path.split("/"))))
    except BadPath:
        return []
    return [bare] if bare != path and await _is_there(files, bare) else []


async def _namesakes(place: Place, files: FileSystem, path: str) -> list[str]:
    """Files and folders of the same name elsewhere in the working folder, the first few."""
    name, base = _bare(path.rpartition("/")[2]), place.base
    if not _ORDINARY.fullmatch(name):
        return []
    found: dict[str, None] = {}
    try:
        async with (
            asyncio.timeout(place.patience),
            aclosing(files.glob(f"**/{{{name},{name}/**}}", base)) as paths,
        ):
            async for one in paths:
                above, _, _ = f"{one}/"[len(join(base, "")) - 1 :].partition(f"/{name}/")
                found[join(base, f"{above}/{name}".lstrip("/"))] = None
                if len(found) == MOST:
                    break
    except (TimeoutError, FileProblem):  # only a hint: what was found until then will do
        return list(found)
    return list(found)


def _bare(name: str) -> str:
    return name.strip(" \"'`")


def _listed(paths: list[str], base: str) -> str:
    return " or ".join(shown(shorten(path, base)) for path in paths)
