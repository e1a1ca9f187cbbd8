"""A line that offers to go on with what was left."""

from typing import Literal, TypeAlias

from textual.message import Message
from textual.widgets import Static

from longrein.client.port import Owner
from longrein.core.display import Display

Offered: TypeAlias = Literal["", "resume", "queue", "proceed", "new"]
"""Nothing; a run that an earlier process left; what waits in the queue; after a failure; a new
thread in the place of one that is gone."""

WORDS: dict[Offered, str] = {
    "": "",
    "resume": "▸ A run was left in the middle · Enter goes on · Esc ends it",
    "queue": "▸ What waits in the queue was not begun · Enter goes on",
    "proceed": "▸ The run ended before it was done · Enter goes on from here",
    "new": "▸ This thread was deleted elsewhere · Enter begins a new one",
}


def offered(shown: Display, owner: Owner) -> Offered:
    """What there is to go on with, where nobody is at it."""
    problem = shown.problem if shown.activity == "idle" else None
    ended = problem is not None and problem.kind != "refused"
    if owner == "here" and ended:
        return "proceed"
    if owner != "nobody":
        return ""
    if shown.activity == "running":
        return "resume"
    if shown.activity == "idle" and any(one.wake for one in shown.queue) and not shown.held:
        return "queue"
    return "proceed" if ended else ""


class Offer(Static):
    """Shown only while there is something to offer."""

    DEFAULT_CSS = """
    Offer { height: auto; padding: 0 2 0 0; color: $text-warning; display: none; }
    Offer.-offered { display: block; margin-top: 1; }
    """

    class Taken(Message):
        """The person wants to go on."""

        def __init__(self, what: Offered) -> None:
            super().__init__()
            self.what = what

    def __init__(self) -> None:
        super().__init__(markup=False)
        self.what: Offered = ""

    def show(self, what: Offered) -> None:
        if what != self.what:
            self.what = what
            self.update(WORDS[what])
            self.set_class(bool(what), "-offered")

    def on_click(self) -> None:
        self.post_message(self.Taken(self.what))
