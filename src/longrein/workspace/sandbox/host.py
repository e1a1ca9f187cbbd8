"""Commands on the machine itself, without any isolation."""

import os

from longrein.workspace.sandbox.base import Command, Isolation, SandboxProblem
from longrein.workspace.sandbox.promises import OF_HOST_SHELL
from longrein.workspace.sandbox.resident import Resident, Setting
from longrein.workspace.sandbox.running import Running
from longrein.workspace.sandbox.system import environment, shell


class HostShell:
    """Runs commands with all that the user of this process may do. Nothing isolates them.

    Only whoever asks for it by this name gets it. Commands still have bounds, see only variables
    that are known to be harmless, and end with all that they started.

    >>> HostShell().isolation.name
    'host shell'
    """

    def __init__(self) -> None:
        self._environ = environment(os.environ, home=os.path.expanduser("~"))
        self._resident: Resident | None = None
        self._closed = False

    @property
    def isolation(self) -> Isolation:
        """None, in words."""
        return OF_HOST_SHELL

    async def start(self, command: Command) -> Running:
        """`Sandbox.start`."""
        if self._closed:
            raise SandboxProblem("The shell is closed, as its session is.")
        if self._resident is not None and self._resident.problem is not None:
            broken, self._resident = self._resident, None
            await broken.close()
        if self._resident is None:
            self._resident = Resident([], Setting(shell(), watch=True), environ=self._environ)
        return await self._resident.run(command)

    async def close(self) -> None:
        """`Sandbox.close`. No command can be started afterwards."""
        self._closed = True
        if self._resident is not None:
            await self._resident.close()
