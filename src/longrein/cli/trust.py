"""A project's settings count only after the user said so."""

import os
from argparse import Namespace
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from longrein.cli import exits
from longrein.cli.teller import Teller
from longrein.cli.terminal import DIM, Screen
from longrein.client.words import brief
from longrein.core.errors import UsageError
from longrein.settings import folders
from longrein.settings.hook_content import content_of, lines_of
from longrein.settings.hooks import project_hooks
from longrein.settings.layer import parse_project, read_user
from longrein.settings.places import Places, find_places
from longrein.settings.project import read_bounded
from longrein.settings.trusted import TrustBook

REASON = 300
_RISKS = {
    "settings": "They could send what you say to others, or let tools run without asking you.",
    "hooks": "These commands would run as you, outside of any sandbox, without asking you.",
    "commands": "Using one would tell the agent what is in it, as if you had said it.",
    "skills": "The agent would follow them, and could run the scripts in them.",
    "subagents": "The agent would give them work, and they would follow these instructions.",
}
_FOLDERS = {"agents": "subagents", "commands": "commands", "skills": "skills"}
INSTRUCTIONS = b"AGENTS.md"
"""What the verdict on a folder is about: its instructions, whatever they say from day to day."""


def trust(arguments: Namespace, screen: Screen) -> int:
    """`longrein trust`: use what this project brings, or no longer."""
    places = find_places(Path.cwd(), os.environ)
    brought = list(_brought(places))
    for path, data in brought:
        if path == places.project_file and not arguments.revoke:
            parse_project(data, path)
    used = "are not used any more" if arguments.revoke else "are used now, until they change"
    for path, data in brought:
        TrustBook(places.state).write(path, data, not arguments.revoke)
        screen.say(f"The {_kind(path)} in {path} {used}.")
        if _kind(path) == "hooks" and not arguments.revoke:
            # Whoever trusts settings may not know that they have commands in them.
            for line in lines_of(data):
                screen.say(f"    {line}", strict=True)
    TrustBook(places.state).write(places.project, INSTRUCTIONS, not arguments.revoke)
    used = "are not used any more" if arguments.revoke else "are used now"
    screen.say(f"The instructions in AGENTS.md files of {places.project} {used}.")
    return exits.FINISHED


def _brought(places: Places) -> Iterator[tuple[Path, bytes]]:
    """What the project brings that does not count by itself."""
    if (settings := _read(places.project_file)) is not None:
        yield places.project_file, settings
    yield from _hooks(places, settings or b"")
    for kind in folders.EVERY:
        for path in kind.of_project(places):
            if data := kind.content(places, path):
                yield path, data


def _hooks(places: Places, settings: bytes) -> Iterator[tuple[Path, bytes]]:
    try:
        table = parse_project(settings, places.project_file).hooks
    except UsageError:  # told where these are to count
        return
    claude = bool(read_user(places.user_file).hooks.claude)
    for one in project_hooks(places, table, claude=claude):
        with suppress(UsageError):  # told where these are to count
            yield one.path, content_of(one.hooks, places.project)


def _kind(path: Path) -> str:
    if path.name.endswith("#hooks"):
        return "hooks"
    return "settings" if path.suffix == ".toml" else _FOLDERS[path.name]


def _read(path: Path) -> bytes | None:
    try:
        return read_bounded(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None


class TerminalGate:
    """Whether a project's file counts: as the user said, or says now if there is a terminal."""

    def __init__(self, places: Places, screen: Teller) -> None:
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
        self._screen.say(f"Ignored: {path}: {brief(why, REASON)}", DIM)


def _ask(path: Path, data: bytes, screen: Teller) -> bool:
    headline = f"This project has {_kind(path)} of its own, {path}:"
    lines = lines_of(data) if _kind(path) == "hooks" else _lines(data)
    return screen.confirms(headline, lines, _RISKS[_kind(path)])


def _lines(data: bytes) -> list[str]:
    return data.decode().replace("\r\n", "\n").removesuffix("\n").split("\n")
