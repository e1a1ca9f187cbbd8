"""Where what was written in a thread and not sent is kept: in files beside the store."""

from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, unquote

from longrein.storage.base import Store

NAME = "drafts"


def draft_file(store: Store, thread: str, writer: str) -> Path | None:
    """The file for what somebody writes in a thread; None for a store that has no place on disk."""
    folder = store.beside(NAME)
    return Path(folder) / f"{_plain(thread)}@{_plain(writer)}.draft" if folder else None


def drafts_of(store: Store, thread: str) -> dict[Path, str]:
    """The files for what was written in a thread, each with its writer."""
    folder = store.beside(NAME)
    files = Path(folder).glob(f"{_plain(thread)}@*.draft") if folder else ()
    return {file: unquote(file.stem.partition("@")[2]) for file in files}


def forget_draft(store: Store, thread: str) -> None:
    """Remove the drafts of a thread that is gone."""
    with suppress(OSError):  # the thread must not come back for this
        for file in drafts_of(store, thread):
            file.unlink(missing_ok=True)


def _plain(name: str) -> str:
    """A name with nothing in it that means something in a path, a pattern or here."""
    return quote(name, safe="")
