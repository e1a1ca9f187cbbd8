"""A program for a real terminal: a call waits in the folder that it is given."""

import asyncio
import sys
from pathlib import Path

from longrein.testing import call, say
from tests.tui.apps import Unhurried
from tests.tui.asking import AskingApp
from tests.tui.kit import client

SAYS = [call("write_file", path="a.txt", content="hello"), say("Done.")]


async def main(folder: Path) -> None:
    async with client(SAYS, folder) as made:
        thread = await made.open(new=True)
        await thread.say("send", "Go.")
        await AskingApp(thread, Unhurried()).run_async()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
