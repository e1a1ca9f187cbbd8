"""Who says something: the user, the project, the environment, the flags."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.settings.layer import Layer, read_environment, read_user
from longrein.settings.places import Places
from longrein.settings.project import Gate
from longrein.settings.project_file import read_project

Kind: TypeAlias = Literal["user", "project", "environment", "flags"]


class Source(Struct, frozen=True):
    """One of them, what people know it by, and what it says."""

    kind: Kind
    name: str
    layer: Layer


def read_sources(
    places: Places, environ: Mapping[str, str], flags: Layer, gate: Gate
) -> tuple[Source, ...]:
    """All of them, the weakest first. Raises `UsageError` that says where something is wrong."""
    return (
        Source("user", str(places.user_file), read_user(places.user_file)),
        Source("project", str(places.project_file), read_project(places.project_file, gate)),
        Source("environment", "the environment", read_environment(environ, Path.cwd())),
        Source("flags", "the flags", flags),
    )
