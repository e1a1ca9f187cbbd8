"""What there is to choose from, by name: a line each, or an object."""

from collections.abc import Sequence

from msgspec import Struct

from longrein.cli.terminal import Screen

NAME = 24
SOURCE = 8


class Listed(Struct, frozen=True, omit_defaults=True):
    """One of them: what it is called, where it is from, what it is for, and its file."""

    name: str
    source: str
    description: str
    path: str = ""


def tell(found: Sequence[Listed], screen: Screen, *, json: bool) -> None:
    """Put them out."""
    for one in found:
        if json:
            screen.out_json(one)
        else:
            line = f"{one.name:{NAME}} {one.source:{SOURCE}} {one.description}"
            screen.out(f"{line}\n", hang=NAME + SOURCE + 2)
