"""Files on their way to a model: as media that it takes, or as words in their place."""

import base64
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct

from longrein.core.errors import NotFound
from longrein.core.messages import Assistant, File, Message, Note
from longrein.models.base import Media, Request

Blobs: TypeAlias = Mapping[str, bytes | None]
"""The bytes of each blob; None where the store no longer has it."""

Formats: TypeAlias = Mapping[str, Media]
"""Media types that can be sent as they are, and what each of them is."""

SEEN: Formats = {
    "image/png": "image",
    "image/jpeg": "image",
    "image/gif": "image",
    "image/webp": "image",
    "application/pdf": "pdf",
}
"""What every wire has a shape for."""

_BY_DEFAULT: tuple[Media, ...] = ("image", "pdf")
_KINDS: dict[str, Media] = {
    "image": "image",
    "application/pdf": "pdf",
    "audio": "audio",
    "video": "video",
}
_CANNOT: dict[Media, tuple[str, str]] = {
    "image": ("image", "see images"),
    "pdf": ("PDF", "read PDFs"),
    "audio": ("audio", "hear audio"),
    "video": ("video", "watch videos"),
}
_READABLE = frozenset({"application/json", "application/xml", "application/yaml"})


class Words(Struct, frozen=True):
    """A file that is told in text."""

    text: str


class Medium(Struct, frozen=True):
    """A file that is sent as it is: base64 `data`, or a `url`."""

    kind: Media
    media_type: str
    data: str = ""
    url: str = ""
    name: str = ""

    @property
    def address(self) -> str:
        """A URL either way."""
        return self.url or f"data:{self.media_type};base64,{self.data}"


Shown: TypeAlias = Words | Medium


class Files(Struct, frozen=True):
    """The bytes of files, and the formats that are sent as they are."""

    blobs: Blobs
    formats: Formats

    def show(self, file: File) -> Shown:
        """How a file is shown: media that are taken as they are, text as text, else a note."""
        media_type = _media_type(file)
        data = self.blobs.get(file.blob) if file.blob else None
        if file.blob and data is None:
            return Words(f"[{_called(file)} is no longer available]")
        if data == b"":
            return Words(f"[{_called(file)} is empty]")
        url = file.url if file.url.startswith(("http://", "https://")) else ""
        if data is None and not url:
            return Words(f"[{_called(file)} cannot be shown to this model]")
        if kind := self.formats.get(media_type):
            name = file.name or ("file.pdf" if kind == "pdf" else "")
            if data is None:
                return Medium(kind, media_type, url=url, name=name)
            return Medium(kind, media_type, base64.b64encode(data).decode(), name=name)
        if data is not None and (media_type.startswith("text/") or media_type in _READABLE):
            return Words(f"[{_called(file)}]\n{data.decode('utf-8', 'replace')}")
        return Words(self._note(file, f" at {url}" if data is None else f", {_size(data)}"))

    def _note(self, file: File, where: str) -> str:
        media_type = _media_type(file)
        kind = _KINDS.get(media_type) or _KINDS.get(media_type.partition("/")[0])
        if kind is None:
            return f"[{_called(file)}{where}: it cannot be shown to this model]"
        what, cannot = _CANNOT[kind]
        # Where others of its kind are taken, it is the format that is not.
        only = f" of type {media_type}" if kind in self.formats.values() else ""
        return f"[{what}{file.name and f' {file.name}'}{where}: this model cannot {cannot}{only}]"


def taken(formats: Formats, media: tuple[Media, ...] | None) -> Formats:
    """Those of `formats` that a model takes whose settings say `media`."""
    named = _BY_DEFAULT if media is None else media
    return {media_type: kind for media_type, kind in formats.items() if kind in named}


def advice(request: Request, formats: Formats) -> str:
    """What to do where `request` was refused: empty unless media of `formats` were in it."""
    takes = taken(formats, request.settings.media)
    sent = {takes.get(_media_type(file)) for file in _files(request.messages)}
    kinds = [kind for kind in _CANNOT if kind in sent]
    if not kinds:
        return ""
    return (
        f"The request had files in it ({', '.join(kinds)}): if this model cannot take them, set "
        "media = [] for it in the settings, or name there what it can take."
    )


async def load_blobs(
    messages: Iterable[Message], load: Callable[[str], Awaitable[bytes]]
) -> dict[str, bytes | None]:
    """The bytes of every blob that `messages` name."""
    blobs: dict[str, bytes | None] = {}
    for file in _files(messages):
        if file.blob and file.blob not in blobs:
            try:
                blobs[file.blob] = await load(file.blob)
            except NotFound:
                blobs[file.blob] = None
    return blobs


def _files(messages: Iterable[Message]) -> Iterator[File]:
    for message in messages:
        if not isinstance(message, Assistant | Note):
            yield from (part for part in message.parts if isinstance(part, File))


def _media_type(file: File) -> str:
    return file.media_type.partition(";")[0].strip().lower()


def _called(file: File) -> str:
    name = f' "{file.name}"' if file.name else ""
    return f"file{name} of type {file.media_type or 'unknown'}"


def _size(data: bytes) -> str:
    return f"{max(1, round(len(data) / 1024)):,} KB"
