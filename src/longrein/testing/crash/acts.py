"""What a workload is made of: acts of a client, and what they leave behind."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from longrein.testing.scripted import Script

When: TypeAlias = Literal["now", "asked", "idle", "alone", "writing", "working"]
"""When the client acts: at once, when a person was asked for something, when nothing is left to do,
in the background either (`alone`), while the model writes, or while the model writes or a tool
works."""

Do: TypeAlias = Literal[
    "send", "queue", "steer", "interrupt",
    "edit", "withdraw", "reorder",
    "approve", "decline", "approve_plan",
    "mode", "model", "trust", "add_rule", "revoke",
    "update", "count_up", "rename", "tag", "configure",
    "rewind", "undo",
    "see", "beside",
]  # fmt: skip
"""What the client does. `see` only looks; `beside` has a whole run in another thread of the same
resource. Neither is a command of the thread."""

Brings: TypeAlias = Literal["modes", "planning", "guard", "money", "workspace", "family"]
"""What the harness of a workload has beside a model and tools."""


class Act(Struct, frozen=True):
    """One thing that the client does, under a command id that is the same in every process.

    `about` is the key of the call, the title of the question, or the tool of the grant that it is
    about; for an answer the client waits until that is asked. `value` is what is given with it: for
    `approve` what to remember and in which scope; for `rewind` whether to `overwrite` what the
    preview says would be kept. `output`: the answer has to fit a `Verdict`, and
    is this one. `may_be_late`: what it is about may be over, and then it is answered so.

    `shows` are fields of the `View` as they are from then on, for every process, until a later act
    says otherwise. While a client waits for a `see`, each field may be as before or as after it;
    those that are `together` change in one piece.
    """

    id: str
    do: Do
    text: str = ""
    inputs: tuple[str, ...] = ()
    when: When = "now"
    about: str = ""
    value: Any = None
    output: "Verdict | None" = None
    may_be_late: bool = False
    shows: Mapping[str, Any] = {}
    together: tuple[str, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether it is no command of the thread."""
        return self.do in ("see", "beside")


class Verdict(Struct, frozen=True):
    """The output that is asked for."""

    ok: bool
    count: int


class Scenario(Struct, frozen=True):
    """A workload. The client does its acts in order, then answers what waits until all is done.

    `loose` is text of which a steer leaves all, a part or nothing, whichever comes first; `heard`
    is what the model says when children in the background have ended, if that wakes it.
    `settles_started`: a steer settles what a crash left open, idempotent or not. `processes`: how
    many work on the thread. `share`: how often it is chosen.
    """

    name: str
    script: Script
    acts: tuple[Act, ...]
    loose: str = ""
    heard: str = ""
    settles_started: bool = False
    processes: Literal[1, 2] = 1
    share: int = 3
    brings: tuple[Brings, ...] = ()
