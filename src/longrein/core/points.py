"""Named points that a test can stand at: the crash rig kills the process there.

Nothing happens at a point unless a hook is set, and only tests set one.
"""

from collections.abc import Callable

on_reach: Callable[[str], None] | None = None
"""Called with the name of each point reached, on the thread that reached it."""


def reached(name: str) -> None:
    """Say that a named point was reached."""
    if on_reach is not None:
        on_reach(name)
