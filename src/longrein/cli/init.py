"""`longrein init`: a settings file in which every setting is explained."""

import os
from argparse import Namespace
from pathlib import Path

from longrein.cli import exits
from longrein.cli.own_files import OwnFile
from longrein.cli.terminal import Screen
from longrein.core.errors import UsageError
from longrein.settings.places import find_places
from longrein.settings.template import template


def init(arguments: Namespace, screen: Screen) -> int:
    """Write the user's file, or the project's; one that is there stays, or is kept beside it."""
    places = find_places(Path.cwd(), os.environ)
    file = OwnFile(places, project=arguments.project)
    with file.alone():
        old = file.read()
        if old is not None and not arguments.force:
            raise UsageError(
                f"{file.path} is there already. `longrein config` shows what holds; --force "
                "writes a new one and keeps the old one beside it."
            )
        if old is not None:
            screen.say(f"The old file is {_kept(file.path, old)} now.")
        file.write(template(project=arguments.project).encode(), before=old)
    screen.say(f"Wrote {file.path}. Every setting in it is an example, commented out.")
    screen.say("Next: choose a model (`longrein models` lists them), with")
    flag = " --project" if arguments.project else ""
    screen.say(f"  longrein config{flag} model PROVIDER:NAME")
    if not arguments.project:
        screen.say("and keep the key of its provider with")
        screen.say("  longrein login PROVIDER")
    return exits.FINISHED


def _kept(path: Path, data: bytes) -> Path:
    """A copy of the old file under a name that was free."""
    number = 0
    while True:
        number += 1
        copy = path.with_name(f"{path.name}.bak{number if number > 1 else ''}")
        try:
            with open(copy, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                file.write(data)
        except FileExistsError:
            continue
        except OSError as error:
            raise UsageError(f"{copy} cannot be written: {error.strerror or error}.") from None
        return copy
