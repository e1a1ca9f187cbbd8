"""The folder that a workspace works in: filled at the start of a case, and looked at."""

import os
from collections.abc import Mapping
from pathlib import Path
from zlib import crc32

_LONGEST = 60


def fill(folder: str, files: Mapping[str, str]) -> None:
    """Make a folder with these files."""
    for path, text in files.items():
        file = Path(folder, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def found(folder: str) -> dict[str, str]:
    """Every file in a folder by its path, with its content in short."""
    files = (Path(root, name) for root, _, names in os.walk(folder) for name in names)
    return {str(file.relative_to(folder)): _content(file) for file in sorted(files)}


def brief(data: bytes) -> str:
    """Content that can be told and compared: short ones as they are."""
    text = data.decode("utf-8", "replace")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... {len(data)} {crc32(data):x}"


def is_temporary(path: str) -> bool:
    """Whether this is a file that was being written and has not got its name."""
    name = path.rpartition("/")[2]
    return name.startswith(".longrein-") and name.endswith(".tmp")


def _content(file: Path) -> str:
    try:
        return brief(file.read_bytes())
    except FileNotFoundError:  # a command that is not dead yet may still move it
        return ""
