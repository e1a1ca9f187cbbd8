"""A user's world for one test: folders of their own, a scripted provider, the real command."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from longrein.testing import Reply, Script, ScriptedServer
from tests.cli.born import run_command

SOURCE = Path(__file__).parents[2] / "src"
KEY = "sk-a-secret-of-some-length"
SECONDS = 60

PYTHON = {"PYTHONPATH": str(SOURCE)}
"""What Python itself looks at: with anything else, a command is started rather than forked."""

TOOLS = """
import asyncio
from pathlib import Path
from longrein import tool

@tool(category="execute")
def deploy(target: str) -> str:
    "Deploy to a target."
    with Path("deployed.txt").open("a") as file:
        file.write(target + chr(10))
    return f"deployed {target}"

@tool(category="read")
async def wait() -> str:
    "Wait until there is a file go.txt."
    Path("waiting.txt").write_text("")
    while not Path("go.txt").exists():
        await asyncio.sleep(0.02)
    return "gone"
"""


class World:
    """The folders, the settings and the environment of one user."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = root / "project"
        (self.project / ".git").mkdir(parents=True)
        (self.project / "tools.py").write_text(TOOLS)
        self.user_file = root / "config" / "longrein" / "settings.toml"
        self.user_file.parent.mkdir(parents=True)
        self.project_file = self.project / ".longrein" / "settings.toml"
        self.project_file.parent.mkdir()
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(root),
            **PYTHON,
            "XDG_CONFIG_HOME": str(root / "config"),
            "XDG_DATA_HOME": str(root / "data"),
            "XDG_STATE_HOME": str(root / "state"),
            "LOCAL_KEY": KEY,
            "TERM": "xterm",
        }

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "longrein", *arguments]

    def start(self, *arguments: str, **environ: str) -> "subprocess.Popen[str]":
        """The command, running; nobody is at its terminal."""
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.project,
            env={**self.environ, **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def run(
        self, *arguments: str, input: str = "", **environ: str
    ) -> "subprocess.CompletedProcess[str]":
        """The command, done; nobody is at its terminal."""
        around = {**self.environ, **environ}
        if all(value == PYTHON.get(name) for name, value in around.items() if name[:6] == "PYTHON"):
            return run_command(arguments, self.project, around, input, SECONDS)
        return subprocess.run(
            self.command(*arguments),
            cwd=self.project,
            env=around,
            input=input,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )

    def json(self, *arguments: str, **environ: str) -> dict[str, Any]:
        """What the command reports as one object; fails where it says something else."""
        done = self.run(*arguments, "--output", "json", **environ)
        assert done.stdout.startswith("{"), done.stderr
        result = json.loads(done.stdout)
        assert result["exit"] == done.returncode
        return result

    def use(self, url: str, more: str = "") -> None:
        """Settings of the user for the scripted provider at `url`."""
        self.user_file.write_text(
            f'model = "local:scripted"\n{more}\n'
            f'[providers.local]\nbase_url = "{url}/v1"\nkey_env = "LOCAL_KEY"\n'
        )


class Provider:
    """A scripted provider on a thread of its own, so that commands can be waited for."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._ready: SimpleQueue[tuple[str, Callable[[], object]]] = SimpleQueue()
        self._thread = Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def start(self) -> str:
        """Begin to serve; where."""
        self._thread.start()
        url, self._stop = self._ready.get(timeout=SECONDS)
        return url

    def stop(self) -> None:
        self._stop()
        self._thread.join(SECONDS)

    async def _serve(self) -> None:
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        async with ScriptedServer(self._script) as server:
            self._ready.put((server.url, lambda: loop.call_soon_threadsafe(over.set)))
            await over.wait()


@contextmanager
def provider(
    world: World, script: Script | Sequence[Reply], more: str = ""
) -> Generator[str, None, None]:
    """A scripted provider that the user's settings name; its URL."""
    served = Provider(script if isinstance(script, Script) else Script(script))
    url = served.start()
    try:
        world.use(url, more)
        yield url
    finally:
        served.stop()


def until(path: Path, size: int = 0) -> None:
    """Come back when the file is there, with so many bytes in it."""
    ends = time.monotonic() + SECONDS
    while not path.exists() or path.stat().st_size < size:
        assert time.monotonic() < ends, f"{path.name} never came"
        time.sleep(0.02)


def asked(world: World) -> str:
    """The id of the approval that the run of the last thread waits for, once it does."""
    ends = time.monotonic() + SECONDS
    while time.monotonic() < ends:
        shown = world.run("show", "--json").stdout
        if found := re.search(r'"approval":\{"id":"(apr_[0-9a-f-]+)"', shown):
            return found[1]
    raise AssertionError("nothing was asked")
