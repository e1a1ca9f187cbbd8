"""All that a call said, where its result has only head and tail of that."""

import asyncio
import os
import re
import stat
from pathlib import Path

from longrein.capabilities.shell_tools.outputs import NAMED
from longrein.capabilities.workspace.rules import outputs_of
from longrein.client.output import MOST, margin, shown
from longrein.core.messages import ToolResult
from longrein.core.offload import left_out, where_left_out
from longrein.core.redact import Redactor
from longrein.storage.base import Store

_NAME = re.compile(NAMED.pattern.decode())


async def whole_result(store: Store, thread: str, result: ToolResult, redactor: Redactor) -> str:
    """All that a call said: what the store keeps of it, or the file with what a command put out.
    Empty where there is no more than its result has.

    In a file all stands as it came: the redactor takes the secrets out.
    """
    data = await store.blob(result.whole) if result.whole else None
    text = data.decode("utf-8", "replace") if data else ""
    file = Path(where_left_out(text or result.text))
    if _NAME.fullmatch(file.name) and await _is_kept(store, thread, str(file.parent)):
        return await asyncio.to_thread(_read, file, redactor) or text
    return text


async def _is_kept(store: Store, thread: str, folder: str) -> bool:
    """Whether a folder has the outputs of this thread, or of one that it was forked from: a
    command can print any path."""
    while thread and folder != outputs_of(store, thread):
        row = await store.thread(thread)
        thread = row.parent if row else ""
    return bool(thread)


def _read(file: Path, redactor: Redactor) -> str:
    try:
        with open(file, "rb", opener=_opener) as opened:
            about = os.fstat(opened.fileno())
            is_file = stat.S_ISREG(about.st_mode)
            data = opened.read(MOST + margin(redactor)) if is_file else b""
    except OSError:  # gone with what it was kept for, or no file
        return ""
    found = shown(data, redactor, after=max(len(data) - MOST, 0))
    left = about.st_size - MOST
    return f"{found}\n{left_out(left, 'bytes')}\n{file}" if left > 0 else found


def _opener(path: str, flags: int) -> int:
    # A command can put anything in the place of the file.
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
