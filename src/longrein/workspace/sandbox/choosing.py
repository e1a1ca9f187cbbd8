"""The best sandbox that is to be had here."""

from collections.abc import Sequence

from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import Sandbox, SandboxProblem
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.finding import find_sandbox
from longrein.workspace.sandbox.landlock import Landlock
from longrein.workspace.sandbox.places import AnyPath


def choose_sandbox(
    root: AnyPath,
    *,
    rules: Sequence[FileRule] = (),
    readable: Sequence[AnyPath] = (),
    writable: Sequence[AnyPath] = (),
    network: bool = False,
    proxy: str | None = None,
    fallback: bool = True,
) -> Sandbox:
    """Bubblewrap where it works, else Landlock, which promises less: `isolation` says what.

    `proxy` is the socket of a proxy for hosts; Landlock has no way to one, so there it is unused.
    `fallback=False`: bubblewrap or nothing. Raises `SandboxProblem`, saying what is missing and how
    to get it, where nothing isolates; never gives a shell without isolation.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as root:
    ...     choose_sandbox(root).isolation.name in ("bubblewrap", "landlock")
    True
    """
    found = find_sandbox()
    if found.kind == "bubblewrap":
        return Bubblewrap(
            root, rules=rules, readable=readable, writable=writable, network=network, proxy=proxy
        )
    if found.kind == "landlock" and fallback:
        return Landlock(root, rules=rules, readable=readable, writable=writable, network=network)
    raise SandboxProblem(f"Commands cannot be isolated here. {found.why}")
