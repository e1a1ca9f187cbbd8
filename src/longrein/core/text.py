"""Text that every store, provider and terminal accepts."""

from typing import Any, cast


def clean(text: str) -> str:
    """The text with U+FFFD for every lone surrogate, which no JSON, file or terminal can hold."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def printable(text: str) -> str:
    """The text on one line, without anything that moves a cursor or hides a part of it.

    >>> printable("a\\nb\\x1b[2J")
    'a\\\\nb\\\\x1b[2J'
    """
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )


def mended(value: Any) -> Any:
    """The same value, made of dicts, lists and so on, with all its text cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {mended(k): mended(v) for k, v in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [mended(item) for item in cast("list[Any]", value)]
    return value
