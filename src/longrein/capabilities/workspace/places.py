"""Files that capabilities show beside those of a workspace, each under a path of its own."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longrein.capabilities.file_tools.thread import CallLog
from longrein.capabilities.opening import Mount, Opening, Places
from longrein.capabilities.workspace.sources import Files, InStore, Mounted, Source, folder_of
from longrein.core.errors import UsageError
from longrein.core.offload import HISTORY, OFFLOAD, result_path
from longrein.tools.within import Within
from longrein.workspace.base import FileSystem
from longrein.workspace.history import INDEX, History
from longrein.workspace.mounts import Mounts
from longrein.workspace.offload import Offloaded
from longrein.workspace.paths import canonical, is_below
from longrein.workspace.problems import BadPath
from longrein.workspace.rules import BUILT_IN, FileRule, decide
from longrein.workspace.stored import StoredFiles
from longrein.workspace.texts import TextFiles

READ_ONLY = "This is what happened in the thread, and can only be read. Write elsewhere."

OWN: Mapping[str, str] = {HISTORY: "the whole conversation", OFFLOAD: "long results"}
"""What a workspace shows of its own thread."""


def own_places(rules: Sequence[FileRule]) -> Places:
    """The thread as files; of what may not be read there is nothing."""
    made: dict[str, Mount] = {HISTORY: _history, OFFLOAD: _offload}
    samples = {HISTORY: f"{HISTORY}/{INDEX}", OFFLOAD: result_path("call_0")}
    denied = [at for at in made if decide(rules, samples[at], "read").effect == "deny"]
    return Places({at: one for at, one in made.items() if at not in denied})


def thread_rules() -> tuple[FileRule, ...]:
    """Nobody is asked whether the past may be changed."""
    return tuple(FileRule("deny", (f"{path}/**",), ("write",), source=BUILT_IN) for path in OWN)


def mounts_in(places: Sequence[Places], source: Source) -> dict[str, Mount]:
    """What all capabilities mount, by canonical path.

    Raises `UsageError` where one is in the way of another, or of the user's files.
    """
    taken = dict(_of_user(source))
    found: dict[str, Mount] = {}
    for path, mount in ((path, one) for place in places for path, one in place.mounts.items()):
        at = _checked(path)
        for other, whose in taken.items():
            if is_below(at, other) or is_below(other, at):
                hint = " (Workspace(..., history=False) mounts nothing)" if at in OWN else ""
                raise UsageError(
                    f"A capability mounts files at {at!r}, but {other!r} is {whose}: give one of "
                    f"the two another path{hint}."
                )
        taken[at] = "where another capability mounts files"
        found[at] = mount
    return found


async def check_store(source: Source, opening: Opening, paths: Sequence[str]) -> None:
    """Raise `UsageError` where files of the resource would be hidden."""
    base = source.base if isinstance(source, Mounted) else source
    if not isinstance(base, InStore):
        return
    stored = StoredFiles(opening.store, opening.resource, name=base.name)
    for path in paths:
        if await stored.stat(path) is not None:
            raise UsageError(
                f"A capability mounts files at {path!r}, but there are files at {path!r} in "
                f"InStore({base.name!r}): move these, or mount the others elsewhere."
            )


def with_places(files: Files, mounts: Mapping[str, Mount]) -> Files:
    """The files of a session together with what is mounted beside them."""
    if not mounts:
        return files

    def together(ctx: Within[Any, Any]) -> FileSystem:
        beside = {at: one(ctx) if callable(one) else one for at, one in mounts.items()}
        return Mounts({"/": files(ctx), **beside}, aside=mounts)

    return together


def readable_in(places: Sequence[Places], rules: Sequence[FileRule], folder: str) -> list[str]:
    """The folders of the disk that commands may read besides the working `folder`.

    Commands cannot stop to ask: only what rules let be read is among them. What is in the working
    folder is there anyway, and can be written to. No link is followed: whoever named the folder
    looked at it before, and somebody may have put a link in its place, or above it.
    """
    named = (os.path.abspath(path) for place in places for path in place.readable)
    folders = [path for path in named if os.path.realpath(path) == path]
    allowed = (path for path in folders if decide(rules, path, "read").effect == "allow")
    return [path for path in allowed if os.path.isdir(path) and not is_below(path, folder)]


def said(mounts: Mapping[str, Mount]) -> str:
    """What the model is told of them: few words, however many there are."""
    first = dict.fromkeys(f"/{path.split('/')[1]}" for path in sorted(mounts))
    return ", ".join(f"{one} ({OWN[one]})" if one in OWN else one for one in first)


def _history(ctx: Within[Any, Any]) -> FileSystem:
    return TextFiles(History(lambda: ctx.messages), READ_ONLY)


def _offload(ctx: Within[Any, Any]) -> FileSystem:
    return TextFiles(Offloaded(lambda: ctx.messages, CallLog(ctx).load), READ_ONLY)


def _of_user(source: Source) -> Iterator[tuple[str, str]]:
    if folder := folder_of(source):
        yield folder, "the folder of the workspace"
    if isinstance(source, Mounted):
        for path in source.mounts:
            yield canonical(path), "where the workspace has files mounted"


def _checked(path: str) -> str:
    try:
        found = canonical(path) if path.startswith("/") else "/"
    except BadPath:
        found = "/"
    if found == "/":
        raise UsageError(f"{path!r} is no path to mount files at: give one such as '/memories'.")
    return found
