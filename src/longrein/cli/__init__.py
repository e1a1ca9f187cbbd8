"""The command line. Nothing is imported before it is known what is asked for."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given in (["--version"], ["-V"]):
        from longrein._version import __version__

        print(f"longrein {__version__}")
        return 0
    from longrein.cli.command import perform

    return perform(given)
