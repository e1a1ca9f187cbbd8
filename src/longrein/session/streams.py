"""What is being said right now: the live streams of a session, for whoever joins in the middle."""

from collections.abc import Iterator

from longrein.core.display import Writing
from longrein.core.live import LiveEvent, ToolOutputFragment
from longrein.core.messages import Reasoning, Text
from longrein.core.redact import Redacting, Redactor
from longrein.core.text import clean
from longrein.session.speech import Speech

MOST_OUTPUT = 256 * 1024


class Output:
    """What a running tool has put out: all of it up to a bound, from then on the newest half."""

    __slots__ = ("_pieces", "_redacting", "length", "start")

    def __init__(self, redactor: Redactor) -> None:
        self._redacting = Redacting(redactor)
        self._pieces: list[str] = []
        self.start = 0
        self.length = 0

    def add(self, text: str) -> str:
        """Take in more; returns what can be shown of it."""
        shown = self._redacting.feed(clean(text))
        self._pieces.append(shown)
        self.length += len(shown)
        if self.length - self.start > MOST_OUTPUT:
            kept = self.text[-MOST_OUTPUT // 2 :]
            self._pieces = [kept]
            self.start = self.length - len(kept)
        return shown

    @property
    def text(self) -> str:
        return "".join(self._pieces)


class Streams:
    """The open step's reply so far, and the output so far of each running call."""

    __slots__ = ("_reply", "outputs")

    def __init__(self) -> None:
        self._reply: Speech | None = None
        self.outputs: dict[str, Output] = {}

    def begin_reply(self, reply: Speech) -> None:
        self._reply = reply

    def end_reply(self, reply: Speech) -> None:
        """The reply is over, unless another has long begun."""
        if self._reply is reply:
            self._reply = None

    def spoken(self, step: str) -> tuple[Text | Reasoning, ...]:
        """What was said so far in this step."""
        reply = self._reply
        return reply.whole.spoken("") if reply is not None and reply.step == step else ()

    def clear(self) -> None:
        self._reply = None
        self.outputs.clear()

    @property
    def mark(self) -> tuple[int, ...]:
        """What changes whenever there is more to show."""
        said = -1 if self._reply is None else self._reply.heard
        return (said, *(output.length for output in self.outputs.values()))

    @property
    def writing(self) -> Writing | None:
        return self._reply.writing if self._reply else None

    @property
    def output_texts(self) -> dict[str, str]:
        return {call: output.text for call, output in self.outputs.items()}

    def so_far(self, after: int) -> Iterator[LiveEvent]:
        """One event for each open stream, with all of it so far."""
        if self._reply is not None:
            yield from self._reply.so_far(after)
        for call, output in self.outputs.items():
            yield ToolOutputFragment(output.text, after=after, stream=call, offset=output.start)
