"""Commands that work somewhere: each says what it needs of the place."""

from argparse import Namespace
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, TypeAlias

from longrein.cli.terminal import Screen
from longrein.cli.workplace import (
    Workplace,
    find_plain_workplace,
    find_quiet_workplace,
    find_workplace,
)

Work: TypeAlias = Callable[[Workplace, Namespace, Screen], Coroutine[Any, Any, int]]
Check: TypeAlias = Callable[[Namespace], None]
Command: TypeAlias = Callable[[Namespace, Screen], Coroutine[Any, Any, int]]


def in_place(work: Work) -> Command:
    """A command that may start something, with all that the arguments and the settings describe."""
    return _placed(find_workplace, work)


def in_quiet_place(work: Work) -> Command:
    """A command that starts nothing, but has to know tools and modes."""
    return _placed(find_quiet_workplace, work)


def in_plain_place(work: Work) -> Command:
    """A command that only looks: no code is loaded."""
    return _placed(lambda _, screen: find_plain_workplace(screen), work)


def checked(check: Check) -> Callable[[Command], Command]:
    """A command whose arguments are checked before its place is found; `check` raises
    `UsageError`."""

    def around(command: Command) -> Command:
        @wraps(command)
        def after_check(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
            check(arguments)
            return command(arguments, screen)

        return after_check

    return around


def _placed(find: Callable[[Namespace, Screen], Workplace], work: Work) -> Command:
    # The place is found before there is a loop: the person may be asked something first.
    @wraps(work)
    def command(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
        return work(find(arguments, screen), arguments, screen)

    return command
