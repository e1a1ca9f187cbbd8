"""Old results and arguments as short stubs: what they were can be read under a path."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from longrein.core.messages import Assistant, Message, Reasoning, Text, ToolCall, ToolResult
from longrein.core.offload import arguments_path, left_out, result_path

LARGE = 400
"""Characters of a result, or of the arguments of a call, from which on a stub is shorter."""


def cleared(messages: Sequence[Message]) -> Iterator[Message]:
    """The messages, each as a stub where it is large; calls and results stay together."""
    for message in messages:
        yield stub(message)


def stub(message: Message) -> Message:
    """The message with what is large in it only named; itself where nothing is.

    >>> stub(ToolResult("call_1", "look", (Text("x" * 500),))).text
    '[... 500 characters left out. All of it is in /offload/call_1.txt; use grep or read_file. ...]'
    """
    match message:
        case ToolResult(parts=parts):
            text = message.text
            if len(text) <= LARGE and all(isinstance(part, Text) for part in parts):
                return message
            return replace(message, parts=(Text(_result(message, text)),))
        case Assistant(parts=parts):
            if not any(map(_large, parts)):
                return message
            return replace(message, parts=tuple(map(_short, parts)))
        case _:
            return message


def _large(part: object) -> bool:
    return isinstance(part, ToolCall) and len(part.arguments) > LARGE


def _result(message: ToolResult, text: str) -> str:
    gap = left_out(len(text), "characters", result_path(message.call))
    files = len(message.parts) - sum(isinstance(part, Text) for part in message.parts)
    return f"{gap}\n[{files} files left out]" if files else gap


def _short(part: Text | Reasoning | ToolCall) -> Text | Reasoning | ToolCall:
    if not isinstance(part, ToolCall) or not _large(part):
        return part
    gap = left_out(len(part.arguments), "characters", arguments_path(part.id))
    # An object, as arguments have to be; its key is that of no parameter.
    return replace(part, arguments=msgspec.json.encode({"...": gap}).decode())
