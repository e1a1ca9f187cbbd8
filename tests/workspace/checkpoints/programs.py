"""Programs that the tests of checkpoints run as processes of their own, and that are killed.

python -m tests.workspace.checkpoints.programs NAME FOLDER [ARGUMENT]
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from longrein.core import points
from tests.workspace.checkpoints.setting import At, Thread, put, working


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def edit(thread: Thread, when: str) -> None:
    """A file tool that is cut off before or after its change."""
    at, path = At(5, call="call_cut"), thread.path("a.txt")
    await thread.kept.before(at, thread.files, [path])
    if when == "changed":
        await thread.files.write(path, b"two")
    die()


async def command(thread: Thread, when: str) -> None:
    """A command that is cut off in the middle."""
    await thread.kept.before_command(At(5, call="call_cut"))
    put(thread.root, {"a.txt": "two", "new/b.txt": "new"})
    die()


async def restore(thread: Thread, steps: str) -> None:
    """A rewind that is cut off after so many of its steps."""
    left = int(steps)

    def reached(name: str) -> None:
        nonlocal left
        if name == "restore.begun" and left == 0:
            die()
        if name == "restore.step":
            left -= 1
            if left == 0:
                die()

    points.on_reach = reached
    await thread.rewind(5, 20)


async def work(thread: Thread, id: str) -> None:
    """A thread that edits and runs commands, over and over."""
    other = Thread(thread.checkpoints, thread.root, id)
    for number in range(10):
        await other.edit(number * 2, f"{id}/edited.txt", f"{number}")
        name = f"{id}/made-{number}.txt"
        await other.shell(number * 2 + 1, lambda name=name: put(other.root, {name: "made"}))


PROGRAMS: dict[str, Callable[[Thread, str], Awaitable[None]]] = {
    one.__name__: one for one in (edit, command, restore, work)
}


async def main(name: str, folder: str, argument: str) -> None:
    async with working(Path(folder)) as thread:
        await PROGRAMS[name](thread, argument)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
