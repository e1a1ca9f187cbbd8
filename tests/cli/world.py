"""A user's world for one test: folders of their own, a scripted provider, the real command."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longrein.testing.replies import Reply
from longrein.testing.scripted import Script

SOURCE = Path(__file__).parents[2] / "src"
KEY = "sk-a-secret-of-some-length"
SECONDS = 30

TOOLS = '''
from pathlib import Path
from longrein import tool

@tool(category="execute")
def deploy(target: str) -> str:
    "Deploy to a target."
    with Path("deployed.txt").open("a") as file:
        file.write(target + chr(10))
    return f"deployed {target}"

@tool(category="read")
async def slow() -> str:
    "Take a while."
    import asyncio
    Path("slow.txt").write_text("started")
    await asyncio.sleep(20)
    return "done"
'''


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
            "PYTHONPATH": str(SOURCE),
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
        return subprocess.run(
            self.command(*arguments),
            cwd=self.project,
            env={**self.environ, **environ},
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


@contextmanager
def provider(world: World, script: Script | Sequence[Reply], more: str = "") -> Iterator[str]:
    """A scripted provider in a process of its own, named in the user's settings; its URL."""
    file = world.root / "script.json"
    file.write_text((script if isinstance(script, Script) else Script(script)).to_json())
    server = subprocess.Popen(
        [sys.executable, "-m", "longrein.testing.server", "--script", str(file)],
        env=world.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        world.use(url, more)
        yield url
    finally:
        server.stdin.close()
        server.wait(SECONDS)
        server.stdout.close()
