"""`Place`: where the file tools work, and by which rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from longrein.tools.within import Within
from longrein.workspace.base import FileSystem
from longrein.workspace.rules import FileRule

Call: TypeAlias = Within[Any, Any]


class Checkpoint(Protocol):
    """Keeps what files were before they change, so that it can be brought back.

    Paths are canonical, without links; that of a folder stands for all that is in it.
    """

    async def before(self, ctx: Call, files: FileSystem, paths: Sequence[str]) -> None:
        """Called before the first byte changes; what it raises keeps the change from happening."""
        ...

    async def after(self, ctx: Call, files: FileSystem, paths: Sequence[str]) -> None:
        """Called when the change is made, and only then."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """What the file tools work on.

    `files` gives the file system for a call, without any rules; `base` is the working folder, at
    which relative paths begin; `rules` say which files may be read and written; `shell`: there are
    commands, too, which may see more than these files; `patience`: seconds for which files of the
    same name are looked for where there is nothing.
    """

    files: Callable[[Call], FileSystem]
    base: str = "/"
    rules: tuple[FileRule, ...] = ()
    checkpoint: Checkpoint | None = None
    shell: bool = False
    patience: float = 1.0
