"""The file of a custom command: its head says what it is for, its body is what is said."""

import re
import shlex
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.workspace.frontmatter import read_frontmatter

FIELDS = ("description", "argument-hint", "mode")
IGNORED = ("allowed-tools", "disable-model-invocation", "name")
"""What files of other products may have, and what a command can do without."""

LONGEST_DESCRIPTION = 200
_HINT = re.compile(r"^(argument-hint *: *)([\[<{*&!|>%@`].*?) *$", re.MULTILINE)
_PLACE = re.compile(r"\$(\$|ARGUMENTS\b|[1-9](?!\d))")


class Template(Struct, frozen=True):
    """What a command says: `body` with the arguments in their places, in `mode`, if it has one."""

    body: str
    description: str
    hint: str = ""
    mode: str = ""

    def filled(self, arguments: str) -> str:
        """What is said with these arguments. Raises `UsageError` where their quotes are not closed.

        >>> Template("Fix $1 ($ARGUMENTS) for $$5.", "").filled("'a b' c")
        "Fix a b ('a b' c) for $5."
        >>> Template("Say hello.", "").filled("to Ada")
        'Say hello.\\n\\nto Ada'
        """
        arguments = arguments.strip()
        places = {match[1] for match in _PLACE.finditer(self.body)} - {"$"}
        words = _words(arguments) if places - {"ARGUMENTS"} else []

        def put(match: re.Match[str]) -> str:
            if match[1] == "$":
                return "$"
            if match[1] == "ARGUMENTS":
                return arguments
            number = int(match[1])
            return words[number - 1] if number <= len(words) else ""

        said = _PLACE.sub(put, self.body)
        # What somebody typed is not to be lost because the file has no place for it.
        return said if places or not arguments else f"{said}\n\n{arguments}"


def read_template(text: str) -> Template:
    """The command in a file. Raises `UsageError` and `FrontmatterError` that say what to write."""
    head, body = ({}, text.strip()) if not text.startswith("---") else _split(text)
    given = _texts(head)
    if not body:
        raise UsageError("there is nothing to say: write it below the head.")
    first = body.splitlines()[0].lstrip("# ").strip()
    description = " ".join(given.get("description", first).split())
    return Template(
        body,
        description[:LONGEST_DESCRIPTION],
        given.get("argument-hint", ""),
        given.get("mode", ""),
    )


def _split(text: str) -> tuple[dict[str, Any], str]:
    # To YAML this is a list; everybody who writes it means the text.
    quoted = _HINT.sub(
        lambda found: f"{found[1]}'{found[2].replace(chr(39), chr(39) * 2)}'", text, 1
    )
    return read_frontmatter(quoted)


def _texts(head: dict[str, Any]) -> dict[str, str]:
    for key, value in head.items():
        if key == "model":
            raise UsageError(
                "model: a command cannot choose the model. Leave it out, or name a mode that has "
                "this model."
            )
        if key not in (*FIELDS, *IGNORED):
            near = get_close_matches(key, FIELDS, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(FIELDS)}."
            raise UsageError(f"{key} is not a field of a command; {hint}")
        if key in FIELDS and not isinstance(value, str):
            raise UsageError(f"{key} is a text: write it on one line.")
    return {key: value for key, value in head.items() if key in FIELDS}


def _words(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments)
    except ValueError as error:
        raise UsageError(f"These arguments cannot be read: {error}. Close the quote.") from None
