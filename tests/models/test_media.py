"""What of a thread's files a model is sent, and what it is told of the others."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from longrein.core.errors import BadRequest, ModelError, UsageError
from longrein.core.messages import (
    Assistant,
    Content,
    File,
    Message,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.core.outcomes import Failed, Finished
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.base import Media, ModelSettings, Request
from longrein.models.catalog import ProviderSettings, Wire
from longrein.settings.layer import parse
from longrein.settings.merge import merge
from longrein.testing import Reply, ScriptedServer, call, fail, say
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.models.provider import WHOLE, WIRES, Answer, Provider, deltas, event, model_at
from tests.support import run

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20_472
PICTURE = File("image/png", blob="picture", name="cat.png")
PAPER = File("application/pdf", blob="paper", name="paper.pdf")
SONG = File("audio/mpeg", blob="song", name="song.mp3")
SPEECH = File("audio/wav", blob="speech", name="speech.wav")
FILM = File("video/mp4", blob="film", name="film.mp4")
NO_PICTURE = "[image cat.png, 20 KB: this model cannot see images]"
NO_PAPER = "[PDF paper.pdf, 1 KB: this model cannot read PDFs]"
NO_SONG = "[audio song.mp3, 1 KB: this model cannot hear audio]"
NO_FILM = "[video film.mp4, 1 KB: this model cannot watch videos]"
CALL = Assistant((ToolCall("call_1", "look", "{}"),))
ADVICE = "set media = [] for it in the settings"

every_wire = pytest.mark.parametrize("wire", WIRES)


async def load(blob: str) -> bytes:
    return PNG if blob == "picture" else b"" if blob == "empty" else blob.encode()


def asked(messages: Sequence[Message], media: tuple[Media, ...] | None) -> Request:
    return Request("m", "", (), messages, load, ModelSettings(media=media))


def sent(wire: str, *messages: Message, media: tuple[Media, ...] | None = None) -> list[Any]:
    """The turns of the request as the server got it."""

    async def ask() -> Any:
        async with Provider(Answer(WHOLE[wire])) as provider:
            await deltas(model_at(wire, provider.url), asked(messages, media))
            return json.loads(provider.seen[0].body)

    body = run(ask())
    return body["input"] if wire == "responses" else body["messages"]


def shown(wire: str, *files: File, media: tuple[Media, ...] | None = None) -> list[Any]:
    """The parts that a user's files became, after a word of text."""
    parts: tuple[Content, ...] = (Text("see"), *files)
    content = sent(wire, User(parts), media=media)[0]["content"]
    if isinstance(content, str):
        return content.split("\n\n")[1:]
    return [part.get("text") or part["type"] for part in content][1:]


AS_THEY_ARE = {
    "chat": ["image_url", "file"],
    "responses": ["input_image", "input_file"],
    "anthropic": ["image", "document"],
}


@every_wire
def test_images_and_pdfs_are_sent_where_nothing_is_said(wire: str) -> None:
    found = shown(wire, PICTURE, PAPER, SONG, FILM)
    assert found == [*AS_THEY_ARE[wire], NO_SONG, NO_FILM]


@every_wire
def test_what_a_model_does_not_take_is_a_note_in_its_place(wire: str) -> None:
    assert shown(wire, PICTURE, PAPER, media=()) == [NO_PICTURE, NO_PAPER]
    assert shown(wire, PICTURE, PAPER, media=("pdf",)) == [NO_PICTURE, AS_THEY_ARE[wire][1]]


@every_wire
def test_a_result_tells_of_the_picture_that_is_not_shown(wire: str) -> None:
    result = ToolResult("call_1", "look", (Text("a cat"), PICTURE))
    last = sent(wire, User((Text("go"),)), CALL, result, media=())[-1]
    told = json.dumps(last["output"] if wire == "responses" else last["content"])
    assert "a cat" in told
    assert NO_PICTURE in told
    assert "base64" not in told
    assert last.get("role", "tool") == ("user" if wire == "anthropic" else "tool")


def test_chat_sends_audio_and_video_where_they_are_named() -> None:
    user = User((SONG, SPEECH, FILM))
    content = sent("chat", user, media=("audio", "video"))[0]["content"]
    song, speech = base64.b64encode(b"song").decode(), base64.b64encode(b"speech").decode()
    film = "data:video/mp4;base64," + base64.b64encode(b"film").decode()
    assert content == [
        {"type": "input_audio", "input_audio": {"data": song, "format": "mp3"}},
        {"type": "input_audio", "input_audio": {"data": speech, "format": "wav"}},
        {"type": "video_url", "video_url": {"url": film}},
    ]


@pytest.mark.parametrize("wire", ["responses", "anthropic"])
def test_a_wire_without_a_shape_for_audio_tells_of_it(wire: str) -> None:
    everything: tuple[Media, ...] = ("image", "pdf", "audio", "video")
    assert shown(wire, SONG, FILM, media=everything) == [NO_SONG, NO_FILM]


def test_a_note_names_the_format_where_others_of_its_kind_are_taken() -> None:
    heic, ogg = File("image/heic", blob="a", name="a.heic"), File("audio/ogg", blob="b")
    assert shown("chat", heic, ogg, media=("image", "audio")) == [
        "[image a.heic, 1 KB: this model cannot see images of type image/heic]",
        "[audio, 1 KB: this model cannot hear audio of type audio/ogg]",
    ]


