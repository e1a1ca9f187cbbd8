"""What the reference library of the Agent Skills standard says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from skills_ref import parser, validator  # pyright: ignore[reportMissingTypeStubs]

_PARSE = cast("Callable[[str], tuple[dict[str, Any], str]]", vars(parser)["parse_frontmatter"])


def judged(text: str) -> tuple[dict[str, Any], str]:
    """The fields and the body of a SKILL.md as the judge reads them."""
    fields, body = _PARSE(text)
    return dict(fields), body


def against(folder: Path) -> list[str]:
    """All that the judge has against a skill."""
    return validator.validate(folder)
