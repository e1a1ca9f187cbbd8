"""Files on their way to a model: as a picture, as a document, or as words about them."""

import base64
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct

from longrein.core.errors import NotFound
from longrein.core.messages import Assistant, File, Message, Note

Blobs: TypeAlias = Mapping[str, bytes | None]
"""The bytes of each blob; None where the store no longer has it."""

_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_DOCUMENT = "application/pdf"
_READABLE = frozenset({"application/json", "application/xml", "application/yaml"})


class Words(Struct, frozen=True):
    """A file that is told in text."""

    text: str


class Picture(Struct, frozen=True):
    """An image: base64 `data`, or a `url`."""

    media_type: str
    data: str = ""
    url: str = ""

    @property
    def address(self) -> str:
        """A URL either way."""
        return self.url or f"data:{self.media_type};base64,{self.data}"


class Document(Picture, frozen=True):
    """A PDF, with the name it goes by."""

    name: str = ""


Shown: TypeAlias = Words | Picture | Document


async def load_blobs(
    messages: Iterable[Message], load: Callable[[str], Awaitable[bytes]]
) -> dict[str, bytes | None]:
    """The bytes of every blob that `messages` name."""
    blobs: dict[str, bytes | None] = {}
    for message in messages:
        if isinstance(message, Assistant | Note):
            continue
        for part in message.parts:
            if isinstance(part, File) and part.blob and part.blob not in blobs:
                try:
                    blobs[part.blob] = await load(part.blob)
                except NotFound:
                    blobs[part.blob] = None
    return blobs


def show(file: File, blobs: Blobs) -> Shown:
    """How a file is shown: pictures and PDFs as they are, text as text, all else as a note."""
    kind = file.media_type.partition(";")[0].strip().lower()
    if file.blob:
        data = blobs.get(file.blob)
        if data is None:
            return Words(f"[{_called(file)} is no longer available]")
        if kind in _PICTURES:
            return Picture(kind, base64.b64encode(data).decode())
        if kind == _DOCUMENT:
            return Document(kind, base64.b64encode(data).decode(), name=file.name or "file.pdf")
        if kind.startswith("text/") or kind in _READABLE:
            return Words(f"[{_called(file)}]\n{data.decode('utf-8', 'replace')}")
    elif file.url.startswith(("http://", "https://")):
        if kind in _PICTURES:
            return Picture(kind, url=file.url)
        if kind == _DOCUMENT:
            return Document(kind, url=file.url, name=file.name or "file.pdf")
        return Words(f"[{_called(file)} is at {file.url}]")
    return Words(f"[{_called(file)} cannot be shown to this model]")


def _called(file: File) -> str:
    name = f' "{file.name}"' if file.name else ""
    return f"file{name} of type {file.media_type or 'unknown'}"
