"""What the user and the project add to the agent of the command line: hooks and commands."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from longrein.capabilities.base import Capability
from longrein.capabilities.custom_commands.capability import CustomCommands
from longrein.capabilities.hooks.capability import ShellHooks
from longrein.cli.keys import keys_of
from longrein.core.redact import SHORTEST
from longrein.models.keys import secrets
from longrein.settings.folders import COMMANDS
from longrein.settings.hooks import find_hooks
from longrein.settings.merge import Settings
from longrein.settings.places import Places
from longrein.settings.project import Gate
from longrein.tui import commands

BUILT_IN = frozenset(command.name for command in commands.COMMANDS)
"""Names of commands that nobody else may have: people rely on what they do."""


def extensions(
    places: Places, settings: Settings, gate: Gate, others: Iterable[Capability]
) -> tuple[Capability, ...]:
    """The shell hooks and the custom commands that count here."""
    home = Path.home()
    found = find_hooks(places, home, settings.hooks, gate)
    hooks = ShellHooks(
        found.hooks,
        folder=places.project,
        environ=without_keys(secrets(settings.providers, os.environ, keys_of(places)), os.environ),
        counts=found.counts,
        problems=found.problems,
    )
    taken = {command.name for one in others for command in one.commands()}
    folders = COMMANDS.folders(places, home, gate)
    return hooks, CustomCommands(folders, taken=taken | BUILT_IN)


def without_keys(known: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """The variables without those that have a known key in them, whatever they are called and
    whatever stands around it.

    >>> without_keys({"KEY": "sk-123456789"}, {"HEADER": "Bearer sk-123456789", "HOME": "/"})
    {'HOME': '/'}
    """
    # A value that is too short to be a key would be found everywhere by accident.
    keys = [value for value in known.values() if len(value) >= SHORTEST]
    return {
        name: value
        for name, value in environ.items()
        if name not in known and not any(key in value for key in keys)
    }
