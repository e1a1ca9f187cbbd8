"""`/offload`: the whole of what a model was shown in part, read from its thread."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, assert_never

import msgspec

from longrein.core.messages import Assistant, Message, Note, ToolCall, ToolResult, User
from longrein.core.offload import OFFLOAD, arguments_path, input_path, result_path

LISTED = 2_000
"""Characters from which a text is listed; shorter ones can be read all the same."""

Load: TypeAlias = Callable[[str], Awaitable[bytes | None]]
"""The bytes that a store keeps under a hash; None where they are gone."""

_Text: TypeAlias = User | ToolCall | ToolResult
"""What holds a text that may be long."""


class Offloaded:
    """The results and arguments of a thread's tool calls, and its inputs, by the names that the
    model is told. Nothing of another thread has a name here.

    `messages` gives what was said, and is asked once.
    """

    def __init__(self, messages: Callable[[], Sequence[Message]], load: Load) -> None:
        self._messages = messages
        self._load = load
        self._made: dict[str, _Text] | None = None

    def names(self) -> Sequence[str]:
        return [name for name, one in self._known().items() if _is_long(one)]

    async def text(self, name: str) -> str | None:
        match self._known().get(name):
            case None:
                return None
            case ToolCall(arguments=arguments):
                return _laid_out(arguments)
            case User(whole=whole) | ToolResult(whole=whole) as said:
                data = await self._load(whole) if whole else None
                return said.text if data is None else data.decode("utf-8", "replace")

    def _known(self) -> dict[str, _Text]:
        if self._made is None:
            self._made = {_name(path): one for path, one in _texts(self._messages())}
        return self._made


def _texts(messages: Iterable[Message]) -> Iterator[tuple[str, _Text]]:
    for message in messages:
        match message:
            case ToolResult(call=call):
                yield result_path(call), message
            case User(input=input):
                yield input_path(input), message
            case Assistant():
                yield from ((arguments_path(call.id), call) for call in message.calls)
            case Note():
                pass
            case _:
                assert_never(message)


def _name(path: str) -> str:
    return path[len(OFFLOAD) + 1 :]


def _is_long(one: _Text) -> bool:
    if isinstance(one, ToolCall):
        return len(one.arguments) > LISTED
    return bool(one.whole) or len(one.text) > LISTED


def _laid_out(arguments: str) -> str:
    """JSON on several lines; what is none as it is."""
    try:
        return msgspec.json.format(arguments, indent=2)
    except msgspec.DecodeError:
        return arguments
