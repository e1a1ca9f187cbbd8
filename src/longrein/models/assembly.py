"""A reply put together from its deltas, whichever wire they come from."""

from longrein.core.ids import Ids
from longrein.core.messages import Reasoning, Text, ToolCall
from longrein.models.base import CallDelta, Delta, ReasoningDelta, Stopped, TextDelta


class _Thought:
    __slots__ = ("provider_id", "redacted", "signature", "text")

    def __init__(self) -> None:
        self.text: list[str] = []
        self.signature = ""
        self.provider_id = ""
        self.redacted = False


class _Wish:
    __slots__ = ("arguments", "name", "provider_id")

    def __init__(self) -> None:
        self.name = ""
        self.provider_id = ""
        self.arguments: list[str] = []


class Assembly:
    """What a model has said so far: parts in the order in which they began."""

    __slots__ = ("_slots", "_text", "_thoughts", "_wishes", "stopped")

    def __init__(self) -> None:
        self.stopped: Stopped | None = None
        self._slots: list[list[str] | _Thought | _Wish] = []
        self._text: list[str] | None = None
        self._thoughts: dict[int, _Thought] = {}
        self._wishes: dict[int, _Wish] = {}

    def add(self, delta: Delta) -> None:
        """Take in one more delta."""
        if isinstance(delta, TextDelta):
            if self._text is None:
                self._text = []
                self._slots.append(self._text)
            self._text.append(delta.text)
        elif isinstance(delta, CallDelta):
            self._add_call(delta)
        elif isinstance(delta, ReasoningDelta):
            self._add_thought(delta)
        else:
            self.stopped = delta

    def _add_call(self, delta: CallDelta) -> None:
        wish = self._wishes.get(delta.index)
        if wish is None:
            wish = self._wishes[delta.index] = _Wish()
            self._slots.append(wish)
            self._text = None
        wish.name = wish.name or delta.name
        wish.provider_id = wish.provider_id or delta.provider_id
        wish.arguments.append(delta.arguments)

    def _add_thought(self, delta: ReasoningDelta) -> None:
        thought = self._thoughts.get(delta.index)
        if thought is None:
            thought = self._thoughts[delta.index] = _Thought()
            self._slots.append(thought)
            self._text = None
        thought.text.append(delta.text)
        thought.signature = thought.signature or delta.signature
        thought.provider_id = thought.provider_id or delta.provider_id
        thought.redacted = thought.redacted or delta.redacted

    def parts(self, model: str, ids: Ids) -> tuple[Text | Reasoning | ToolCall, ...]:
        """The whole reply; each tool call gets an id of ours."""
        made: list[Text | Reasoning | ToolCall] = []
        for slot in self._slots:
            if isinstance(slot, _Wish):
                arguments = "".join(slot.arguments)
                made.append(ToolCall(ids.new("call"), slot.name, arguments, slot.provider_id))
            elif part := _said(slot, model):
                made.append(part)
        return tuple(made)

    def spoken(self, model: str) -> tuple[Text | Reasoning, ...]:
        """The reply so far without its tool calls, which may not be complete."""
        said = (_said(slot, model) for slot in self._slots if not isinstance(slot, _Wish))
        return tuple(part for part in said if part)

    @property
    def text(self) -> str:
        return "".join("".join(slot) for slot in self._slots if isinstance(slot, list))

    @property
    def reasoning(self) -> str:
        return "".join("".join(thought.text) for thought in self._thoughts.values())

    @property
    def size(self) -> int:
        """How many characters were said, thought or written as arguments so far."""
        written = sum(len(name) + len(arguments) for name, arguments in self.calls)
        return len(self.text) + len(self.reasoning) + written

    @property
    def calls(self) -> tuple[tuple[str, str], ...]:
        """The tool calls so far: name and the arguments as far as they are written."""
        return tuple((wish.name, "".join(wish.arguments)) for wish in self._wishes.values())


def _said(slot: "list[str] | _Thought", model: str) -> Text | Reasoning | None:
    if isinstance(slot, list):
        text = "".join(slot)
        return Text(text) if text else None
    text = "".join(slot.text)
    if not text and not slot.signature:
        return None
    return Reasoning(text, slot.signature, model, slot.provider_id, slot.redacted)
