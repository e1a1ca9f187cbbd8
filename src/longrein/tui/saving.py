"""Where a file goes that a person asked for."""

import os
import re
from pathlib import Path
from typing import Literal, TypeAlias, get_args

Format: TypeAlias = Literal["markdown", "json"]
FORMATS: tuple[Format, ...] = get_args(Format)

ENDINGS: dict[Format, str] = {"markdown": ".md", "json": ".json"}
LONGEST = 60
_OTHER = re.compile(r"[\W_]+")


def file_name(title: str, thread: str, format: Format) -> str:
    """A name for the export of a thread: letters, digits and dashes, whatever its title.

    >>> file_name("Fix: ../the *parser*", "thr_1", "markdown")
    'fix-the-parser.md'
    """
    name = _OTHER.sub("-", title.lower())[:LONGEST].strip("-")
    return f"{name or thread}{ENDINGS[format]}"


def target(folder: str, typed: str, name: str) -> Path:
    """Where what was typed leads, seen from `folder`; for a folder, the file `name` in it.

    Where the agent works on something that is no folder here, it is seen from where we are.
    """
    path = Path(folder if os.path.isdir(folder) else "", os.path.expanduser(typed.strip()))
    return path / name if path.is_dir() else path
