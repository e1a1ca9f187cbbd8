"""What a docstring says about a function and about each of its parameters."""

import re
from inspect import cleandoc
from typing import NamedTuple

_SECTION = re.compile(r"(args|arguments|parameters):", re.IGNORECASE)
_ENTRY = re.compile(r"\*{0,2}(?P<name>\w+)\s*(\([^)]*\))?\s*:\s*(?P<text>.*)")
_FIELD = re.compile(r":param\s+(?:\S+\s+)?(?P<name>\w+)\s*:\s*(?P<text>.*)")
_TYPE_FIELD = re.compile(r":(type|rtype)\b")


class Docs(NamedTuple):
    """The description, without the part about parameters, and that part by parameter."""

    description: str
    parameters: dict[str, str]


def read_docstring(text: str) -> Docs:
    """Split a docstring; knows Google's `Args:` and Sphinx's `:param name:`."""
    kept: list[str] = []
    found: dict[str, list[str]] = {}
    lines = cleandoc(text).splitlines()
    position = 0
    while position < len(lines):
        line = lines[position]
        if _SECTION.fullmatch(line.strip()):
            position = _read_section(lines, position + 1, found)
        elif field := _FIELD.match(line):
            position = _read_field(lines, position + 1, field, found)
        else:
            if not _TYPE_FIELD.match(line):
                kept.append(line)
            position += 1
    description = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
    return Docs(description, {name: " ".join(words).strip() for name, words in found.items()})


def _read_section(lines: list[str], position: int, found: dict[str, list[str]]) -> int:
    """Read the entries of an indented section; returns where it ends."""
    entry_indent = 0
    words: list[str] | None = None
    while position < len(lines):
        line = lines[position]
        indent = len(line) - len(line.lstrip())
        if line.strip() and indent == 0:
            break
        entry_indent = entry_indent or indent
        entry = _ENTRY.fullmatch(line.strip())
        if entry and indent == entry_indent:
            words = found.setdefault(entry["name"], [])
            words.append(entry["text"])
        elif words is not None and line.strip():
            words.append(line.strip())
        position += 1
    return position


def _read_field(
    lines: list[str], position: int, field: re.Match[str], found: dict[str, list[str]]
) -> int:
    """Read a `:param` field with the indented lines that go on with it; returns where it ends."""
    words = found.setdefault(field["name"], [])
    words.append(field["text"])
    while position < len(lines) and lines[position].startswith((" ", "\t")):
        words.append(lines[position].strip())
        position += 1
    return position
