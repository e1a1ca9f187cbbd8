"""Which shell hooks there are: those of the user, and those of the project that count."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from longrein.capabilities.hooks.spec import Counts, ShellHook
from longrein.core.errors import UsageError
from longrein.core.outcomes import Problem
from longrein.settings.claude_hooks import of_claude
from longrein.settings.hook_content import content_of
from longrein.settings.hook_tables import KIND, HooksTable, SourcedHooks, of_table
from longrein.settings.places import Places
from longrein.settings.project import UNTRUSTED, Gate, ask_about

CHANGED = "it, or a file that it names, has changed since you trusted it (see `longrein trust`)"


class FoundHooks(Struct, frozen=True):
    """The hooks that count, what says whether one still does, and what is wrong with others."""

    hooks: tuple[ShellHook, ...] = ()
    problems: tuple[Problem, ...] = ()
    counts: Counts | None = None


class ProjectHooks(Struct, frozen=True):
    """Hooks that a project brings, and under which path the user's word on them is kept."""

    path: Path
    hooks: tuple[ShellHook, ...]


def find_hooks(places: Places, home: Path, said: Sequence[SourcedHooks], gate: Gate) -> FoundHooks:
    """The hooks of the user, and those of the project that the user has said yes to.

    `gate` is asked about the project's, with every command and what the files have in them that
    it names; it is asked again before each is run, whether the same still holds.
    """
    switch = {"enabled": True, "claude": False}
    for one in said:
        given = {"enabled": one.table.enabled, "claude": one.table.claude}
        switch |= {name: value for name, value in given.items() if value is not None}
    if not switch["enabled"]:
        return FoundHooks()
    hooks, problems = list[ShellHook](), list[Problem]()
    for one in said:
        if one.source != str(places.project_file):
            hooks += of_table(one.table, "user")
    if switch["claude"]:
        hooks += of_claude(home / ".claude" / "settings.json", "user", problems)
    brought = tuple(_brought(places, said, claude=switch["claude"], problems=problems))
    for one in brought:
        try:
            data = content_of(one.hooks, places.project)
        except UsageError as error:
            problems.append(Problem(KIND, f"{one.path}: not used: {error}"))
            continue
        ask_about(one.path, data, gate)
        if gate.verdict(one.path, data):
            hooks += one.hooks
        else:
            problems.append(Problem(KIND, f"{one.path}: {UNTRUSTED}"))
    return FoundHooks(tuple(hooks), tuple(problems), _counting(places, brought, gate))


def project_hooks(places: Places, table: HooksTable, *, claude: bool) -> tuple[ProjectHooks, ...]:
    """What the project brings, by what its settings say and, if asked for, its `.claude` folder."""
    said = (SourcedHooks(str(places.project_file), table),)
    return tuple(_brought(places, said, claude=claude, problems=[]))


def _brought(
    places: Places, said: Iterable[SourcedHooks], *, claude: bool, problems: list[Problem]
) -> Iterator[ProjectHooks]:
    for one in said:
        if one.source == str(places.project_file) and (own := of_table(one.table, "project")):
            yield ProjectHooks(_hooks_in(places.project_file), own)
    path = places.project / ".claude" / "settings.json"
    if claude and (own := tuple(of_claude(path, "project", problems))):
        yield ProjectHooks(_hooks_in(path), own)


def _hooks_in(path: Path) -> Path:
    """Not the path of a file itself, on which the user's word is about all that it says."""
    return path.with_name(f"{path.name}#hooks")


def _counting(places: Places, brought: Sequence[ProjectHooks], gate: Gate) -> Counts:
    def counts(hook: ShellHook) -> str:
        for one in brought:
            if hook in one.hooks:
                try:
                    data = content_of(one.hooks, places.project)
                    return "" if gate.verdict(one.path, data) else CHANGED
                except UsageError as error:  # an agent is at work by then
                    return str(error)
        return ""

    return counts
