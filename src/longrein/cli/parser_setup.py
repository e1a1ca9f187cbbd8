"""The arguments of the commands that set things up: settings, keys, and what is missing."""

from argparse import ArgumentParser, BooleanOptionalAction
from collections.abc import Callable


def add_setup(command: Callable[[str, str], ArgumentParser]) -> None:
    """Add them; `command` makes one from its name and what it does."""
    _settings(command)
    _keys(command)
    doctor = command("doctor", "say what is here, what is missing, and how to get it")
    doctor.add_argument("--online", action="store_true", help="also ask the provider of the model")
    doctor.add_argument("--json", action="store_true", help="as one object")


def _settings(command: Callable[[str, str], ArgumentParser]) -> None:
    config = command("config", "show the settings and where each is from, explain one, or set it")
    config.add_argument("key", nargs="?", default="", metavar="KEY", help="as in limits.steps")
    config.add_argument("value", nargs="?", metavar="VALUE", help="set it to this")
    config.add_argument("--unset", action="store_true", help="take it out of the file")
    config.add_argument("--project", action="store_true", help="in the project's file, not yours")
    config.add_argument("--changed", action="store_true", help="only what is not the default")
    config.add_argument("--json", action="store_true", help="one object per line")
    init = command("init", "write a settings file in which every setting is explained")
    init.add_argument("--project", action="store_true", help="for this project, not for yourself")
    init.add_argument("--force", action="store_true", help="keep the old file beside it")


def _keys(command: Callable[[str, str], ArgumentParser]) -> None:
    login = command("login", "keep the key of a provider, or list how it is with the keys")
    login.add_argument("provider", nargs="?", default="", metavar="PROVIDER")
    login.add_argument("--stdin", action="store_true", help="read the key from standard input")
    where = login.add_mutually_exclusive_group()
    where.add_argument("--keyring", action="store_true", help="keep it in the system's keyring")
    where.add_argument("--file", action="store_true", help="keep it in a file that only you read")
    login.add_argument(
        "--check",
        action=BooleanOptionalAction,
        help="ask the provider whether the key is good (default: at a terminal)",
    )
    login.add_argument("--force", action="store_true", help="keep it though it was refused")
    login.add_argument("--json", action="store_true", help="the list, one object per line")
    logout = command("logout", "forget the key of a provider that login kept")
    logout.add_argument("provider", metavar="PROVIDER")
