"""`Next`: what can be next in a thread, as a closed union."""

from typing import TypeAlias

from msgspec import Struct

from longrein.core.events import Compacted
from longrein.core.messages import Settled
from longrein.core.outcomes import Ended
from longrein.core.records import By, Point
from longrein.permissions.evaluate import Allow, Ask, Deny


class Promote(Struct, frozen=True):
    """Put these inputs before the model; `run` is the id of the run to start, if one starts."""

    inputs: tuple[str, ...]
    run: str = ""


class Recall(Struct, frozen=True):
    """The model call of this step was lost with its process: it is made again."""

    step: str


class Dismiss(Struct, frozen=True):
    """Nobody needs to answer these any more."""

    approvals: tuple[str, ...]
    questions: tuple[str, ...]
    by: By


class Resolve(Struct, frozen=True):
    """Answer these approvals as the policy does by now: nobody need be asked any more."""

    answers: tuple[tuple[str, Allow | Deny], ...]


class Settlement(Struct, frozen=True):
    """How a call that does not run (any more) ends, in words for the model."""

    call: str
    status: Settled
    text: str


class Settle(Struct, frozen=True):
    """End these calls."""

    calls: tuple[Settlement, ...]


class Remind(Struct, frozen=True):
    """Tell the model something and let it go on."""

    text: str
    source: str


class Consult(Struct, frozen=True):
    """Ask the hooks at a point, about a call where it is one."""

    point: Point
    about: str = ""


class CallModel(Struct, frozen=True):
    """Begin a step with this model; its request takes about so many tokens, 0: it was not counted,
    as nobody knows how many fit."""

    model: str
    tokens: int = 0


class Compact(Struct, frozen=True):
    """Make requests shorter before a step with this model; no `cut`: they cannot be. A cut gets its
    id, and a summary its text, when it is made.

    `focus` is what a summary should keep above all.
    """

    model: str
    cut: Compacted | None
    focus: str = ""


class AskAbout(Struct, frozen=True):
    """A call that a person has to decide on, and why."""

    call: str
    verdict: Ask


class AskFor(Struct, frozen=True):
    """Ask a person about these calls."""

    calls: tuple[AskAbout, ...]


class Execute(Struct, frozen=True):
    """Start these calls."""

    calls: tuple[str, ...]


class Cancel(Struct, frozen=True):
    """Stop these tasks (a step or calls); each writes its own end."""

    ids: tuple[str, ...]
    why: str


class Park(Struct, frozen=True):
    """Leave the run waiting on these: nobody answered in time."""

    on: tuple[str, ...]


class Wait(Struct, frozen=True):
    """Nothing to start: something runs, a person is asked, or a moment is waited for.

    `on` are the approvals and questions that wait; at `until` the `timer` is due.
    """

    on: tuple[str, ...] = ()
    until: int = 0
    timer: str = ""


class Finish(Struct, frozen=True):
    """End the run."""

    outcome: Ended


Next: TypeAlias = (
    Promote
    | Recall
    | Dismiss
    | Resolve
    | Settle
    | Remind
    | Consult
    | Compact
    | CallModel
    | AskFor
    | Execute
    | Cancel
    | Park
    | Wait
    | Finish
)
