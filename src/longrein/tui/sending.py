"""Files that a person names to the agent, and what is said of those that it may not read."""

from collections.abc import Sequence

from textual.message_pump import MessagePump

from longrein.client.port import Attachment
from longrein.tui.attempt import tell
from longrein.tui.desk import Desk

SENT_ANYWAY = "{name} goes along because you send it: the agent may not read it itself."
ONLY_NAMED = "The agent may not read {names}: it was given the name, not what is in it."

MOST = 20
"""Names that are looked up."""


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
