"""A project's settings count only after the user said so."""

import os
from argparse import Namespace
from pathlib import Path

from longrein.cli import exits
from longrein.cli.terminal import BOLD, DIM, Screen
from longrein.core.errors import UsageError
from longrein.settings.layer import parse_project
from longrein.settings.places import Places, find_places
from longrein.settings.project import read_bounded
from longrein.settings.trusted import TrustBook

REASON = 300


def trust(arguments: Namespace, screen: Screen) -> int:
    """`longrein trust`: let the settings of this project count, or no longer."""
    places = find_places(Path.cwd(), os.environ)
    path = places.project_file
    data = _read(path)
    if not arguments.revoke:
        parse_project(data, path)
    TrustBook(places.state).write(path, data, not arguments.revoke)
    counts = "no longer count" if arguments.revoke else "count now, until they change"
    screen.say(f"The settings in {path} {counts}.")
    return exits.FINISHED


def _read(path: Path) -> bytes:
    try:
        return read_bounded(path)
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"There is no {path}; this project has no settings.") from None
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
    screen.say(f"This project brings settings of its own, {path}:", BOLD)
    for line in data.decode().splitlines():
        screen.say(f"    {line}", strict=True)
    screen.say("They could send what you say elsewhere, or let tools run unasked.")
    screen.say("Let them count? You are asked once. [y/N] ", end="")
    screen.drain()
    try:
        return input().strip().lower() in ("y", "yes")
    except EOFError:
        return False
