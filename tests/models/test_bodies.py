"""Bodies: accepted by the strictest provider whatever was said, and encoded only once."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longrein.core.errors import NotFound
from longrein.core.growing import Trail
from longrein.core.messages import Assistant, File, Message, Text, ToolCall, ToolResult, User
from longrein.models.anthropic import AnthropicModel
from longrein.models.base import Media, ModelSettings, Request, ToolSpec
from longrein.models.openai_chat import OpenAIChatModel
from longrein.models.openai_responses import OpenAIResponsesModel
from longrein.models.place import Place, Quirks
from longrein.models.secret import Secret
from tests.models.conversations import BLOBS, anything, conversations
from tests.models.provider import MODELS, WIRES
from tests.models.strict import check
from tests.support import run

PLACE = Place("test", "m", "http://nowhere", Secret("", "NONE"))
Encoding = AnthropicModel | OpenAIChatModel | OpenAIResponsesModel
EVERYTHING: tuple[Media, ...] = ("image", "pdf", "audio", "video")
NOT_TEXT = {
    *("image_url", "file", "input_audio", "video_url"),
    *("input_image", "input_file", "image", "document"),
}
TOOL = ToolSpec("look", "Looks.", msgspec.Raw(b'{"type":"object","properties":{}}'))

every_wire = pytest.mark.parametrize("wire", WIRES)


async def load(blob: str) -> bytes:
    if blob not in BLOBS:
        raise NotFound(blob)
    return BLOBS[blob]


def asked(
    messages: Sequence[Message],
    scratch: dict[str, Any] | None = None,
    *,
    system: str = "",
    tools: tuple[ToolSpec, ...] = (),
    model: str = "m",
    media: tuple[Media, ...] | None = None,
) -> Request:
    kept = {} if scratch is None else scratch
    settings = ModelSettings(media=media)
    return Request(model, system, tools, messages, load, settings, "prefix", kept)


def body(model: Encoding, request: Request) -> bytes:
    return run(model.body(request))


@every_wire
@given(
    messages=conversations(),
    system=anything,
    tools=st.sampled_from([(), (TOOL, TOOL)]),
    media=st.sampled_from([None, (), EVERYTHING]),
)
def test_every_conversation_is_well_formed(
    wire: str,
    messages: list[Message],
    system: str,
    tools: tuple[ToolSpec, ...],
    media: tuple[Media, ...] | None,
) -> None:
    request = asked(messages, system=system, tools=tools, media=media)
    check(wire, body(MODELS[wire](PLACE), request))


@every_wire
@given(messages=conversations())
def test_a_model_that_takes_no_media_gets_none(wire: str, messages: list[Message]) -> None:
    value = check(wire, body(MODELS[wire](PLACE), asked(messages, media=())))
    assert not set(_types(value)) & NOT_TEXT


@given(messages=conversations())
def test_short_call_ids_are_nine_letters_and_digits(messages: list[Message]) -> None:
    place = msgspec.structs.replace(PLACE, quirks=Quirks(short_call_ids=True))
    value = check("chat", body(OpenAIChatModel(place), asked(messages)))
    ids = [call["id"] for m in value["messages"] for call in m.get("tool_calls", ())]
    assert all(len(id) == 9 and id.isalnum() for id in ids)
    assert len(set(ids)) == len(ids)


@every_wire
@given(messages=conversations(), data=st.data())
def test_kept_fragments_give_the_same_bytes_as_a_fresh_encoding(
    wire: str, messages: list[Message], data: st.DataObject
) -> None:
    model = MODELS[wire](PLACE)
    scratch: dict[str, Any] = {}
    steps = data.draw(st.lists(st.integers(0, len(messages)), max_size=5))
    # Ends that go back as well as on: a scratch that is ahead is as safe as one that is behind.
    for end in [*steps, len(messages)]:
        kept = body(model, asked(Trail(messages[:end]), scratch))
        assert kept == body(model, asked(messages[:end]))


@every_wire
def test_a_scratch_of_another_conversation_is_not_believed(wire: str) -> None:
    model = MODELS[wire](PLACE)
    scratch: dict[str, Any] = {}
    first = [User((Text("one"),)), Assistant((Text("two"),)), User((Text("three"),))]
    other = [User((Text("four"),)), Assistant((Text("five"),)), User((Text("six"),))]
    body(model, asked(first, scratch))
    assert body(model, asked(other, scratch)) == body(model, asked(other))
    assert body(model, asked(other, scratch, system="s")) == body(model, asked(other, system="s"))
    assert body(model, asked(other, scratch, model="n")) == body(model, asked(other, model="n"))
    picture = [User((File("image/png", blob="good"),))]
    body(model, asked(picture, scratch))
    assert body(model, asked(picture, scratch, media=())) == body(model, asked(picture, media=()))


def _types(value: Any) -> Iterator[str]:
    """Every `type` of a part, however deep."""
    if isinstance(value, list):
        for entry in cast("list[Any]", value):
            yield from _types(entry)
    elif isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        if isinstance(fields.get("type"), str):
            yield fields["type"]
        for name, entry in fields.items():
            # What a model said to a tool can look like anything.
            if name != "input" or "name" not in fields:
                yield from _types(entry)


class Counted(list[Message]):
    """A list that knows how many of its messages were read, by whichever copy of it."""

    read = 0

    def __getitem__(self, index: Any) -> Any:
        Counted.read += 1 if isinstance(index, int) else len(self) - int(index.start)
        return super().__getitem__(index)

    def __iter__(self) -> Any:
        raise AssertionError("all of it was read")


@every_wire
def test_a_message_is_encoded_once(wire: str) -> None:
    model = MODELS[wire](PLACE)
    scratch: dict[str, Any] = {}
    messages: list[Message] = [User((Text("go"),))]
    Counted.read = 0
    for number in range(100):
        id = f"call_{number:032x}"
        messages += [
            Assistant((ToolCall(id, "look", "{}"),)),
            ToolResult(id, "look", (Text("seen"),)),
        ]
        body(model, asked(Counted(messages), scratch, tools=(TOOL,)))
    assert Counted.read <= 4 * len(messages)


@every_wire
def test_what_was_sent_is_the_beginning_of_what_is_sent_next(wire: str) -> None:
    model = MODELS[wire](PLACE)
    messages: list[Message] = [User((Text("go"),))]
    before: list[Any] = []
    for number in range(5):
        id = f"call_{number:032x}"
        messages += [
            Assistant((Text("on"), ToolCall(id, "look", "{}"))),
            ToolResult(id, "look", (Text("seen"),)),
        ]
        plain = body(model, asked(messages)).replace(b',"cache_control":{"type":"ephemeral"}', b"")
        value = msgspec.json.decode(plain)
        turns = value.get("messages") or value["input"]
        assert turns[: len(before)] == before
        before = turns
