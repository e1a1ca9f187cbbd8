"""Commands in a container of Docker or Podman, through their command lines.

The container runs as long as its standard input is open, which this process holds: it ends when
this does, whatever happens. Commands are started in it with `exec` (`container_command`).

Tested with a stub that stands in for the command line, not with an engine.
"""

import asyncio
import os
from collections.abc import Sequence
from typing import Literal

from longrein.core.errors import UsageError
from longrein.workspace.containers.box import Box, mount
from longrein.workspace.containers.command import NotStarted, Running
from longrein.workspace.problems import shown
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox import plan
from longrein.workspace.sandbox.base import Command, Isolation, SandboxProblem
from longrein.workspace.sandbox.masks import Tree, narrowed
from longrein.workspace.sandbox.places import Mask, places_of


class Container:
    """Runs commands in a container of `image`, below `root` and nowhere else.

    The image needs a POSIX shell and coreutils. `root` is at its own path and can be written to;
    the rest of the container's disk is read-only, but for a /tmp of its own. `rules` and `protect`
    are those of `Bubblewrap`. `network`: the engine's usual network, or none. `memory` and
    `processes` bound the whole container. `program` is `docker` or `podman`, or the path of one.

    Nothing is started before the first command; then one container serves all. It belongs to one
    event loop. Tested with a stub of the command line only, not with an engine.
    """

    def __init__(
        self,
        image: str,
        *,
        root: str | os.PathLike[str],
        program: str = "docker",
        rules: Sequence[FileRule] = (),
        network: bool = False,
        memory: int = 4 * 1024**3,
        processes: int = 512,
        protect: bool = True,
    ) -> None:
        if not image or image.startswith("-"):
            raise UsageError(f"{image!r} is no image. Name one, such as 'debian:stable-slim'.")
        (self._place,) = places_of(root, (), ())
        self._image, self._program = image, program
        self._kind: Literal["docker", "podman"] = (
            "podman" if "podman" in os.path.basename(program) else "docker"
        )
        self._tree = Tree(self._place, rules)
        self._rules, self._protect = tuple(rules), protect
        self._network, self._memory, self._processes = network, memory, processes
        self._box: Box | None = None
        self._seen: frozenset[Mask] = frozenset()
        self._running: list[Running] = []
        self._lock = asyncio.Lock()
        self._closed = False

    @property
    def isolation(self) -> Isolation:
        """What such a container promises."""
        docker, network, rules = self._kind == "docker", self._network, bool(self._rules)
        promises = {
            "Commands run in a container: they see the image, read-only, the workspace, and a /tmp "
            "of their own.": True,
            "There is no network.": not network,
            "They have no capabilities and cannot gain privileges.": True,
            "Memory and processes of the container are bounded.": True,
            "File rules hold for the workspace; what must be asked about is forbidden.": rules,
        }
        gaps = {
            f"This was tried with a stub of {self._kind} only, not with an engine.": True,
            "The engine's network can be used, all of it.": network,
            "A process that leaves its parents and its environment ends with the container.": True,
            "A new file that a rule forbids can be used until the next command starts.": rules,
            "Whoever may use the engine is as good as root on this machine.": docker,
            "SELinux does not confine the container: it could not use the workspace.": not docker,
        }
        return Isolation(
            self._kind,
            tuple(one for one, holds in promises.items() if holds),
            tuple(one for one, holds in gaps.items() if holds),
        )

    async def start(self, command: Command) -> Running:
        """`Sandbox.start`. The container is made anew where rules forbid files that are new."""
        async with self._lock:
            box = await self._ready()
            try:
                running = await Running.begin(box, command)
            except NotStarted:
                if not await box.ends():
                    raise
                running = await Running.begin(await self._ready(), command)
            self._running = [*(one for one in self._running if not one.is_gone), running]
            return running

    async def close(self) -> None:
        """`Sandbox.close`: the container is removed."""
        async with self._lock:
            self._closed = True
            await self._end()

    async def _ready(self) -> Box:
        if self._closed:
            raise SandboxProblem("The container is closed, as its session is.")
        masks = await asyncio.to_thread(self._masks)
        seen = frozenset(masks)
        if self._box is not None and not self._box.is_gone:
            new = seen - self._seen
            if not new:
                return self._box
            if any(not running.is_over for running in self._running):
                paths = ", ".join(sorted(shown(mask.path) for mask in new)[:5])
                raise SandboxProblem(
                    f"Files that rules protect came about ({paths}), and can be protected only in "
                    "a new container. Wait for what still runs, or stop it, then try again."
                )
        await self._end()
        # Once more: what ended just now may have changed it.
        masks = await asyncio.to_thread(self._masks)
        seen = frozenset(masks)
        self._box = await Box.make(self._program, self._options(), self._image, masks)
        self._seen = seen
        return self._box

    def _masks(self) -> list[Mask]:
        protected = plan.protected(self._place.path) if self._protect else []
        return narrowed(self._tree.masks(), protected)

    def _options(self) -> list[str]:
        """Of the command `run`, all but what belongs to masks."""
        root = self._place.path
        owner = ["--user", f"{os.getuid()}:{os.getgid()}"]
        if self._kind == "podman":
            owner = ["--security-opt", "label=disable"]
            owner += ["--userns", "keep-id"] if os.getuid() else []
        return [
            *("--rm", "--interactive", "--init", "--read-only", "--workdir", root),
            *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
            *("--pids-limit", str(self._processes), "--memory", str(self._memory)),
            *("--memory-swap", str(self._memory), "--tmpfs", "/tmp:rw,exec,nosuid,nodev,mode=1777"),
            *("--env", "HOME=/tmp", "--env", "TMPDIR=/tmp", "--entrypoint", "/bin/sh"),
            *([] if self._network else ["--network", "none"]),
            *owner,
            *("--mount", mount(root, root, "write")),
        ]

    async def _end(self) -> None:
        for running in self._running:
            running.abandon()
        for running in self._running:
            await running.killed()
        if self._box is not None:
            await self._box.remove()
            self._box = None
        for running in self._running:
            await running.close()
        self._running = []
