"""Every sandbox keeps the contract of the port."""

from collections.abc import Callable
from pathlib import Path

import pytest

from longrein.testing.sandboxes import SandboxCase, sandbox_cases
from longrein.workspace.sandbox.base import Sandbox
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.host import HostShell
from longrein.workspace.sandbox.landlock import Landlock
from tests.support import run

SANDBOXES: dict[str, Callable[[Path], Sandbox]] = {
    "bubblewrap": Bubblewrap,
    "landlock": Landlock,
    "host shell": lambda _: HostShell(),
}


@pytest.mark.parametrize("case", sandbox_cases(), ids=str)
@pytest.mark.parametrize("kind", SANDBOXES)
def test_a_sandbox_keeps_its_promise(kind: str, case: SandboxCase, tmp_path: Path) -> None:
    async def check() -> None:
        await case.check(SANDBOXES[kind](tmp_path), str(tmp_path))

    run(check())
