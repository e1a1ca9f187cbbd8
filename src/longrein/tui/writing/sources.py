"""Where the editor gets what it offers: files, arguments of commands, what was said before."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from longrein.client.port import Attachment, Barred
from longrein.core.errors import NotFound
from longrein.tui.view.completing import Completion


async def _all_readable(paths: Sequence[str]) -> Mapping[str, Barred]:
    return {}


@dataclass(frozen=True, slots=True)
class Sources:
    """What the editor asks while somebody types.

    `files` finds paths by a part of one, `attachment` reads a file to send along, `arguments` has
    all that a command can be given, `past` what was said before, the newest first. `unreadable`
    has those of some files that the agent may not read.
    """

    files: Callable[[str], Awaitable[Sequence[str]]]
    attachment: Callable[[str], Awaitable[Attachment]]
    arguments: Callable[[str], Awaitable[Sequence[Completion]]]
    past: Callable[[], Sequence[str]]
    unreadable: Callable[[Sequence[str]], Awaitable[Mapping[str, Barred]]] = _all_readable


async def _no_files(part: str) -> Sequence[str]:
    return ()


async def _no_attachment(path: str) -> Attachment:
    raise NotFound(f"There is no file {path}.")


async def _no_arguments(command: str) -> Sequence[Completion]:
    return ()


NOTHING = Sources(_no_files, _no_attachment, _no_arguments, tuple)
"""What there is to offer before a thread is open."""
