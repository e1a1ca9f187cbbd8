"""A run as it is shown: as text for people, as one object, or as one object per event."""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from longrein.cli.results import Result
from longrein.cli.terminal import Screen, as_json
from longrein.cli.text_view import ShapedView, TextView, tell_pause
from longrein.core import events as e
from longrein.core.codec import encode_event
from longrein.core.state import State
from longrein.session.bus import Anything

Output: TypeAlias = Literal["text", "json", "stream-json"]


class View(Protocol):
    """What becomes of events and, at the end, of the result.

    `pause`: nothing happens before somebody, who is not at this terminal, has answered.
    """

    def show(self, event: Anything) -> None: ...
    def pause(self, why: str, lines: Sequence[str]) -> None: ...
    def finish(self, result: Result) -> None: ...


class JsonView:
    """One object at the end; with `stream` also one per event, each on a line of its own."""

    def __init__(self, screen: Screen, *, stream: bool) -> None:
        self.screen = screen
        self._stream = stream

    def show(self, event: Anything) -> None:
        if self._stream:
            self.screen.out(f"{event_json(event)}\n")

    def pause(self, why: str, lines: Sequence[str]) -> None:
        tell_pause(self.screen, why, lines)

    def finish(self, result: Result) -> None:
        self.screen.out_json(result)


def view_for(output: Output, screen: Screen, state: State, folder: str, *, shaped: bool) -> View:
    """The view that `--output` names. `shaped`: the answer has to fit a schema.

    Files are named as seen from `folder`.
    """
    if output != "text":
        return JsonView(screen, stream=output != "json")
    return (ShapedView if shaped else TextView)(screen, state, folder)


def event_json(event: Anything) -> str:
    """An event, durable or live, as one line of JSON."""
    return encode_event(event).decode() if isinstance(event, e.Durable) else as_json(event)
