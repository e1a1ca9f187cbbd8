"""Commands in a sandbox of bubblewrap: their own view of the disk, processes and network.

One sandbox serves all commands of a session, so starting one costs next to nothing, and what a
command left in the background is there for the next.
"""

import asyncio
import os
import platform
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from longrein.workspace.descriptors import Descriptor
from longrein.workspace.paths import is_below
from longrein.workspace.problems import shown
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox import forwarder, mounted, plan, rights
from longrein.workspace.sandbox.base import Command, Isolation, SandboxProblem
from longrein.workspace.sandbox.finding import find_bwrap, try_bwrap, why_no_bwrap
from longrein.workspace.sandbox.gate import Gate
from longrein.workspace.sandbox.masks import Tree, narrowed
from longrein.workspace.sandbox.mounted import Meant
from longrein.workspace.sandbox.places import Mask, Place, identified, is_at, places_of
from longrein.workspace.sandbox.promises import of_bubblewrap
from longrein.workspace.sandbox.resident import Resident, Setting, in_memory, python, source
from longrein.workspace.sandbox.running import Running
from longrein.workspace.sandbox.seccomp import program as seccomp_program
from longrein.workspace.sandbox.single import Single
from longrein.workspace.sandbox.system import SYSTEM, environment, python_folders, shell

T = TypeVar("T")

OWN_BYTES = 2 * 1024**3
"""What /tmp in the sandbox holds at most; it is kept in memory."""

_TRIES = 3
PROXY_PORT = 3128
_DOOR = "/run/longrein/proxy"


