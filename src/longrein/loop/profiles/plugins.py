"""Profiles of installed packages: the entry points `longrein.profiles`.

Each names a dict of profiles by key, or a function without arguments that gives one. Whatever is
wrong with one is told and leaves the others alone.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from longrein.loop.profiles.packages import GROUP
from longrein.loop.profiles.registry import Entry, Packaged, entries


@cache
def installed() -> Packaged:
    """What packages bring. They are loaded once in the life of a process."""
    found: list[Entry] = []
    problems: list[str] = []
    for point in sorted(entry_points(group=GROUP), key=lambda one: (_package(one), one.name)):
        package = _package(point)
        try:
            given = point.load()
            found += entries("package", given() if callable(given) else given, package)
        except (Exception, SystemExit) as error:  # protects the harness from any installed package
            what = f"{type(error).__name__}: {error}"
            problems.append(f"Profiles of the package {package} ({point.name}): {what}")
    return Packaged(tuple(found), tuple(problems))


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.module
