"""What a person likes in a front end."""

from typing import Literal, TypeAlias

from msgspec import Struct

Reasoning: TypeAlias = Literal["folded", "open", "hidden"]
"""How much of what a model thought is shown."""

Way: TypeAlias = Literal["bell", "desktop", "off"]
"""How a front end calls the person when it waits for them."""


class Preferences(Struct, frozen=True):
    """How a front end looks and behaves.

    `notify` is how it calls when it waits for the person. `editor` is the command that edits long
    texts; empty: the one of the environment. `reasoning`: whether what a model thought is folded
    to a line, shown, or left out.
    """

    theme: str = "longrein-dark"
    notify: Way = "bell"
    mouse: bool = True
    animations: bool = True
    timestamps: bool = False
    editor: str = ""
    reasoning: Reasoning = "folded"
