"""A project's settings count only after the user said so."""

import os
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from longrein.cli import exits
from longrein.cli.terminal import BOLD, DIM, Screen
from longrein.core.errors import UsageError
from longrein.settings.agents import content as agent_content
from longrein.settings.agents import project_folders
from longrein.settings.layer import parse_project
from longrein.settings.places import Places, find_places
from longrein.settings.project import read_bounded
from longrein.settings.skills import content as skill_content
from longrein.settings.skills import project_skills
from longrein.settings.trusted import TrustBook

REASON = 300
_RISKS = {
    "settings": "They could send what you say elsewhere, or let tools run unasked.",
    "skills": "The agent would follow them, and run the scripts that they bring.",
    "subagents": "The agent would give them work, and their instructions would be followed.",
}
INSTRUCTIONS = b"AGENTS.md"
"""What the verdict on a folder is about: its instructions, whatever they say from day to day."""


def trust(arguments: Namespace, screen: Screen) -> int:
    """`longrein trust`: let what this project brings count, or no longer."""
    places = find_places(Path.cwd(), os.environ)
    brought = list(_brought(places))
    for path, data in brought:
        if path == places.project_file and not arguments.revoke:
            parse_project(data, path)
    counts = "no longer count" if arguments.revoke else "count now, until they change"
    for path, data in brought:
        TrustBook(places.state).write(path, data, not arguments.revoke)
        screen.say(f"The {_kind(path)} in {path} {counts}.")
    TrustBook(places.state).write(places.project, INSTRUCTIONS, not arguments.revoke)
    counts = "no longer count" if arguments.revoke else "count now"
    screen.say(f"The instructions in AGENTS.md files of {places.project} {counts}.")
    return exits.FINISHED


def _brought(places: Places) -> Iterator[tuple[Path, bytes]]:
    """What the project brings that does not count by itself."""
    if (settings := _read(places.project_file)) is not None:
        yield places.project_file, settings
    for path in project_folders(places):
        if agents := agent_content(places, path):
            yield path, agents
    for path in project_skills(places):
        if skills := skill_content(places, path):
            yield path, skills


def _kind(path: Path) -> str:
    if path.suffix == ".toml":
        return "settings"
    return "skills" if path.name == "skills" else "subagents"


def _read(path: Path) -> bytes | None:
    try:
        return read_bounded(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None


class TerminalGate:
    """Whether a project's file counts: as the user said, or says now if there is a terminal."""

    def __init__(self, places: Places, screen: Screen) -> None:
        self._book = TrustBook(places.state)
        self._screen = screen

    def verdict(self, path: Path, data: bytes) -> bool | None:
        return self._book.verdict(path, data)

    def ask(self, path: Path, data: bytes) -> bool:
        if not self._screen.interactive:
            return False
        trusted = _ask(path, data, self._screen)
        self._book.write(path, data, trusted)
        return trusted

    def ignored(self, path: Path, why: str) -> None:
        # The reason may quote the file, which could hold anything: it stays one short line.
        line = " ".join(why.split())
        line = line if len(line) <= REASON else f"{line[:REASON]}..."
        self._screen.say(f"Ignored: {path}: {line}", DIM)


def _ask(path: Path, data: bytes, screen: Screen) -> bool:
    screen.say(f"This project brings {_kind(path)} of its own, {path}:", BOLD)
    for line in data.decode().splitlines():
        screen.say(f"    {line}", strict=True)
    screen.say(_RISKS[_kind(path)])
    screen.say("Let them count? You are asked once. [y/N] ", end="")
    return said_yes(screen)


def said_yes(screen: Screen) -> bool:
    """What the user answers to what was just asked."""
    screen.drain()
    try:
        return input().strip().lower() in ("y", "yes")
    except EOFError:
        return False
