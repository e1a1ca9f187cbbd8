"""The header line: where the agent works, on what, and whether all is what it seems."""

from msgspec import Struct

from longrein.client.port import About
from longrein.client.words import brief
from longrein.core.display import Display
from longrein.core.messages import User

LONGEST_PLACE = 40
UNTITLED = "new thread"
LONGEST_TITLE = 200
FIRST = 5
"""Messages among which the first of the person is, behind notes."""


class HeaderView(Struct, frozen=True):
    """What stands at the top."""

    place: str
    title: str
    label: str = ""


def header(about: About, shown: Display, home: str) -> HeaderView:
    """The header of a thread; `home` is the person's own folder."""
    return HeaderView(short_place(about.place, home), title_of(shown), about.label)


def title_of(shown: Display) -> str:
    """What the thread is called on one line: its title, else the first that was said in it."""
    said = (one.text for one in shown.messages[:FIRST] if isinstance(one, User))
    return brief(shown.title or next(said, ""), LONGEST_TITLE) or UNTITLED


def short_place(path: str, home: str) -> str:
    """A folder as people write it, its middle left out where it is long.

    >>> short_place("/home/ada/engine", "/home/ada")
    '~/engine'
    """
    if home and (path == home or path.startswith(f"{home.rstrip('/')}/")):
        path = f"~{path[len(home.rstrip('/')) :]}"
    if len(path) <= LONGEST_PLACE:
        return path
    parts = path.split("/")
    return f"{parts[0]}/…/{'/'.join(parts[-2:])}"[-LONGEST_PLACE:]
