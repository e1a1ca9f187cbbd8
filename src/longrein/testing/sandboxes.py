"""The conformance suite for sandboxes: what every implementation of `Sandbox` must do.

Each case is run in a sandbox of its own, with a folder that is empty and can be written to.

    @pytest.mark.parametrize("case", sandbox_cases(), ids=str)
    def test_the_sandbox_keeps_the_contract(case: SandboxCase, tmp_path: Path) -> None:
        asyncio.run(case.check(Bubblewrap(tmp_path), str(tmp_path)))
"""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec import Struct

from longrein.testing.cases import cases_in
from longrein.testing.sandbox_cases import ending, running
from longrein.workspace.sandbox.base import Sandbox

__all__ = ["SandboxCase", "sandbox_cases"]

Check: TypeAlias = Callable[[Sandbox, str], Awaitable[None]]


class SandboxCase(Struct, frozen=True):
    """One promise of the port `Sandbox`. `str` gives what it promises."""

    promise: str
    body: Check

    def __str__(self) -> str:
        return self.promise

    async def check(self, sandbox: Sandbox, folder: str) -> None:
        """Raise `AssertionError` if a sandbox breaks the promise. It is closed afterwards."""
        try:
            await self.body(sandbox, folder)
        finally:
            await sandbox.close()


def sandbox_cases() -> list[SandboxCase]:
    """All the promises that a sandbox must keep."""
    return [SandboxCase(promise, body) for promise, body in cases_in(running, ending)]
