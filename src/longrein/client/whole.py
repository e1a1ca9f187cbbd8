"""All that a call said, where its result has only head and tail of that."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

from longrein.capabilities.shell_tools.outputs import NAMED
from longrein.capabilities.shell_tools.readable import readable
from longrein.capabilities.workspace.rules import outputs_of
from longrein.core.messages import ToolResult
from longrein.core.offload import left_out
from longrein.storage.base import Store

MOST = 8_000_000
"""Bytes that are read of what a command put out."""

_NAME = re.compile(NAMED.pattern.decode())


async def whole_result(
    store: Store, thread: str, result: ToolResult, clean: Callable[[str], str]
) -> str:
    """All that a call said: what the store keeps of it, or the file with what a command put out.
    Empty where there is no more than its result has.

    `clean` takes secrets out of a file, in which all stands as it came.
    """
    data = await store.blob(result.whole) if result.whole else None
    text = data.decode("utf-8", "replace") if data else ""
    folder = outputs_of(store, thread)
    for name in _NAME.findall(text or result.text) if folder else ():
        # Only what is in the folder of this thread: a command can print any path.
        file = Path(folder, name)
        if str(file) in (text or result.text):
            return clean(await asyncio.to_thread(_read, file)) or text
    return text


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            found = readable(opened.read(MOST))
            left = file.stat().st_size - opened.tell()
    except OSError:  # gone with what it was kept for
        return ""
    return f"{found}\n{left_out(left, 'bytes')}\n{file}" if left > 0 else found
