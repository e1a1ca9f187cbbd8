"""The text of an encoded event that a person would search for."""

import msgspec
from msgspec import Struct

from longrein.core.messages import File, Reasoning, Text, ToolCall


class _Kind(Struct):
    type: str


class _Input(Struct):
    kind: str = ""
    parts: tuple[Text | File, ...] = ()


class _Admitted(Struct):
    input: _Input


class _Said(Struct):
    parts: tuple[Text | File | Reasoning | ToolCall, ...] = ()


_kind = msgspec.json.Decoder(_Kind)
_admitted = msgspec.json.Decoder(_Admitted)
_said = msgspec.json.Decoder(_Said)


def text_of(data: bytes) -> str:
    """What a person or a model said in this event; empty for every other one. Never raises.

    >>> text_of(b'{"type":"step_ended","step":"s","parts":[{"type":"text","text":"Hello"}]}')
    'Hello'
    >>> text_of(b'{"type":"moon_rose"}')
    ''
    """
    try:
        match _kind.decode(data).type:
            case "input_admitted":
                input = _admitted.decode(data).input
                # A signal is the word of a system, not of a person.
                parts = () if input.kind == "signal" else input.parts
            case "input_edited" | "step_ended" | "step_interrupted":
                parts = _said.decode(data).parts
            case _:
                return ""
    except (
        msgspec.MsgspecError,
        UnicodeDecodeError,
        RecursionError,
    ):  # of a newer version, or no event at all
        return ""
    return "\n".join(part.text for part in parts if isinstance(part, Text))
