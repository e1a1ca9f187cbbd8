"""A text that a person changes in an editor of their own."""

import asyncio
import os
import shlex
import tempfile
from pathlib import Path

from longrein.cli.terminal import Screen
from longrein.core.errors import UsageError


def editor() -> str:
    """The command of the person's editor; empty where none is set."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""


async def edit(text: str, name: str, screen: Screen) -> str:
    """The text as the editor left it. Raises `UsageError` where the editor fails.

    `name` is that of the file, so that the editor knows what kind of text it is.
    """
    command = editor()
    with tempfile.TemporaryDirectory(prefix="longrein-") as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8", errors="replace")
        with screen.lent():
            try:
                code = await _run([*shlex.split(command), str(path)])
            except (OSError, ValueError) as error:
                raise UsageError(f"The editor {command!r} does not start: {error}") from None
        if code:
            raise UsageError(f"The editor {command!r} ended with {code}; nothing was changed.")
        return path.read_text(encoding="utf-8", errors="replace")


async def _run(command: list[str]) -> int:
    process = await asyncio.create_subprocess_exec(*command)
    try:
        return await process.wait()
    finally:
        # Somebody else may have answered meanwhile.
        if process.returncode is None:
            process.terminate()
            await process.wait()
