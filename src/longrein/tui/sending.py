"""What a person says, on its way to the agent; files among it, also those that it may not read."""

from collections.abc import Sequence

from textual.message_pump import MessagePump

from longrein.client.port import Attachment
from longrein.core.errors import UsageError
from longrein.tui.attempt import tell
from longrein.tui.desk import Desk
from longrein.tui.widgets.composer import WENT_ON, Composer
from longrein.tui.widgets.editor import Editor
from longrein.tui.writing.draft import Draft
from longrein.tui.writing.keeping import Keeper

SENT_ANYWAY = "{name} goes along because you send it: the agent may not read it itself."
ONLY_NAMED = "The agent may not read {names}: it was given the name, not what is in it."

MOST = 20
"""Names that are looked up."""


class Sending:
    """Sends drafts. Until one is there it is kept like all that is written, and shown as waiting:
    what was asked for before it may take a while."""

    def __init__(self, composer: Composer, keeper: Keeper) -> None:
        self._composer = composer
        self._keeper = keeper

    def begin(self, draft: Draft) -> None:
        """A draft is to be sent when its turn comes."""
        self._keeper.sends(draft)
        self._show()

    async def send(self, desk: Desk, said: Editor.Submitted) -> None:
        """Send what `begin` was told of; where that cannot be, it is in the editor again."""
        arrived = False
        try:
            draft = await self._composer.editor.with_pictures(said.draft)
            await desk.say(said.verb, draft.said, draft.files)
            arrived = True
        finally:
            self._keeper.sent(said.draft)
            if not arrived:
                self._composer.editor.restore(said.draft)
            self._show()

    async def revise(self, desk: Desk, said: Editor.Revised) -> None:
        """Change what waits in the queue; where it waits no more, the change is in the editor.

        Raises `UsageError` then.
        """
        done = False
        try:
            draft = await self._composer.editor.with_pictures(said.draft)
            done = await desk.edit_queued(said.input, draft.said, draft.files)
        finally:
            if not done:
                self._composer.editor.restore(said.draft)
        if not done:
            raise UsageError(WENT_ON)

    def _show(self) -> None:
        self._composer.unsent.show(self._keeper.sending)


async def attached(node: MessagePump, desk: Desk, path: str) -> Attachment:
    """A file to send along: it is the person who reads it, whatever the agent may do.

    Raises `NotFound`, or `UsageError` for what cannot be sent along.
    """
    file = await desk.client.attachment(path)
    if (await desk.thread.unreadable((path,))).get(path) == "deny":
        tell(node, SENT_ANYWAY.format(name=path))
    return file


async def tell_unreadable(node: MessagePump, desk: Desk, paths: Sequence[str]) -> None:
    """Say which of the files that were named in a text the agent may not read."""
    barred = await desk.thread.unreadable(paths[:MOST])
    if names := ", ".join(path for path, how in barred.items() if how == "deny"):
        tell(node, ONLY_NAMED.format(names=names))
