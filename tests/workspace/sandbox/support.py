"""What the tests of sandboxes share."""

from collections.abc import Awaitable, Callable

from longrein.testing.sandbox_cases.setting import ran
from longrein.workspace.sandbox.base import Sandbox
from tests.support import run


def said(make: Callable[[], Sandbox], folder: object, *lines: str) -> list[str]:
    """What each line puts out, one after the other in one sandbox."""

    async def go(sandbox: Sandbox) -> list[str]:
        return [(await ran(sandbox, str(folder), line))[0].decode().strip() for line in lines]

    return within(make, go)


def within(
    make: Callable[[], Sandbox], use: Callable[[Sandbox], Awaitable[list[str]]]
) -> list[str]:
    """What `use` makes of a sandbox that is closed at its end."""

    async def go() -> list[str]:
        sandbox = make()
        try:
            return await use(sandbox)
        finally:
            await sandbox.close()

    return run(go())
