"""A skill as the Agent Skills standard (agentskills.io) has it, and what can be wrong with one."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, TypeAlias, cast

from longrein.capabilities.skills.allowed import allowance, split_tools
from longrein.core.errors import UsageError
from longrein.workspace.frontmatter import FrontmatterError, read_frontmatter

Origin: TypeAlias = Literal["built-in", "user", "project", "code"]
"""Where a skill comes from, the weakest first."""

FILE = "SKILL.md"
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1_024
LONGEST_COMPATIBILITY = 500
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")


@dataclass(frozen=True, slots=True)
class Skill:
    """Instructions for a kind of work.

    `description` tells the model what the skill does and when to load it; `body` is what it then
    reads. While it is active, only `allowed_tools` may be used; none: all. `folder` is where its
    files are; empty: it has none.

    Raises `UsageError` for what the standard does not allow.

    >>> from longrein import Skill
    >>> Skill("release-notes", "Write release notes. Use before a release.", "Be brief.").name
    'release-notes'
    """

    name: str
    description: str
    body: str = ""
    _: KW_ONLY
    license: str = ""
    compatibility: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    allowed_tools: Sequence[str] = ()
    folder: str = ""
    origin: Origin = "code"

    def __post_init__(self) -> None:
        given = {"name": self.name, "description": self.description, "metadata": self.metadata}
        given |= {"license": self.license}
        given |= {"compatibility": self.compatibility} if self.compatibility else {}
        given |= {"allowed-tools": self.allowed_tools} if self.allowed_tools else {}
        if wrong := list(problems_of(given)):
            raise UsageError(f"This cannot be a skill: {' '.join(wrong)}")
        object.__setattr__(self, "allowed_tools", split_tools(self.allowed_tools))


def read_skill(text: str, named: str, folder: str = "", origin: Origin = "code") -> Skill:
    """The skill in a `SKILL.md` whose folder is `named` so. Raises `UsageError` with all that is
    wrong."""
    try:
        fields, body = read_frontmatter(text)
    except FrontmatterError as error:
        raise UsageError(str(error)) from None
    if wrong := list(problems_of(fields, named)):
        raise UsageError(" ".join(wrong))
    return Skill(
        _normal(fields["name"]),
        fields["description"].strip(),
        body,
        license=fields.get("license", ""),
        compatibility=fields.get("compatibility", ""),
        metadata=fields.get("metadata") or {},
        allowed_tools=split_tools(fields.get("allowed-tools", ())),
        folder=folder,
        origin=origin,
    )


def problems_of(fields: Mapping[str, Any], named: str | None = None) -> Iterator[str]:
    """Everything that the standard says against these fields, `named`: of a folder with that name.

    >>> list(problems_of({"name": "pdf", "description": "Reads PDF files."}, "pdf"))
    []
    """
    for unknown in sorted(fields.keys() - set(FIELDS)):
        yield f"The standard has no field {unknown!r}: put it below metadata."
    yield from _name(fields.get("name"), named)
    yield from _text("description", fields.get("description"), LONGEST_DESCRIPTION)
    if "license" in fields and not isinstance(fields["license"], str):
        yield "license is a text."
    if "compatibility" in fields:
        yield from _text("compatibility", fields["compatibility"], LONGEST_COMPATIBILITY)
    if fields.get("metadata", "") != "":
        yield from _metadata(fields["metadata"])
    if "allowed-tools" in fields:
        yield from _tools(fields["allowed-tools"])


def _name(name: Any, named: str | None) -> Iterator[str]:
    if not isinstance(name, str) or not name.strip():
        yield "name is missing."
        return
    if name != name.strip():
        yield "name has blanks around it."
    name = _normal(name)
    if len(name) > LONGEST_NAME:
        yield f"name has {len(name)} characters; at most {LONGEST_NAME}."
    if name != name.lower() or not all(letter.isalnum() or letter == "-" for letter in name):
        yield f"name {name!r} has others than lower case letters, digits and hyphens."
    if name.startswith("-") or name.endswith("-") or "--" in name:
        yield f"name {name!r} has a hyphen at an end, or two in a row."
    if named is not None and _normal(named) != name:
        yield f"name is {name!r}, but its folder is called {named!r}: they must be the same."


def _text(what: str, text: Any, longest: int) -> Iterator[str]:
    if not isinstance(text, str) or not text.strip():
        yield f"{what} is missing or empty."
    elif len(text) > longest:
        yield f"{what} has {len(text):,} characters; at most {longest:,}."


def _metadata(metadata: Any) -> Iterator[str]:
    if not isinstance(metadata, Mapping):
        yield "metadata is a mapping from texts to texts."
        return
    for key, value in cast("Mapping[Any, Any]", metadata).items():
        if not isinstance(key, str) or not isinstance(value, str):
            yield f"metadata is a mapping from texts to texts; {key!r} is none."


def _tools(given: Any) -> Iterator[str]:
    try:
        tools = split_tools(given)
        for tool in tools:
            allowance(tool)
    except UsageError as error:
        yield str(error)
        return
    if not tools:
        yield "allowed-tools is empty: leave it out, or name the tools."


def _normal(name: str) -> str:
    return unicodedata.normalize("NFKC", name.strip())
