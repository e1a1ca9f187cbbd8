"""Commands held by Landlock and a filter for system calls, where there is no bubblewrap.

Fewer promises, all of them kept by the kernel: `isolation` says which are missing.
"""

import asyncio
import os
import platform
import shutil
import tempfile
from collections.abc import Sequence

from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox import filtered, rights
from longrein.workspace.sandbox.base import Command, Isolation, SandboxProblem
from longrein.workspace.sandbox.grants import Granted, grants
from longrein.workspace.sandbox.masks import Tree
from longrein.workspace.sandbox.places import AnyPath, Place, identified, places_of
from longrein.workspace.sandbox.promises import of_landlock
from longrein.workspace.sandbox.resident import (
    Landlocked,
    Resident,
    Setting,
    in_memory,
    python,
    source,
)
from longrein.workspace.sandbox.running import Running
from longrein.workspace.sandbox.seccomp import program as seccomp_program
from longrein.workspace.sandbox.system import ETC, SYSTEM, environment, python_folders, shell

_DEVICES = "full null ptmx pts random shm tty urandom zero".split()


class Landlock:
    """Runs commands that can read the system, and write below `root` and nowhere else.

    The parameters are those of `Bubblewrap`. Landlock can only allow, so where rules forbid
    something inside a folder, all else in there is allowed piece by piece: nothing new can be made
    right in that folder. Raises `SandboxProblem` where the kernel has no Landlock.
    """

    def __init__(
        self,
        root: AnyPath,
        *,
        rules: Sequence[FileRule] = (),
        readable: Sequence[AnyPath] = (),
        writable: Sequence[AnyPath] = (),
        network: bool = False,
    ) -> None:
        self._version = rights.landlock_version()
        if not self._version:
            raise SandboxProblem(
                "This kernel has no Landlock, or it is switched off. Linux 5.13 and newer have it "
                "(add landlock to the lsm= parameter at boot)."
            )
        self._places = places_of(root, readable, writable)
        self._trees = [Tree(place, rules) for place in self._places]
        self._rules, self._network = tuple(rules), network
        self._resident: Resident | None = None
        self._allowed: Landlocked | None = None
        self._home = ""
        self._lock = asyncio.Lock()
        self._closed = False

    @property
    def isolation(self) -> Isolation:
        """What this sandbox promises, here and as it is set up."""
        return of_landlock(self._version, network=self._network, rules=self._rules)

    async def start(self, command: Command) -> Running:
        """`Sandbox.start`."""
        async with self._lock:
            resident = await self._ready()
        return await resident.run(command)

    async def close(self) -> None:
        """`Sandbox.close`. No command can be started afterwards."""
        async with self._lock:
            self._closed = True
            await self._end()
            if self._home:
                await asyncio.to_thread(shutil.rmtree, self._home, ignore_errors=True)

    async def _ready(self) -> Resident:
        """The process that starts commands. What was not there when it began is not allowed, so it
        is safe to keep it while commands run; it is begun anew when none does."""
        if self._closed:
            raise SandboxProblem("The sandbox is closed, as its session is.")
        self._home = self._home or tempfile.mkdtemp(prefix="longrein-")
        resident = self._resident
        if resident is not None and resident.problem is None:
            stays = resident.commands or await asyncio.to_thread(self._allow) == self._allowed
            if stays:
                return resident
        await self._end()  # before anything is looked at: what was left behind may change it
        self._allowed = await asyncio.to_thread(self._allow)
        self._resident = self._begin(self._allowed)
        return self._resident

    def _allow(self) -> Landlocked:
        """What may be done where, by what the disk has now."""
        system = [*SYSTEM, *(f"/etc/{name}" for name in ETC), *python_folders()]
        devices = [f"/dev/{name}" for name in _DEVICES]
        shown: list[tuple[str, Granted]] = [
            *((path, "read") for path in ("/proc", *system)),
            *((path, "write") for path in (self._home, *devices)),
        ]
        real: dict[str, Granted] = {
            os.path.realpath(path): granted for path, granted in shown if os.path.exists(path)
        }
        for place, tree in zip(self._places, self._trees, strict=True):
            identified(place)
            real.update(grants(place, tree.masks()))
        allowed = rights.landlocked(real.items(), version=self._version, tcp=self._network)
        assert allowed is not None
        return allowed

    def _begin(self, allowed: Landlocked) -> Resident:
        system = [Place(path, "read") for path in (*SYSTEM, *python_folders())]
        own = Place(self._home, "write")
        environ = environment(os.environ, home=self._home, places=[*system, *self._places, own])
        setting = Setting(shell(), landlock=allowed, watch=True)
        seccomp = seccomp_program(platform.machine(), network=self._network)
        with in_memory(seccomp) as calls:
            return Resident(
                [python(), "-I", "-S", "-c", source(filtered), f"{calls.fileno()}"],
                setting,
                descriptors=[calls.fileno()],
                environ={**environ, "TMPDIR": self._home},
            )

    async def _end(self) -> None:
        if self._resident is not None:
            await self._resident.close()
            self._resident = None
