"""`longrein` alone: the terminal app, on the screen before anything heavy is loaded."""

import gc
import os
import tomllib
from argparse import Namespace
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from longrein.cli import exits
from longrein.cli.terminal import Screen
from longrein.core.errors import UsageError
from longrein.core.preferences import Preferences

if TYPE_CHECKING:
    from longrein.tui.opening import Dialogs, Opened
    from longrein.tui.stage import Left, Stage

Opening: TypeAlias = "Callable[[Dialogs, AsyncExitStack], Awaitable[Opened | None]]"

NOT_INSTALLED = """\
The terminal app needs the package textual: install longrein[app].
Without it: longrein run "..."; `longrein --help` has the rest."""

NO_TERMINAL = """\
The terminal app needs a terminal to read from and to write to. Without one:
longrein run "...", with --continue or --thread ID to go on in a thread."""


def app(arguments: Namespace, screen: Screen) -> int | Coroutine[Any, Any, int]:
    """The app or, where nobody sits before a terminal, how to begin."""
    if not (screen.interactive and screen.out_is_terminal):
        if arguments.prompt or arguments.again or arguments.thread is not None:
            raise UsageError(NO_TERMINAL)
        from longrein.cli.welcome import welcome

        return welcome(arguments, screen)

    async def opening(dialogs: "Dialogs", stack: AsyncExitStack) -> "Opened | None":
        # Behind the first frame: this is what takes time.
        from longrein.cli.opening import open_place

        return await open_place(arguments, dialogs, stack)

    def tell(left: "Left") -> None:
        how = "--continue" if left.last else f"--thread {left.thread}"
        screen.say(f"Go on with: longrein {how}  ({left.title})", strict=True)

    return show(opening, tell)


def demo_app() -> Coroutine[Any, Any, int]:
    """The app on the demo's script."""

    async def opening(dialogs: "Dialogs", stack: AsyncExitStack) -> "Opened | None":
        from longrein.cli.opening import open_demo

        return await open_demo(stack)

    return show(opening)


async def show(opening: Opening, tell: "Callable[[Left], None] | None" = None) -> int:
    """Run the app until the person leaves it. What it opened is closed in order afterwards.

    `tell` gets the thread that was left, if there is something in it to go on with.
    """
    stop_collecting()
    try:
        from longrein.tui.app import LongreinApp
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("textual", "rich"):
            raise
        raise UsageError(NOT_INSTALLED) from None
    liked = glance(os.environ)
    async with AsyncExitStack() as stack:

        async def opener(dialogs: "Dialogs") -> "Opened | None":
            collect_again()
            opened = await opening(dialogs, stack)
            gc.freeze()  # what that loaded stays too
            return opened

        made = LongreinApp(opener, perform, liked)
        code = await made.run_async(mouse=liked.mouse)
        left = await made.stage.left()
    if made.failure is not None:
        raise made.failure
    if tell is not None and left:
        tell(left)
    return exits.FAILED if code is None else code


async def perform(stage: "Stage", name: str, arguments: str) -> None:
    """Carry out a command in the app."""
    from longrein.tui.commanding import perform

    await perform(stage, name, arguments)


def stop_collecting() -> None:
    """Look for no garbage while the app is loaded: there is none, and it takes a tenth of that."""
    gc.disable()


def collect_again() -> None:
    """Look for garbage from now on, but not in what was loaded: that stays, and is much."""
    gc.freeze()
    gc.enable()


def glance(environ: Mapping[str, str]) -> Preferences:
    """What the user's file says of the look, read without judging it: nothing may flash."""
    from longrein.settings.places import find_places

    try:
        data = find_places(Path.cwd(), environ).user_file.read_bytes()
        said = cast("dict[str, Any]", tomllib.loads(data.decode()).get("app", {}))
        usual = Preferences()
        return Preferences(
            theme=str(said.get("theme", usual.theme)), mouse=said.get("mouse") is not False
        )
    except (OSError, ValueError, AttributeError, RecursionError):
        return Preferences()  # whatever is wrong with it is told when it is read in earnest