def test_a_note_says_where_a_file_is_that_was_not_sent() -> None:
    picture = File("image/png", url="https://x.org/a.png")
    song = File("audio/mpeg", url="https://x.org/a.mp3", name="a.mp3")
    assert shown("chat", picture, song, media=("audio",)) == [
        "[image at https://x.org/a.png: this model cannot see images]",
        "[the audio file a.mp3 is at https://x.org/a.mp3]",
    ]


@every_wire
def test_an_empty_picture_which_every_provider_refuses_is_told(wire: str) -> None:
    assert shown(wire, File("image/png", blob="empty")) == ["[file of type image/png is empty]"]


def refused(wire: str, answer: Answer, *files: File, media: tuple[Media, ...] | None) -> ModelError:
    async def ask() -> None:
        async with Provider(answer) as provider:
            user = User((Text("see"), *files))
            await deltas(model_at(wire, provider.url), asked([user], media))

    with pytest.raises(ModelError) as caught:
        run(ask())
    return caught.value


BLIND = b'{"error":{"message":"unknown variant `image_url`"}}'


@every_wire
def test_a_refused_request_with_files_says_what_to_do(wire: str) -> None:
    error = refused(wire, Answer([BLIND], 400), PICTURE, PAPER, media=None)
    assert (type(error), error.status) == (BadRequest, 400)
    assert str(error) == (
        "unknown variant `image_url`. The request had files in it (image, pdf): if this model "
        f"cannot take them, {ADVICE}, or name there what it can take."
    )


def test_a_refusal_in_the_middle_of_a_stream_says_what_to_do() -> None:
    said = event({"error": {"message": "no images here", "code": 400}})
    assert ADVICE in str(refused("chat", Answer([said]), PICTURE, media=None))


@every_wire
def test_a_refused_request_without_media_says_only_why(wire: str) -> None:
    for files, media in (((SONG,), None), ((PICTURE,), ()), ((), None)):
        error = refused(wire, Answer([BLIND], 400), *files, media=media)
        assert str(error) == "unknown variant `image_url`"


def test_a_provider_that_is_busy_says_nothing_of_files() -> None:
    assert ADVICE not in str(refused("chat", Answer([b"{}"], 503), PICTURE, media=None))


@tool
async def look(ctx: Context) -> File:
    """Look."""
    return await ctx.keep(PNG, name="seen.png")


def text_only(request: Request) -> Reply:
    """A model that refuses every request with a file in it, and looks for itself first."""
    parts = [part for message in request.messages for part in getattr(message, "parts", ())]
    if any(isinstance(part, File) for part in parts):
        return fail(BadRequest("this model reads text only", status=400))
    said = [part.text for part in parts if isinstance(part, Text)]
    if any("seen.png" in text for text in said):
        return say("ok")
    return call("look")


WAYS: dict[str, Wire] = {
    "chat": "openai_chat",
    "responses": "openai_responses",
    "anthropic": "anthropic",
}


@every_wire
def test_a_thread_that_was_refused_goes_on_when_media_are_turned_off(
    wire: str, tmp_path: Path
) -> None:
    async def body() -> None:
        async with ScriptedServer(text_only, bodies=True) as server:

            def host(settings: dict[str, ModelSettings]) -> Harness:
                url = server.url if wire == "anthropic" else f"{server.url}/v1"
                house = ProviderSettings(base_url=url, key="none", wire=WAYS[wire])
                return Harness(
                    Agent("tester", model="house:blind", tools=[look]),
                    store=f"sqlite:{tmp_path / 'a.db'}",
                    providers={"house": house},
                    model_settings=settings,
                    environ={},
                )

            async with host({}) as made:
                session = await made.session("ada")
                first = await (await session.send("look"))
                assert isinstance(first, Failed)
                assert first.problem.kind == "bad_request"
                assert ADVICE in first.problem.message
                assert isinstance(await (await session.send("again")), Failed)
            async with host({"house:blind": ModelSettings(media=())}) as made:
                session = await made.session("ada")
                assert await (await session.proceed()) == Finished("ok")
                assert await (await session.send("and now?")) == Finished("ok")
            last = server.requests[-1].body.decode()
            assert "[image seen.png, 20 KB: this model cannot see images]" in last

    run(body())


def test_each_model_of_a_thread_gets_what_it_takes() -> None:
    async def body() -> None:
        async with ScriptedServer(lambda request: say("ok"), bodies=True) as server:
            house = ProviderSettings(base_url=f"{server.url}/v1", key="none")
            made = Harness(
                Agent("tester", model="house:sees"),
                providers={"house": house},
                model_settings={"house:blind": ModelSettings(media=())},
                environ={},
            )
            async with made:
                session = await made.session("ada")
                await (await session.send("look", files=[PNG]))
                await session.switch_model("house:blind")
                await (await session.send("and you?"))
                await session.switch_model("house:sees")
                await (await session.send("still?"))
            sees = [b'"image_url"' in posted.body for posted in server.requests]
            assert sees == [True, False, True]

    run(body())


def test_media_stand_in_the_settings() -> None:
    text = b"""
    [models.local]
    media = ["image"]
    [models."local:blind"]
    media = []
    """
    layers = [parse(text, Path("settings.toml")), parse(b"[models.local]", Path("settings.toml"))]
    settings = merge(layers).model_settings
    assert settings["local"].media == ("image",)
    assert settings["local:blind"].media == ()


def test_media_that_do_not_exist_are_named_with_those_that_do() -> None:
    with pytest.raises(UsageError, match="'movie' is not one of: image, pdf, audio, video"):
        parse(b'[models.local]\nmedia = ["movie"]', Path("settings.toml"))
