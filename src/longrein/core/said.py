"""What people said in a thread, by its events alone: for looking back over many threads."""

from collections.abc import Iterable

from longrein.core import events as e
from longrein.core.erase import ERASED
from longrein.core.messages import Content, text_in

TELLING = (
    e.InputAdmitted,
    e.InputEdited,
    e.InputWithdrawn,
    e.RunStarted,
    e.InputPromoted,
    e.StepStarted,
    e.HookEnded,
)
"""The events that `said_in_log` looks at: all others can be left out."""


def said_in_log(events: Iterable[e.Event]) -> list[tuple[int, str]]:
    """What people said in these events, which may be the last of a thread, each with its time.

    What they took back, what hooks refused, what was erased and what is too long to be whole is
    left out.
    """
    said: dict[str, tuple[int, str]] = {}
    unheard: tuple[str, ...] = ()
    for event in events:
        match event:
            case e.InputAdmitted(input=input) if input.kind != "signal":
                said[input.id] = event.time, words_of(input.parts, input.whole)
            case e.InputEdited(input=id, parts=parts, whole=whole):
                said[id] = event.time, words_of(parts, whole)
            case e.InputWithdrawn(input=id):
                said.pop(id, None)
            case e.RunStarted(inputs=inputs) | e.InputPromoted(inputs=inputs):
                unheard = (*unheard, *inputs)
            case e.StepStarted():
                unheard = ()
            case e.HookEnded(point="before_run" | "before_model", decision="refused"):
                for id in unheard:
                    said.pop(id, None)
            case _:
                pass
    return [one for one in said.values() if one[1]]


def words_of(parts: Iterable[Content], whole: str) -> str:
    """The words of an input that can be said again; empty where they are erased or not all there.

    >>> from longrein.core.messages import Text
    >>> words_of((Text("Hello"),), ""), words_of((Text("[erased]"),), "")
    ('Hello', '')
    """
    text = "" if whole else text_in(parts)
    return text if text.replace(ERASED, "").strip() else ""
