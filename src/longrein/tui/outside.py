"""What a person does outside of the app while it stands aside: in their editor, or their shell."""

import os
from collections.abc import Callable
from typing import Any

from textual.app import App, SuspendNotSupported
from textual.message import Message

from longrein.client.editing import edit, editor_of
from longrein.core.errors import UsageError

NONE = (
    "There is no editor to use: set VISUAL or EDITOR, or say `longrein config app.editor COMMAND`."
)

NO_SHELL = (
    "There is no shell to go to: Longrein was not started by one itself, which could bring it back."
)


class EditOutside(Message):
    """Somebody wants to go on in their own editor; `done` gets the text as it is then.

    `name` is that of the file, so that the editor knows what kind of text it is.
    """

    def __init__(self, text: str, name: str, done: Callable[[str], None]) -> None:
        super().__init__()
        self.text = text
        self.name = name
        self.done = done


async def edit_outside(app: App[Any], asked: EditOutside, command: str = "") -> None:
    """Let the person edit; the rest of the program goes on, but nothing is drawn meanwhile.

    `command` is the editor; empty: as VISUAL or EDITOR say. Raises `UsageError` where there is
    none or it fails; the text stays as it was then.
    """
    command = editor_of(command, os.environ)
    if not command:
        raise UsageError(NONE)
    try:
        # Without the batch the app would draw over the editor.
        with app.batch_update(), app.suspend():
            edited = await _edited(asked, command)
    except SuspendNotSupported:
        raise UsageError("No editor can be opened in this terminal.") from None
    if isinstance(edited, UsageError):
        raise edited
    asked.done(edited.removesuffix("\n"))


async def _edited(asked: EditOutside, command: str) -> str | UsageError:
    """The text, or why there is none: an error that is raised would leave the app suspended."""
    try:
        return await edit(asked.text, asked.name, command)
    except UsageError as problem:
        return problem


def has_shell_behind() -> bool:
    """Whether the app was begun by a shell that can take the terminal, and give it back: it has
    put the app into a group of its own. Without one, whoever is stopped stays so."""
    parent = os.getppid()
    try:
        return os.getsid(parent) == os.getsid(0) and os.getpgid(parent) != os.getpgrp()
    except OSError:  # of another session, which not every system tells about
        return False
