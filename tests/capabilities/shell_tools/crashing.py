"""A process with a job, which waits to be killed: `python -m ... FOLDER LINE`."""

import asyncio
import sys
from pathlib import Path

from longrein.harness import Harness
from longrein.testing import call, say
from tests.capabilities.shell_tools.kit import bubblewrapped, hosting, trusting


def harness(folder: Path, line: str) -> Harness:
    """A harness whose model begins a job and then, in runs of their own, reads it and is done."""
    begin = call("execute", command=line, background=True)
    replies = begin, say("begun"), say("done"), call("job", id=1), say("done")
    return hosting(lambda: bubblewrapped(folder), *replies, store=f"sqlite:{folder / 'a.db'}")


async def main(folder: Path, line: str) -> None:
    async with trusting(harness(folder, line)) as session:
        await (await session.send("go"))
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
