"""Where what was written in a thread and not sent is kept: in a file beside the store."""

from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from longrein.storage.base import Store

NAME = "drafts"


def draft_file(store: Store, thread: str) -> Path | None:
    """The file for the draft of a thread; None for a store that has no place on disk."""
    folder = store.beside(NAME)
    return Path(folder) / f"{quote(thread, safe='')}.draft" if folder else None


def forget_draft(store: Store, thread: str) -> None:
    """Remove the draft of a thread that is gone."""
    if file := draft_file(store, thread):
        with suppress(OSError):  # the thread must not come back for this
            file.unlink(missing_ok=True)
