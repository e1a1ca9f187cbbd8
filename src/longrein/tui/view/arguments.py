"""The arguments of a tool call as far as they can be read: whole, half written, or no JSON."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

import msgspec

MOST_READ = 64_000
"""Characters of half-written arguments that are read: what names a call stands at the beginning."""

LONGEST_FIELD = 2_000
"""Characters of one argument that is not a text."""

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?P<end>"?)|[{}\[\],]', re.DOTALL)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?$")
_CLOSES = {"{": "}", "[": "]"}


@lru_cache(8)  # a call that is open is told anew in each frame, and its arguments may be long
def read_arguments(text: str) -> Mapping[str, Any]:
    """The arguments by name; of half-written ones those that have begun. Never raises.

    >>> read_arguments('{"path": "a.txt", "content": "one\\\\ntw')
    {'path': 'a.txt', 'content': 'one\\ntw'}
    >>> read_arguments("no JSON")
    {}
    """
    whole = _decoded(text)
    if whole is not None:
        return whole
    for candidate in _completed(text[:MOST_READ]):
        found = _decoded(candidate)
        if found is not None:
            return found
    return {}


def text_of(arguments: Mapping[str, Any], *names: str) -> str:
    """The first of these arguments that is there, as text; empty: none is."""
    for name in names:
        if name in arguments:
            return as_text(arguments[name])
    return ""


def as_text(value: object) -> str:
    """A value for people: a text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)[:LONGEST_FIELD]
    except (ValueError, TypeError, RecursionError):
        return "…"


def _decoded(text: str) -> Mapping[str, Any] | None:
    try:
        value: object = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else None


def _completed(text: str) -> tuple[str, ...]:
    """What the text may come to when all that is open is closed: at its end, before half an escape
    there, at its last comma."""
    stack: list[str] = []
    at_comma = quote = ""
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "{" | "[" as opens:
                stack.append(_CLOSES[opens])
            case "}" | "]":
                if not stack:
                    return ()
                stack.pop()
            case ",":
                at_comma = text[: token.start()] + "".join(reversed(stack))
            case _:
                quote = "" if token["end"] else '"'
    closing = quote + "".join(reversed(stack))
    return (text + closing, _HALF_ESCAPE.sub("", text) + closing, at_comma)
