"""A project's settings count only after the user said so."""

import os
from argparse import Namespace
from pathlib import Path

from longrein.cli import exits
from longrein.cli.terminal import BOLD, DIM, Screen
from longrein.core.errors import UsageError
from longrein.settings.layer import parse_project
from longrein.settings.merge import MayCount
from longrein.settings.places import Places, find_places
from longrein.settings.trusted import TrustBook


def trust(arguments: Namespace, screen: Screen) -> int:
    """`longrein trust`: let the settings of this project count, or no longer."""
    places = find_places(Path.cwd(), os.environ)
    path = places.project_file
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"There is no {path}; this project has no settings.") from None
    parse_project(data, path)
    TrustBook(places.state).write(path, data, not arguments.revoke)
    counts = "no longer count" if arguments.revoke else "count now, until they change"
    screen.say(f"The settings in {path} {counts}.")
    return exits.FINISHED


def asks_to_trust(places: Places, screen: Screen) -> MayCount:
    """Whether a project's file counts: as the user said, or says now if there is a terminal."""
    book = TrustBook(places.state)

    def may_count(path: Path, data: bytes) -> bool:
        verdict = book.verdict(path, data)
        if verdict is None and screen.interactive:
            verdict = _ask(path, data, screen)
            book.write(path, data, verdict)
        if not verdict:
            screen.say(f"Ignored, because not trusted: {path} (see `longrein trust`)", DIM)
        return bool(verdict)

    return may_count


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
