"""The Python blocks of the documentation."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
NOT_RUN = "<!-- not run:"
"""A line with this and a reason, right above a block, keeps it from being run."""

_BLOCK = re.compile(r"(?P<before>[^\n]*\n)?```python\n(?P<code>.*?)```", re.DOTALL)


def pages() -> list[Path]:
    """Every page of documentation."""
    return [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


def python_blocks(page: Path) -> list[str]:
    """The blocks of a page that are run."""
    return [
        block["code"]
        for block in _BLOCK.finditer(page.read_text(encoding="utf-8"))
        if not (block["before"] or "").startswith(NOT_RUN)
    ]
