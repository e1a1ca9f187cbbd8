"""What a model says, as it says it: taken down whole, and told to the listeners piece by piece."""

from collections.abc import Iterator

from longrein.core.display import Writing
from longrein.core.live import LiveEvent, ReasoningFragment, TextFragment, ToolInputFragment
from longrein.core.redact import Redacting, Redactor
from longrein.models.assembly import Assembly
from longrein.models.base import CallDelta, Delta, ReasoningDelta, TextDelta
from longrein.session.bus import Bus


class _Shown:
    """What was shown of one stream: all its pieces, without secrets, and how long they are."""

    __slots__ = ("_redacting", "length", "name", "pieces")

    def __init__(self, redactor: Redactor) -> None:
        self._redacting = Redacting(redactor)
        self.name = ""
        self.pieces: list[str] = []
        self.length = 0

    def add(self, text: str) -> str:
        text = self._redacting.feed(text)
        self.pieces.append(text)
        self.length += len(text)
        return text

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class Speech:
    """One reply under way. `whole` is all that was said, `heard` counts the deltas it came in.

    Listeners are told of it as it comes.
    """

    __slots__ = (
        "_after", "_bus", "_calls", "_redactor", "_text", "_thought", "heard", "step", "whole",
    )  # fmt: skip

    def __init__(self, step: str, bus: Bus, redactor: Redactor, after: int) -> None:
        self.whole = Assembly()
        self.heard = 0
        self.step = step
        self._bus = bus
        self._redactor = redactor
        self._after = after
        self._text = _Shown(redactor)
        self._thought = _Shown(redactor)
        self._calls: dict[int, _Shown] = {}

    def hear(self, delta: Delta) -> None:
        """Take in one more delta."""
        self.heard += 1
        self.whole.add(delta)
        if isinstance(delta, TextDelta):
            offset = self._text.length
            text = self._text.add(delta.text)
            if text and self._bus.reaches:
                event = TextFragment(text, after=self._after, stream=self.step, offset=offset)
                self._bus.publish(event)
        elif isinstance(delta, CallDelta):
            self._hear_call(delta)
        elif isinstance(delta, ReasoningDelta):
            offset = self._thought.length
            if text := self._thought.add(delta.text):
                stream = f"{self.step}/r"
                self._bus.publish(
                    ReasoningFragment(text, after=self._after, stream=stream, offset=offset)
                )

    def _hear_call(self, delta: CallDelta) -> None:
        shown = self._calls.get(delta.index)
        if shown is None:
            shown = self._calls[delta.index] = _Shown(self._redactor)
        shown.name = shown.name or delta.name
        offset = shown.length
        if text := shown.add(delta.arguments):
            stream = f"{self.step}/{delta.index}"
            self._bus.publish(
                ToolInputFragment(text, shown.name, after=self._after, stream=stream, offset=offset)
            )

    @property
    def writing(self) -> Writing:
        """What a user interface shows of it."""
        calls = tuple((shown.name, shown.text) for shown in self._calls.values())
        return Writing(self._text.text, self._thought.text, calls)

    def so_far(self, after: int) -> Iterator[LiveEvent]:
        """One event for each stream, with all of it so far."""
        if thought := self._thought.text:
            yield ReasoningFragment(thought, after=after, stream=f"{self.step}/r", offset=0)
        if text := self._text.text:
            yield TextFragment(text, after=after, stream=self.step, offset=0)
        for index, shown in self._calls.items():
            stream = f"{self.step}/{index}"
            yield ToolInputFragment(shown.text, shown.name, after=after, stream=stream, offset=0)
