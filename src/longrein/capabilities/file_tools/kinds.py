"""What kind of file some bytes are, as far as that matters for showing them to a model."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE

from longrein.core.media import media_type

HEAD = 8_000
"""Bytes at the start of a file that tell its kind."""

TEXT = ""
UNKNOWN = "application/octet-stream"

_BEGINNINGS = (
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x7fELF", "application/x-executable"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
)
_RIFF = {b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_BRANDS = {
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"qt  ": "video/quicktime",
    b"avif": "image/avif",
    b"heic": "image/heic",
    b"mif1": "image/heic",
}
# These begin with what much else can begin with, so the name must agree.
_BY_NAME = {
    ".mp3": (b"\xff", "audio/mpeg"),
    ".aac": (b"\xff", "audio/aac"),
    ".mpg": (b"\0\0\x01", "video/mpeg"),
    ".mpeg": (b"\0\0\x01", "video/mpeg"),
}


def kind_of(head: bytes, name: str) -> str:
    """The media type of a file that begins so; "" for text.

    Told by the content; by the name only where the content leaves it open.

    >>> kind_of(b"%PDF-1.7", "a.txt"), kind_of(b"hello", "a.png"), kind_of(b"\\0\\1", "a")
    ('application/pdf', '', 'application/octet-stream')
    """
    kind = media_type(head)
    if kind not in ("text/plain", UNKNOWN):
        return kind
    if b"\0" not in head or head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return TEXT
    if found := next((kind for begins, kind in _BEGINNINGS if head.startswith(begins)), ""):
        return found
    if head[:4] == b"RIFF" and head[8:12] in _RIFF:
        return _RIFF[head[8:12]]
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "video/mp4")
    begins, kind = _BY_NAME.get(f".{name.rpartition('.')[2].lower()}", (b"", UNKNOWN))
    return kind if head.startswith(begins) else UNKNOWN


def is_shown(kind: str) -> bool:
    """Whether there are models that take such a file as it is."""
    return kind.startswith(("image/", "audio/", "video/")) or kind == "application/pdf"
