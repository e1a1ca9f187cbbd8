"""One command from its arguments to its exit code; errors become a line that says what to do."""

import asyncio
import importlib
import os
import shlex
import signal
import traceback
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from longrein.cli import exits
from longrein.cli.parser import build_parser
from longrein.cli.terminal import Screen, open_closed_streams
from longrein.core.errors import LongreinError, NotFound, UsageError
from longrein.core.visible import visible

COMMANDS = {
    "run": "longrein.cli.run:run",
    "resume": "longrein.cli.resume:resume",
    "approve": "longrein.cli.answers:approve",
    "decline": "longrein.cli.answers:decline",
    "replace": "longrein.cli.answers:replace",
    "answer": "longrein.cli.answers:answer",
    "invoke": "longrein.cli.invoking:invoke",
    "threads": "longrein.cli.threads:threads",
    "show": "longrein.cli.show:show",
    "context": "longrein.cli.context:context",
    "compact": "longrein.cli.compact:compact",
    "changes": "longrein.cli.changes:changes",
    "models": "longrein.cli.models:models",
    "profiles": "longrein.cli.profiles:profiles",
    "agents": "longrein.cli.agents:agents",
    "memory": "longrein.cli.memory:memory",
    "skills": "longrein.cli.skills:skills",
    "hooks": "longrein.cli.hooks:hooks",
    "usage": "longrein.cli.usage:usage",
    "rename": "longrein.cli.keeping:rename",
    "tag": "longrein.cli.keeping:tag",
    "fork": "longrein.cli.keeping:fork",
    "rewind": "longrein.cli.rewinding:rewind",
    "delete": "longrein.cli.keeping:delete",
    "export": "longrein.cli.archive:export",
    "import": "longrein.cli.archive:import_thread",
    "erase": "longrein.cli.archive:erase",
    "rules": "longrein.cli.policy:rules",
    "grants": "longrein.cli.policy:grants",
    "explain": "longrein.cli.policy:explain",
    "trust": "longrein.cli.trust:trust",
    "config": "longrein.cli.config:config",
    "init": "longrein.cli.init:init",
    "login": "longrein.cli.login:login",
    "logout": "longrein.cli.login:logout",
    "doctor": "longrein.cli.doctor.command:doctor",
    "demo": "longrein.cli.demo:demo",
    "app": "longrein.cli.app:app",
}
"""Where each command is; it is imported only when it is asked for."""


def perform(arguments: Sequence[str]) -> int:
    """Do what the arguments say; returns the exit code."""
    open_closed_streams()
    named = _named(arguments)
    screen = Screen()
    if named[0] not in COMMANDS and not named[0].startswith("-"):
        return finish(lambda: _unknown(named), screen)
    given = build_parser(named[0]).parse_args(named)
    module, _, name = COMMANDS[given.command].partition(":")
    return finish(lambda: getattr(importlib.import_module(module), name)(given, screen), screen)


def finish(begin: Callable[[], int | Coroutine[Any, Any, int]], screen: Screen) -> int:
    """The exit code of a command; what went wrong is told on the screen, which is then closed."""
    try:
        done = begin()
        return done if isinstance(done, int) else _run(done, screen)
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except LongreinError as error:
        screen.say(f"longrein: {_without_secrets(str(error))}")
        return _code(error)
    except OSError as error:
        screen.say(f"longrein: {error.filename or 'the system'}: {error.strerror or error}")
        return exits.FAILED
    except Exception as error:  # protects the terminal and the keys from what a traceback quotes
        told = "".join(traceback.format_exception(error))
        screen.say(f"longrein: this is a bug of Longrein:\n{_without_secrets(told).rstrip()}")
        return exits.FAILED
    finally:
        screen.close()


def _named(arguments: Sequence[str]) -> list[str]:
    """The arguments with the command that they mean where they name none: the app."""
    first = next(iter(arguments), "")
    own = first in ("-h", "--help", "-V", "--version")
    alone = not first or (first.startswith("-") and not own)
    return ["app", *arguments] if alone else list(arguments)


def _unknown(words: Sequence[str]) -> int:
    """Tell whoever named no command what they may have meant."""
    near = get_close_matches(words[0], COMMANDS, n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    said = visible(shlex.join([" ".join(words)]))
    raise UsageError(
        f"There is no command {visible(words[0])!r}. {hint}To say it to the agent: "
        f"longrein run {said}, or in the app: longrein app {said}. `longrein --help` has the rest."
    )


def _run(work: Coroutine[Any, Any, int], screen: Screen) -> int:
    """The exit code of an asynchronous command, which SIGTERM and a broken pipe end in order."""

    async def guarded() -> int:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        ended: list[int] = []

        def end(code: int) -> None:
            ended.append(code)
            if task is not None:
                task.cancel()

        screen.on_broken(lambda: loop.call_soon_threadsafe(end, exits.BROKEN_PIPE))
        loop.add_signal_handler(signal.SIGTERM, end, exits.TERMINATED)
        try:
            code = await work
        except asyncio.CancelledError:
            if not ended:
                raise
            return ended[0]
        return ended[0] if ended else code  # the app ends in order when it is cancelled

    return asyncio.run(guarded())


def _code(error: LongreinError) -> int:
    if isinstance(error, UsageError):
        return exits.USAGE
    return exits.MISSING if isinstance(error, NotFound) else exits.FAILED


def _without_secrets(text: str) -> str:
    from longrein.cli.keys import keys_of
    from longrein.core.redact import Redactor
    from longrein.models.keys import secrets
    from longrein.settings.layer import read_user
    from longrein.settings.places import find_places

    providers, kept = {}, None
    # What is told may be about just these, or about the folder that is gone.
    with suppress(OSError, LongreinError):
        places = find_places(Path.cwd(), os.environ)
        kept = keys_of(places)
        providers = read_user(places.user_file).providers
    return Redactor(secrets(providers, os.environ, kept)).text(text)
