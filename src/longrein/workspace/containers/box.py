"""A container that runs, held by a program of the engine's command line."""

import asyncio
import csv
import io
import os
import shutil
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from pathlib import Path

from longrein.workspace.sandbox.base import SandboxProblem
from longrein.workspace.sandbox.places import Access, Mask

STARTS_WITHIN = 600.0
"""Seconds; the image may have to be fetched first."""

_ENDS_WITHIN = 20.0
_MOMENT = 1.0
_WAIT = "echo ready && exec cat >/dev/null"


class Box:
    """A container, known by its id. `folder` holds what was made for it on this side."""

    def __init__(self, program: str, folder: Path, holding: Process, id: str) -> None:
        self.program, self.id, self.folder = program, id, folder
        self._holding = holding

    @classmethod
    async def make(
        cls, program: str, options: Sequence[str], image: str, masks: Sequence[Mask]
    ) -> "Box":
        """A new container. Raises `SandboxProblem` with what the program says."""
        folder = Path(tempfile.mkdtemp(prefix="longrein-"))
        try:
            words = [*options, "--cidfile", f"{folder}/id", *_masked(folder, masks)]
            holding = await launch(program, "run", *words, image, "-c", _WAIT, errors=folder)
            id = await _ready(holding, folder / "id")
            if id:
                return cls(program, folder, holding, id)
            said = tail(folder)
        except BaseException:
            await _forget(folder)
            raise
        await _forget(folder)
        raise SandboxProblem(f"{program} could not start a container of {image}. {said}".strip())

    @property
    def is_gone(self) -> bool:
        """Whether the container has ended."""
        return self._holding.returncode is not None

    async def ends(self) -> bool:
        """Whether the container has ended, or does so in a moment."""
        waiting = asyncio.create_task(self._holding.wait())
        await asyncio.wait([waiting], timeout=_MOMENT)
        waiting.cancel()
        return self.is_gone

    async def run(self, *words: str) -> bool:
        """Run a command of the program that ends soon; whether it went well."""
        done = await launch(self.program, *words, errors=self.folder)
        await _end(done)
        return done.returncode == 0

    async def remove(self) -> None:
        """Remove the container with all that runs in it, and what was made for it here."""
        await self.run("rm", "--force", self.id)
        await _end(self._holding)
        await _forget(self.folder)


async def launch(program: str, *words: str, errors: Path) -> Process:
    """Start a command of the program; what it says about errors goes to a file in a folder."""
    try:
        with (errors / "errors").open("ab") as file:
            return await asyncio.create_subprocess_exec(
                *(program, *words), stdin=PIPE, stdout=PIPE, stderr=file, start_new_session=True
            )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SandboxProblem(f"{program} cannot be run: {why}. Is it installed?") from None


def tail(errors: Path) -> str:
    """What programs said last about errors."""
    return (errors / "errors").read_bytes()[-2_000:].decode("utf-8", "replace").strip()


def _masked(folder: Path, masks: Sequence[Mask]) -> list[str]:
    """Mounts for what rules restrict; what is hidden is an empty file or folder."""
    os.mkdir(f"{folder}/nothing", 0o555)
    with open(f"{folder}/empty", "wb") as file:
        os.fchmod(file.fileno(), 0o444)
    words: list[str] = []
    for mask in masks:
        empty = f"{folder}/{'nothing' if mask.folder else 'empty'}"
        source = empty if mask.access == "none" else mask.path
        words += ["--mount", mount(source, mask.path, mask.access)]
    return words


def mount(source: str, target: str, access: Access) -> str:
    """A mount as engines read it: a line of CSV, because paths may have commas."""
    line = io.StringIO()
    fields = ["type=bind", f"source={source}", f"target={target}"]
    csv.writer(line, lineterminator="").writerow(
        fields if access == "write" else [*fields, "readonly"]
    )
    return line.getvalue()


async def _ready(holding: Process, written: Path) -> str:
    """The id of the container when it runs; "" if it does not."""
    try:
        assert holding.stdout is not None
        async with asyncio.timeout(STARTS_WITHIN):
            while (line := await holding.stdout.readline()) not in (b"ready\n", b""):
                pass
        id = (await asyncio.to_thread(written.read_text)).strip() if line else ""
    except OSError:
        id = ""
    except BaseException:
        await _end(holding)
        raise
    if not id:
        await _end(holding)
    return id


async def _end(process: Process) -> None:
    """Close its input, which ends it, or what it waits for; if not, by force."""
    try:
        async with asyncio.timeout(_ENDS_WITHIN):
            await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()


async def _forget(folder: Path) -> None:
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
