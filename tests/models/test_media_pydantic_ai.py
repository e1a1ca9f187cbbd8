"""What of a thread's files goes to a model of Pydantic AI."""

from functools import cached_property
from typing import cast

import pytest
from pydantic_ai import exceptions
from pydantic_ai import messages as theirs
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.profiles import ModelProfile

from longrein.core.errors import BadRequest, ModelError
from longrein.core.messages import Assistant, File, Text, ToolCall, ToolResult, User
from longrein.models.base import Delta, Media, ModelSettings, Request
from longrein.models.pydantic_ai import PydanticAIModel
from longrein.testing import Reply, Script, say
from tests.models_extra.told import ToldModel
from tests.support import run

PICTURE = File("image/png", blob="picture", name="cat.png")
PAPER = File("application/pdf", blob="paper", name="paper.pdf")
SONG = File("audio/ogg", blob="song", name="song.ogg")
FILM = File("video/mp4", url="https://x.org/film.mp4", name="film.mp4")
NO_PICTURE = "[image cat.png, 1 KB: this model cannot see images]"
NO_PAPER = "[PDF paper.pdf, 1 KB: this model cannot read PDFs]"
NO_SONG = "[audio song.ogg, 1 KB: this model cannot hear audio]"
NO_FILM = "[video film.mp4 at https://x.org/film.mp4: this model cannot watch videos]"
ADVICE = "set media = [] for it in the settings"


class Limited(ToldModel):
    """A model of which Pydantic AI knows that it takes pictures and nothing else."""

    @cached_property
    def profile(self) -> ModelProfile:
        return ModelProfile(
            supports_document_input=False,
            supports_audio_file_input=False,
            supports_video_input=False,
        )


def told() -> ToldModel:
    return ToldModel(Script(otherwise=say("fine")))


async def load(blob: str) -> bytes:
    return blob.encode()


async def listen(
    model: PydanticAIModel, *files: File, media: tuple[Media, ...] | None
) -> list[Delta]:
    messages = (
        User(files),
        Assistant((ToolCall("call_1", "look", "{}"),)),
        ToolResult("call_1", "look", (Text("seen:"), *files)),
    )
    asked = Request("told:model", "", (), messages, load, ModelSettings(media=media))
    return [delta async for delta in model.stream(asked)]


def sent(model: ToldModel, *files: File, media: tuple[Media, ...] | None) -> list[str]:
    """What the files of a user became: a note, or the media type of what was sent."""
    run(listen(PydanticAIModel(model), *files, media=media))
    first, _, last = model.seen[0]
    said, result = first.parts[-1], last.parts[0]
    assert isinstance(said, theirs.UserPromptPart)
    assert isinstance(result, theirs.ToolReturnPart)
    found = [_name(part) for part in said.content]
    # A result holds the same; of nothing but text it is one text.
    if isinstance(result.content, str):
        assert result.content.split("\n") == ["seen:", *found]
    else:
        assert [_name(part) for part in cast("list[object]", result.content)] == ["seen:", *found]
    return found


def _name(part: object) -> str:
    return part if isinstance(part, str) else getattr(part, "media_type", "")


def test_images_and_pdfs_are_sent_where_nothing_is_said() -> None:
    found = sent(told(), PICTURE, PAPER, SONG, FILM, media=None)
    assert found == ["image/png", "application/pdf", NO_SONG, NO_FILM]


def test_what_a_model_does_not_take_is_a_note_in_its_place() -> None:
    assert sent(told(), PICTURE, PAPER, media=()) == [NO_PICTURE, NO_PAPER]


def test_audio_and_video_are_sent_where_they_are_named() -> None:
    found = sent(told(), PICTURE, SONG, FILM, media=("audio", "video"))
    assert found == [NO_PICTURE, "audio/ogg", "video/mp4"]


@pytest.mark.parametrize("media", [None, ("image", "pdf", "audio", "video")])
def test_what_pydantic_ai_cannot_send_is_a_note(media: tuple[Media, ...] | None) -> None:
    model = Limited(Script(otherwise=say("fine")))
    found = sent(model, PICTURE, PAPER, SONG, FILM, media=media)
    assert found == ["image/png", NO_PAPER, NO_SONG, NO_FILM]


def test_a_chain_of_models_without_a_profile_is_sent_what_is_taken() -> None:
    model = told()
    run(listen(PydanticAIModel(FallbackModel(model, told())), PICTURE, media=None))
    said = model.seen[0][0].parts[-1]
    assert isinstance(said, theirs.UserPromptPart)
    assert isinstance(said.content[0], theirs.BinaryContent)


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (exceptions.ModelHTTPError(400, "m", "text only"), BadRequest),
        (NotImplementedError("no such content"), ModelError),
    ],
)
def test_a_refused_request_with_files_says_what_to_do(
    raised: Exception, kind: type[ModelError]
) -> None:
    def fails(asked: Request) -> Reply:
        raise raised

    async def asked(media: tuple[Media, ...] | None) -> str:
        with pytest.raises(ModelError) as caught:
            await listen(PydanticAIModel(ToldModel(fails)), PICTURE, media=media)
        assert type(caught.value) is kind
        return str(caught.value)

    assert ADVICE in run(asked(None))
    assert ADVICE not in run(asked(()))
