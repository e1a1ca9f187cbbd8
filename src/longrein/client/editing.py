"""A text that a person changes in an editor of their own."""

import asyncio
import shlex
import signal
import tempfile
from collections.abc import Mapping
from pathlib import Path

from longrein.core.errors import UsageError


def editor_of(liked: str, environ: Mapping[str, str]) -> str:
    """The command of the person's editor: the one that they like, or as VISUAL or EDITOR say; empty
    where there is none.

    >>> editor_of("", {"EDITOR": "vi"}), editor_of("code -w", {"EDITOR": "vi"}), editor_of("", {})
    ('vi', 'code -w', '')
    """
    return liked or environ.get("VISUAL") or environ.get("EDITOR") or ""


async def edit(text: str, name: str, command: str) -> str:
    """The text as the editor left it; whoever calls this lends it the terminal.

    `name` is that of the file, so that the editor knows what kind of text it is. Raises
    `UsageError` where it fails: then nothing was changed.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="longrein-", ignore_cleanup_errors=True) as folder:
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8", errors="replace")
            if code := await _started(command, path):
                raise UsageError(f"The editor {command!r} ended with {code}; nothing was changed.")
            return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"Nothing was changed: {error.strerror or error}.") from None


async def _started(command: str, path: Path) -> int:
    try:
        return await _run([*shlex.split(command), str(path)])
    except (OSError, ValueError) as error:
        raise UsageError(f"The editor {command!r} does not start: {error}") from None


async def _run(command: list[str]) -> int:
    process = await asyncio.create_subprocess_exec(*command)
    # Ctrl+C is the editor's while it has the terminal. A handler, because a child would go on
    # ignoring what is ignored here.
    before = signal.signal(signal.SIGINT, _heard)
    try:
        return await process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
        # The app ends, or somebody else has answered meanwhile.
        if process.returncode is None:
            process.terminate()
            await process.wait()


def _heard(number: int, frame: object) -> None:
    """Nothing is done about it."""
