"""The follow-ups that wait, as they are shown and changed: always by their ids."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from longrein.client.words import brief
from longrein.core.commands import EditInput
from longrein.core.display import Display
from longrein.core.messages import Content, File, Text
from longrein.core.records import Input

LONGEST_TOLD = 300
"""Characters of what was removed that are told."""


class Waiting(Struct, frozen=True):
    """A follow-up that waits. `files` are what goes along.

    `whole`: this is all of its text; otherwise only its head and tail are at hand.
    """

    input: str
    text: str
    files: tuple[File, ...] = ()
    whole: bool = True


class QueueView(Struct, frozen=True):
    """What waits, the next one first. `held`: it goes on only when somebody says so.

    `order` has the ids of everything that waits, what is shown elsewhere among them.
    """

    waiting: tuple[Waiting, ...] = ()
    held: bool = False
    order: tuple[str, ...] = ()

    def __contains__(self, input: object) -> bool:
        return any(one.input == input for one in self.waiting)

    def index(self, input: str) -> int:
        """Where an input stands; 0 where it does not wait any more."""
        return next((n for n, one in enumerate(self.waiting) if one.input == input), 0)


def queue(shown: Display) -> QueueView:
    """The queue of a thread."""
    waiting = tuple(_waiting(one) for one in shown.queue if one.kind == "queue")
    said = any(one.kind in ("send", "queue", "steer") for one in shown.queue)
    return QueueView(waiting, shown.held and said, tuple(one.id for one in shown.queue))


def moved(view: QueueView, input: str, by: int) -> QueueView:
    """The queue with one input so many places further down; what is shown elsewhere stays."""
    if input not in view:
        return view
    waiting = list(view.waiting)
    at = view.index(input)
    one = waiting.pop(at)
    waiting.insert(min(max(at + by, 0), len(waiting)), one)
    ours = iter(waiting)
    order = tuple(next(ours).input if id in view else id for id in view.order)
    return replace(view, waiting=tuple(waiting), order=order)


def edited(shown: Display, input: str, text: str, files: Sequence[File]) -> EditInput | None:
    """The command that gives a waiting input another text and other files; None: it does not wait
    any more."""
    if all(one.id != input for one in shown.queue):
        return None
    parts: tuple[Content, ...] = (Text(text), *files)
    return EditInput(input, parts)


def refused(before: Display, after: Display) -> tuple[Waiting, ...]:
    """What a hook has kept from the model since then, to be said otherwise; not what is too long to
    be at hand."""
    if after.refused == before.refused:
        return ()
    return tuple(
        Waiting(one.input, one.text, _files(one.parts)) for one in after.refused if not one.whole
    )


def _waiting(one: Input) -> Waiting:
    return Waiting(one.id, one.text, _files(one.parts), whole=not one.whole)


def _files(parts: Sequence[Content]) -> tuple[File, ...]:
    return tuple(part for part in parts if isinstance(part, File))


def removed(text: str) -> str:
    """What is said of a follow-up that was taken back."""
    return f"Removed from the queue, and kept in the history (Ctrl+R): {brief(text, LONGEST_TOLD)}"
