"""A request as Pydantic AI's messages, parameters and settings.

Loaded only by `longrein.models.pydantic_ai`.
"""

import base64
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias, get_args

import msgspec
from pydantic_ai import messages as theirs
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from longrein.core.messages import (
    Assistant,
    Content,
    Note,
    Reasoning,
    Settled,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.models.base import Media, Request, ToolSpec
from longrein.models.files import SEEN, Files, Formats, Medium, Shown, Words, load_blobs, taken
from longrein.models.wellformed import (
    FILLER,
    NO_OUTPUT,
    arguments,
    call_id,
    clean,
    note_text,
    tool_name,
)

_Heard: TypeAlias = theirs.SystemPromptPart | theirs.UserPromptPart | theirs.ToolReturnPart
_Seen: TypeAlias = (
    str
    | theirs.BinaryContent
    | theirs.ImageUrl
    | theirs.DocumentUrl
    | theirs.AudioUrl
    | theirs.VideoUrl
)
_URLS: dict[
    Media, type[theirs.ImageUrl | theirs.DocumentUrl | theirs.AudioUrl | theirs.VideoUrl]
] = {
    "image": theirs.ImageUrl,
    "pdf": theirs.DocumentUrl,
    "audio": theirs.AudioUrl,
    "video": theirs.VideoUrl,
}
_Outcome: TypeAlias = Literal["success", "failed", "denied", "interrupted"]

_OUTCOMES: dict[Settled, _Outcome] = {
    "ok": "success",
    "declined": "denied",
    "refused": "denied",
    "interrupted": "interrupted",
    "not_run": "interrupted",
    "unknown": "interrupted",
}


_FORMATS: Formats = {
    **SEEN,
    **dict[str, Media].fromkeys(get_args(theirs.AudioMediaType), "audio"),
    **dict[str, Media].fromkeys(get_args(theirs.VideoMediaType), "video"),
}


def formats(model: Model) -> Formats:
    """The media that Pydantic AI can send to the model, as far as it knows."""
    try:
        profile = model.profile
    except NotImplementedError:  # A chain of models has none of its own.
        profile = ModelProfile()
    documents = profile.get("supported_document_media_types", ("application/pdf",))
    sends: dict[Media, bool] = {
        "image": profile.get("supports_image_input", True),
        "pdf": profile.get("supports_document_input", True) and "application/pdf" in documents,
        "audio": profile.get("supports_audio_file_input", True),
        "video": profile.get("supports_video_input", True),
    }
    return {media_type: kind for media_type, kind in _FORMATS.items() if sends[kind]}


async def history(request: Request, provider: str, sent: Formats) -> list[theirs.ModelMessage]:
    """The conversation; reasoning goes back only to the model that made it, at `provider`."""
    blobs = await load_blobs(request.messages, request.load)
    files = Files(blobs, taken(sent, request.settings.media))
    told: list[theirs.ModelMessage] = []
    heard: list[_Heard] = []
    if request.system.strip():
        heard.append(theirs.SystemPromptPart(clean(request.system)))
    for message in request.messages:
        match message:
            case User(parts=parts):
                heard.append(theirs.UserPromptPart(_seen(parts, files) or FILLER))
            case Note():
                heard.append(theirs.UserPromptPart(clean(note_text(message))))
            case ToolResult():
                heard.append(_result(message, files))
            case Assistant():
                spoken = _spoken(message, request.model, provider)
                if spoken.parts:
                    told += [theirs.ModelRequest(heard), spoken] if heard else [spoken]
                    heard = []
    return [*told, theirs.ModelRequest(heard)] if heard else told


def parameters(tools: Iterable[ToolSpec]) -> ModelRequestParameters:
    """The tools as Pydantic AI declares them."""
    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=tool_name(tool.name),
                description=tool.description,
                parameters_json_schema=msgspec.json.decode(tool.schema),
            )
            for tool in tools
        ]
    )


def settings(request: Request) -> ModelSettings:
    """What was asked for, and nothing that was not."""
    asked = request.settings
    chosen = ModelSettings()
    if asked.max_output is not None:
        chosen["max_tokens"] = asked.max_output
    if asked.temperature is not None:
        chosen["temperature"] = asked.temperature
    if asked.effort is not None:
        chosen["thinking"] = False if asked.effort == "none" else asked.effort
    if asked.extra:
        chosen["extra_body"] = dict(asked.extra)
    return chosen


def _spoken(message: Assistant, model: str, provider: str) -> theirs.ModelResponse:
    parts: list[theirs.ModelResponsePart] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                if text.strip():
                    parts.append(theirs.TextPart(clean(text)))
            case ToolCall():
                written = arguments(part.arguments).decode()
                name = tool_name(part.name)
                parts.append(theirs.ToolCallPart(name, written, call_id(part.id)))
            case Reasoning():
                if part.model == model:
                    parts.append(_thought(part, provider))
    return theirs.ModelResponse(parts, provider_name=provider)


def _thought(part: Reasoning, provider: str) -> theirs.ThinkingPart:
    return theirs.ThinkingPart(
        clean(part.text),
        id=part.provider_id or None,
        signature=part.signature or None,
        provider_name=provider,
    )


def _result(message: ToolResult, files: Files) -> theirs.ToolReturnPart:
    seen = _seen(message.parts, files)
    plain = [part for part in seen if isinstance(part, str)]
    return theirs.ToolReturnPart(
        tool_name(message.name),
        seen if len(plain) < len(seen) else "\n".join(plain) or NO_OUTPUT,
        call_id(message.call),
        outcome=_OUTCOMES.get(message.status, "failed"),
    )


def _seen(parts: Sequence[Content], files: Files) -> list[_Seen]:
    seen: list[_Seen] = []
    for part in parts:
        if not isinstance(part, Text):
            seen.append(_shown(files.show(part)))
        elif part.text.strip():
            seen.append(clean(part.text))
    return seen


def _shown(file: Shown) -> _Seen:
    match file:
        case Words(text=text):
            return clean(text)
        case Medium(url=url, kind=kind, media_type=media_type) if url:
            return _URLS[kind](url, media_type=media_type)
        case Medium(data=data, media_type=media_type):
            return theirs.BinaryContent(base64.b64decode(data), media_type=media_type)
