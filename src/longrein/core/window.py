"""What of a thread a request holds, once not all of it fits any more.

The thread's messages are never touched. A window says where a request begins: with a lead, a few
messages that stand for everything before, and then with the thread's own from `start` on.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

MOST_WINDOWS = 16
"""Windows that are kept for rewinds; further back a thread begins with all that it had."""

MOST_ASKED = 4_000
"""Characters of the first and of the last thing that the user asked for that stay in requests."""

Trigger: TypeAlias = Literal["full", "overflow", "asked"]
"""Why something is left out: no room is left, the provider said so, or a person asked for it."""

How: TypeAlias = Literal["cleared", "digest", "summary", "left_out", "pinned"]
"""What stands for what is left out: paths of old results and arguments, a capability's notes, a
summary by a model, or no more than a note. `pinned`: the same as before, with what was pinned."""


class Window(Struct, frozen=True, omit_defaults=True):
    """What requests hold of a thread: a lead, then its messages from `start` on.

    Of those before `whole` large results and arguments are only named. `seq` is the event that made
    the window. The lead is told by what it is made of (`lead_of`): messages before `start`, by
    their places, `pinned` ones whole and of others what was `asked`, `most` characters of each; a
    `summary`, with a `gap` between it and `start`; and what capabilities have `kept`. `readable`:
    the model can read what was left out.
    """

    seq: int
    start: int
    whole: int
    summary: str = ""
    gap: bool = False
    kept: str = ""
    pinned: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()
    most: int = MOST_ASKED
    readable: bool = True


class Compacting(Struct, frozen=True, omit_defaults=True):
    """A summary that is being made, as `CompactionStarted` says; `stop`: nobody wants it now."""

    id: str
    trigger: Trigger
    model: str
    start: int
    before: int
    reserved: int = 0
    focus: str = ""
    stop: bool = False


class Wish(Struct, frozen=True, omit_defaults=True):
    """A person asked for a compaction, which begins between two steps."""

    focus: str = ""


class Digest(Struct, frozen=True):
    """Notes of a capability that stand for the first `upto` messages of the thread.

    >>> from longrein import Digest
    >>> Digest("The user bakes bread; the dough rests.", upto=40).upto
    40
    """

    text: str
    upto: int
