"""`/agents`, `/skills`, `/memory`, `/hooks`: what capabilities of the agent have to say."""

from collections.abc import Sequence

from longrein.client.port import ThreadClient
from longrein.tui.commands import BROUGHT
from longrein.tui.pages.text import TextPage, plain
from longrein.tui.view.tones import Line


class BroughtPage(TextPage):
    """What a command of a capability says, or that no capability has it."""

    def __init__(self, thread: ThreadClient, name: str, arguments: str = "") -> None:
        async def make() -> Sequence[Line]:
            if all(one.name != name for one in await thread.commands()):
                return plain(BROUGHT.get(name, f"This agent has no command /{name}."))
            return plain(await thread.invoke(name, arguments) or "Done; there is nothing to say.")

        super().__init__(name.capitalize(), make)
