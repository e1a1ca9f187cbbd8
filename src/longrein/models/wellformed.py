"""Small total functions: whatever comes in, out comes what the strictest provider accepts."""

import hashlib
import json
import re
from typing import Any, cast

import msgspec

from longrein.core.messages import Note

FILLER = "(continue)"
"""Stands where a provider insists on a user's turn and nobody said anything."""

NO_OUTPUT = "(no output)"

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_CALL_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")
_TAG = re.compile(r"<(?=\s*/?\s*note\b)", re.IGNORECASE)
_SOURCE = re.compile(r"[^\w.:/ -]")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def encode(value: Any) -> bytes:
    """`value` as JSON; lone surrogates, which are not text, become U+FFFD."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encode(scrub(value))


def clean(text: str) -> str:
    """`text` with lone surrogates replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def scrub(value: Any) -> Any:
    """`value`, a tree of plain JSON values, with every text in it cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        return {clean(key): scrub(entry) for key, entry in entries.items()}
    if isinstance(value, list):
        return [scrub(entry) for entry in cast("list[Any]", value)]
    return value


def arguments(raw: str) -> bytes:
    """A tool call's arguments as a JSON object; what is none is kept under `invalid_json`."""
    if not raw.strip():
        return b"{}"
    try:
        data = raw.encode()
        if isinstance(_decode(data), dict):
            return data
    except (ValueError, RecursionError):
        mended = _mended(raw)
        if mended is not None:
            return mended
    return encode({"invalid_json": raw})


def _mended(raw: str) -> bytes | None:
    # msgspec refuses lone surrogates and NaN, which models do write; the standard library reads
    # them.
    try:
        value = json.loads(raw)
        return encode(value) if isinstance(value, dict) else None
    except (ValueError, RecursionError, OverflowError):
        return None


def tool_name(name: str) -> str:
    """A tool's name in the letters that every provider allows."""
    return _NAME.sub("_", name)[:64] or "tool"


def call_id(id: str) -> str:
    """Our id of a call where providers accept it, else a digest of it."""
    return id if _CALL_ID.fullmatch(id) else "call_" + _digest(id).hex()


def short_call_id(id: str) -> str:
    """Nine letters and digits that stand for a call, the same on every request."""
    number = int.from_bytes(_digest(id), "big")
    letters: list[str] = []
    for _ in range(9):
        number, digit = divmod(number, 36)
        letters.append(_DIGITS[digit])
    return "".join(letters)


def _digest(id: str) -> bytes:
    return hashlib.blake2b(id.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def note_text(note: Note) -> str:
    """A note as text in a tag that nothing inside of it can close."""
    source = f' source="{_SOURCE.sub("_", note.source)}"' if note.source else ""
    return f"<note{source}>\n{_TAG.sub('&lt;', note.text)}\n</note>"