class Bubblewrap:
    """Runs commands isolated by bubblewrap, below `root` and nowhere else.

    `root` is at its own path and can be written to; `readable` and `writable` are further folders
    or files. Of the system, programs and libraries can be read; home and all else is not there.
    `rules` are file rules about paths of the disk: what may not be read is hidden, what may not be
    written is read-only; what must be asked about is forbidden, because nobody can be asked in the
    middle of a command. `protect`: what runs outside later is read-only, as far as it is known:
    git's hooks and configuration, the folders of agents, the environment of this very interpreter.
    `network`: True is the network of the machine. `proxy` is the path of a unix socket:
    the only way out, to whoever listens there, as an HTTP proxy. `program` is the path of `bwrap`.
    `own_bytes` bounds /tmp. `lasting=False`: every command has a sandbox of its own, which ends
    with it; nothing is left in the background, Landlock does not hold a second time, and a command
    that a signal ended is told by its code alone.

    Nothing is started before the first command. It belongs to one event loop. Raises `UsageError`
    for folders that cannot be, `SandboxProblem` where there is no bubblewrap.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        rules: Sequence[FileRule] = (),
        readable: Sequence[str | os.PathLike[str]] = (),
        writable: Sequence[str | os.PathLike[str]] = (),
        network: bool = False,
        proxy: str | None = None,
        program: str | None = None,
        protect: bool = True,
        own_bytes: int = OWN_BYTES,
        lasting: bool = True,
    ) -> None:
        self._places = places_of(root, readable, writable)
        written = [place.path for place in self._places if place.access == "write"]
        self._bwrap = try_bwrap(program) if program else find_bwrap(not_in=written)
        if self._bwrap.why_not:
            raise SandboxProblem(why_no_bwrap([self._bwrap]))
        self._root = self._places[0].path
        self._trees = [Tree(place, rules) for place in self._places]
        self._rules, self._protect = tuple(rules), protect
        self._network, self._proxy, self._own_bytes = network, proxy, own_bytes
        self._lasting = lasting
        self._resident: Resident | None = None
        self._singles: set[Single] = set()
        self._seen: frozenset[Mask] = frozenset()
        self._lock = asyncio.Lock()
        self._closed = False

    @property
    def isolation(self) -> Isolation:
        """What this sandbox promises, here and as it is set up."""
        return of_bubblewrap(
            self._bwrap,
            network="proxy" if self._proxy else "all" if self._network else "none",
            rules=self._rules,
            protect=self._protect,
            lasting=self._lasting,
        )

    async def start(self, command: Command) -> Running:
        """`Sandbox.start`.

        If since the sandbox was started files came about that rules forbid, it is made anew, and
        what ended commands had left in the background is ended. While commands run that is not
        done: then this raises `SandboxProblem` and says so.
        """
        if not self._lasting:
            async with self._lock:
                running = await self._run_alone(command)
            await running.begin()
            return running
        async with self._lock:
            resident = await self._ready()
        try:
            return await resident.run(command)
        except SandboxProblem as problem:
            if resident.problem is problem and not resident.worked:
                tried = try_bwrap(self._bwrap.path)
                raise SandboxProblem(
                    why_no_bwrap([tried]) if tried.why_not else str(problem)
                ) from None
            raise

    async def close(self) -> None:
        """`Sandbox.close`. No command can be started afterwards."""
        async with self._lock:
            self._closed = True
            await self._end()
            for single in tuple(self._singles):
                await single.close()

    async def _ready(self) -> Resident:
        """The process that starts commands, in a sandbox that shows what rules allow now."""
        resident = self._resident
        if resident is not None and resident.problem is None:
            new = (await self._now()).all - self._seen
            if not new:
                return resident
            if resident.commands:
                if all(mask.access == "write" for mask in new):
                    return resident  # it shows less than it could, and no more
                raise _while_running(new, resident.commands)
        await self._end()  # before anything is looked at: what was left behind may change it
        self._resident, self._seen = await self._checked(self._begin, Resident.close)
        return self._resident

    async def _run_alone(self, command: Command) -> Running:
        def begin(wrapper: list[str], descriptors: list[int]) -> tuple[Single, Running]:
            single = Single()
            return single, single.start(
                wrapper, command, shell=shell(), descriptors=descriptors, environ=self._environ()
            )

        (single, running), _ = await self._checked(begin, lambda begun: begun[0].close())
        self._singles.add(single)
        running.when_over(lambda: self._singles.discard(single))
        return running

    async def _checked(
        self, begin: Callable[[list[str], list[int]], T], end: Callable[[T], Awaitable[None]]
    ) -> tuple[T, frozenset[Mask]]:
        """Something begun in a sandbox that shows what was looked at, and what that was.

        Whoever else writes in the workspace can change it while mounts are made. So nothing runs
        in there before they are known to be right.
        """
        astray: list[str] = []
        for left in reversed(range(_TRIES)):
            looked = await self._now()
            with self._wrapped(looked.masks) as wrapped:
                begun = begin(wrapped.words, wrapped.descriptors)
            try:
                process = await wrapped.gate.reached()
                astray = mounted.astray(process, wrapped.meant) if process else []
                right = process and not astray and await self._now() == looked
            except BaseException:  # also when nobody waits for it any more
                wrapped.gate.refuse()
                await end(begun)
                raise
            if right or not (process or left):  # what failed by itself will say why
                wrapped.gate.open()
                return begun, looked.all
            wrapped.gate.refuse()
            await end(begun)
        raise _swapped(astray)

    async def _now(self) -> "_Looked":
        if self._closed:
            raise SandboxProblem("The sandbox is closed, as its session is.")
        return await asyncio.to_thread(self._look) if self._rules else self._look()

    def _look(self) -> "_Looked":
        """What must be masked now, and what the places are now: both may have been replaced."""
        places = [identified(place) for place in self._places]
        written = [place.path for place in places if place.access == "write"]
        protected = [mask for path in written if self._protect for mask in plan.protected(path)]
        inner = [
            place for place in places if place.access == "read" and plan.is_inner(place, places)
        ]
        masks = [mask for tree in self._trees for mask in tree.masks()]
        return _Looked(narrowed(masks, [*protected, *inner]), places)

    def _begin(self, wrapper: list[str], descriptors: list[int]) -> Resident:
        return Resident(
            [*wrapper, "--as-pid-1", "--"],
            self._setting(),
            descriptors=descriptors,
            environ=self._environ(),
        )

    @contextmanager
    def _wrapped(self, masks: Sequence[Mask]) -> Generator["_Wrapped", None, None]:
        """The start of a command line that isolates, and what it refers to, to be handed over."""
        gate, pinned = Gate(), list[Descriptor]()

        def pin(path: str) -> int:
            pinned.append(_opened(path))
            return pinned[-1].number

        layout = plan.layout(
            [*self._places, *(Place(path, "read") for path in self._python())],
            masks,
            network=self._network or self._proxy is not None,
            own_bytes=self._own_bytes if self._bwrap.bounds_memory else None,
            sockets={_DOOR: self._proxy} if self._proxy else {},
            gate=gate.words,
            pin=pin if self._bwrap.binds_descriptors else None,
        )
        network = [] if self._network else ["--unshare-net"]
        words = [*plan.NAMESPACES, *network, *layout.words]
        seccomp = seccomp_program(platform.machine())
        with (
            in_memory(b"".join(os.fsencode(w) + b"\0" for w in words)) as mounts,
            in_memory(seccomp) as calls,
        ):
            numbers = [mounts.fileno(), calls.fileno()]
            filtered = ["--seccomp", f"{numbers[1]}"] if seccomp else ["--disable-userns"]
            wrapper = [self._bwrap.path, "--args", f"{numbers[0]}", *filtered]
            numbers += [*gate.descriptors, *(one.number for one in pinned)]
            yield _Wrapped(wrapper, numbers, layout.meant, gate)
        gate.handed_over()

    def _setting(self) -> Setting:
        writable = ("/tmp", "/dev", *(p.path for p in self._places if p.access == "write"))
        forward = (PROXY_PORT, (python(), "-I", "-S", "-c", source(forwarder), _DOOR))
        return Setting(
            shell=shell(),
            landlock=rights.landlocked(
                [("/", "read"), *((path, "write") for path in writable)],
                version=rights.landlock_version(),
                tcp=True,  # loopback is the sandbox's own, and servers are tried out on it
            ),
            forward=forward if self._proxy else None,
            watch=os.geteuid() == 0,  # the kernel bounds the processes of everybody else
        )

    def _python(self) -> list[str]:
        """Where the interpreter is, if that is not visible anyway."""
        return [
            folder
            for folder in python_folders()
            if not any(is_below(folder, place.path) for place in self._places)
        ]

    def _environ(self) -> dict[str, str]:
        system = [Place(path, "read") for path in (*SYSTEM, *self._python())]
        own = Place("/tmp", "write")
        environ = environment(os.environ, home=plan.HOME, places=[*system, own, *self._places])
        environ["TMPDIR"] = "/tmp"
        if self._proxy:
            address = f"http://127.0.0.1:{PROXY_PORT}"
            for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
                environ[name] = environ[name.lower()] = address
            environ["NO_PROXY"] = environ["no_proxy"] = "localhost,127.0.0.1,::1"
        return environ

    async def _end(self) -> None:
        if self._resident is not None:
            await self._resident.close()
            self._resident = None


@dataclass(frozen=True, slots=True)
class _Looked:
    """What was found on the disk: what is to be masked, and the places themselves."""

    masks: list[Mask]
    places: list[Mask]

    @property
    def all(self) -> frozenset[Mask]:
        return frozenset((*self.masks, *self.places))


@dataclass(frozen=True, slots=True)
class _Wrapped:
    words: list[str]
    descriptors: list[int]
    meant: dict[str, Meant]
    gate: Gate


def _opened(path: str) -> Descriptor:
    """What a path leads to, if no link is on the way."""
    try:
        found = Descriptor(os.open(path, os.O_PATH | os.O_NOFOLLOW))
        if is_at(found.number, path):
            return found
    except OSError as error:
        raise SandboxProblem(f"{path!r} cannot be opened: {error.strerror}.") from None
    raise _swapped([path])


def _swapped(paths: Sequence[str]) -> SandboxProblem:
    where = f" ({', '.join(map(shown, paths[:5]))})" if paths else ""
    return SandboxProblem(
        f"Files or folders of the workspace{where} are being replaced over and over, so that no "
        "sandbox can be made of it safely. End the program that does this, then try again."
    )


def _while_running(new: frozenset[Mask], commands: Sequence[Command]) -> SandboxProblem:
    paths = ", ".join(shown(mask.path) for mask in sorted(new, key=lambda mask: mask.path)[:5])
    lines = ", ".join(repr(command.line[:60]) for command in commands[:5])
    return SandboxProblem(
        f"Files that are forbidden to commands came about or were replaced ({paths}), and only a "
        f"new sandbox hides them. Wait for what still runs ({lines}), or stop it, and try again."
    )
