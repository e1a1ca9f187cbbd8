"""A program that works with children, begins to rewind that, and is killed in the middle.

python -m tests.capabilities.workspace.rewound FOLDER STORE
"""

import os
import signal
import sys
from pathlib import Path

from longrein.core import points
from tests.capabilities.workspace.kit import finish
from tests.capabilities.workspace.test_rewinding_children import TREE, harness
from tests.support import run


async def work(folder: Path, store: str) -> None:
    async with harness(folder, TREE, store) as host:
        session = await host.session()
        await finish(session, "work")
        steps = 0

        def reached(name: str) -> None:
            nonlocal steps
            steps += name == "restore.step"
            if steps == 2:
                os.kill(os.getpid(), signal.SIGKILL)

        points.on_reach = reached
        await session.rewind(session.points()[0])


if __name__ == "__main__":
    run(work(Path(sys.argv[1]), sys.argv[2]))
