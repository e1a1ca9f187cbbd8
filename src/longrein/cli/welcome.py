"""`longrein` alone: how to begin, or the demo where no model can be had yet."""

import os
from argparse import Namespace
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from longrein.cli import exits
from longrein.cli.demo import demo
from longrein.cli.keys import keys_of
from longrein.cli.parser import build_parser
from longrein.cli.terminal import Screen
from longrein.cli.trust import TerminalGate
from longrein.models.catalog import known
from longrein.settings.layer import Layer
from longrein.settings.merge import load
from longrein.settings.places import find_places


def welcome(arguments: Namespace, screen: Screen) -> int | Coroutine[Any, Any, int]:
    """Help for whoever has a model or a key; for everybody else the demo."""
    places = find_places(Path.cwd(), os.environ)
    settings = load(places, os.environ, Layer(), TerminalGate(places, screen))
    providers = known(settings.providers, os.environ, keys_of(places))
    keys = [who.name for who in providers if who.key_env and who.ready]
    if not settings.models and not keys:
        screen.say("No model is configured, so here is the demo. `longrein --help` has the rest.\n")
        return demo(Namespace(auto=False), screen)
    screen.out(build_parser().format_help())
    if not settings.models:
        screen.out(f"There is a key for {', '.join(keys)}. To begin:\n")
        screen.out(f'  longrein run --model {keys[0]}:MODEL "Hello"\n')
    else:
        screen.out(f'The model is {settings.models[0]}. To begin:\n  longrein run "Hello"\n')
    return exits.FINISHED
