"""The first process in a sandbox: waits for requests and for supervisors."""

import gc
import marshal
import posix
import select
import sys
import time
from _socket import AF_INET, AF_UNIX, SCM_RIGHTS, SOCK_SEQPACKET, SOL_SOCKET, socket, socketpair

from longrein.workspace.sandbox.inside.kernel import (
    CONTINUE,
    DEFAULT,
    DUMPABLE,
    KILL,
    LARGEST,
    STOP,
    SUBREAPER,
    Bounds,
    call,
    children_by_parent,
    receive,
    restrict,
    tell_all,
)
from longrein.workspace.sandbox.inside.supervisor import supervise

_DONT_WAIT = 0x40
_WATCH_MS, _PLAIN_ROUNDS, _CROWD, _LONGEST_SWEEP = 50, 3, 200, 10.0


def main(control: socket) -> None:
    """Serve until nobody is at the other end."""
    landlock, forward, shell, watch = marshal.loads(control.recv(LARGEST))
    close_all_but(control.fileno())
    call("signal", 2, DEFAULT)  # the first process of a namespace gets only what it handles
    call("prctl", SUBREAPER, 1, 0, 0, 0)
    call("prctl", DUMPABLE, 0, 0, 0, 0)  # commands cannot look into its memory and descriptors
    if landlock is not None:
        restrict(*landlock)
    keeper = Keeper(control, shell, watch=watch)
    if forward is not None:
        keeper.companions.add(start_forwarder(*forward))
    gc.freeze()  # supervisors share the memory of this process as long as nothing is written
    gc.disable()
    try:
        keeper.serve()
        keeper.end_all()
    except BaseException as error:
        sys.stderr.write(f"The keeper of commands failed: {error!r}.")
        raise
    finally:
        posix._exit(0)  # pyright: ignore[reportPrivateUsage]


def close_all_but(control: int) -> None:
    """Leave open what is asked for, whatever else was handed down."""
    null = posix.open("/dev/null", posix.O_RDWR)
    for number in (0, 1):
        posix.dup2(null, number)
    for name in posix.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) != control:
            try:
                posix.close(int(name))
            except OSError:  # that of the listing itself
                pass
    posix.set_inheritable(control, False)


def start_forwarder(port: int, words: list[bytes]) -> int:
    """The process that passes on what connects to a port. From here on nobody is refused there."""
    listening = socket(AF_INET)
    listening.bind(("127.0.0.1", port))
    listening.listen(128)
    posix.set_inheritable(listening.fileno(), True)
    pid = posix.posix_spawn(words[0], [*words, b"%d" % listening.fileno()], {})
    listening.close()
    return pid


class Supervisor:
    """A process that runs one command at a time, as the keeper sees it."""

    def __init__(self, pid: int, door: socket, bounds: Bounds) -> None:
        self.pid, self.door, self.bounds = pid, door, bounds
        self.number, self.idle = 0, True
        self.others = len(posix.listdir("/proc"))


class Keeper:
    """Starts supervisors, and ends them with all that they had."""

    def __init__(self, control: socket, shell: bytes, *, watch: bool) -> None:
        self.control, self.shell, self.watch = control, shell, watch
        self.companions: set[int] = set()
        self.supervisors: dict[int, Supervisor] = {}  # by the descriptor of the door
        self.poll = select.poll()
        self.poll.register(control.fileno(), select.POLLIN)

    def serve(self) -> None:
        """Do what is asked until nobody will ask any more."""
        counted = 0.0
        while True:
            busy = any(not one.idle for one in self.supervisors.values())
            for ready, _ in self.poll.poll(_WATCH_MS if self.watch and busy else None):
                if ready != self.control.fileno():
                    self.hear(ready)
                elif not self.heed():
                    return
            if self.watch and time.monotonic() > counted + _WATCH_MS / 1000:
                self.count()
                counted = time.monotonic()

    def hear(self, ready: int) -> None:
        """A supervisor has nothing to do any more, or was killed."""
        supervisor = self.supervisors.get(ready)
        if supervisor is None:
            return
        try:
            supervisor.idle = bool(supervisor.door.recv(64, _DONT_WAIT))
        except BlockingIOError:
            return
        except OSError:
            supervisor.idle = False
        if not supervisor.idle:
            self.end_with(supervisor)

    def heed(self) -> bool:
        """One request; False when there will be none."""
        data, descriptors = receive(self.control)
        if descriptors:
            self.start(data, descriptors)
        elif data:
            self.end(marshal.loads(data))
        return bool(data)

    def start(self, data: bytes, descriptors: list[int]) -> None:
        """Hand a command to a supervisor that has nothing to do, or to a new one."""
        number, *_, bounds = marshal.loads(data)
        handed = b"".join(one.to_bytes(4, sys.byteorder) for one in descriptors)
        while True:
            able = [one for one in self.supervisors.values() if one.idle and one.bounds == bounds]
            supervisor = able[0] if able else self.employ(bounds)
            supervisor.number, supervisor.idle = number, False
            try:
                posix.kill(supervisor.pid, CONTINUE)  # in case a command stopped it
                supervisor.door.sendmsg([data], [(SOL_SOCKET, SCM_RIGHTS, handed)])
                break
            except OSError:  # somebody killed it while it had nothing to do
                self.end_with(supervisor)
        for descriptor in descriptors:
            posix.close(descriptor)

    def employ(self, bounds: Bounds) -> Supervisor:
        """A new supervisor: its bounds hold for all its commands, and cannot be widened."""
        door, other = socketpair(AF_UNIX, SOCK_SEQPACKET)
        pid = posix.fork()
        if not pid:
            posix.close(self.control.fileno())
            for one in (door, *(supervisor.door for supervisor in self.supervisors.values())):
                posix.close(one.fileno())
            try:
                supervise(other, self.shell, brake(bounds) if self.watch else bounds)
            finally:
                posix._exit(1)  # pyright: ignore[reportPrivateUsage]
        other.close()
        supervisor = self.supervisors[door.fileno()] = Supervisor(pid, door, bounds)
        self.poll.register(door.fileno(), select.POLLIN)
        return supervisor

    def end(self, number: int) -> None:
        """Kill a command and all that it left behind."""
        for supervisor in list(self.supervisors.values()):
            if supervisor.number == number and not supervisor.idle:
                self.end_with(supervisor)
        self.control.send(b"gone %d" % number)

    def end_with(self, supervisor: Supervisor) -> None:
        """Kill a supervisor, if it is not dead, and all that it had."""
        del self.supervisors[supervisor.door.fileno()]
        self.poll.unregister(supervisor.door.fileno())
        supervisor.door.close()
        posix.kill(supervisor.pid, KILL)
        posix.waitpid(supervisor.pid, 0)
        self.sweep()

    def end_all(self) -> None:
        """End what is there; by waiting for it, what commands cost is added to what this did."""
        for supervisor in self.supervisors.values():
            posix.kill(supervisor.pid, KILL)
            posix.waitpid(supervisor.pid, 0)
        self.supervisors.clear()
        self.companions.clear()
        self.sweep()

    def sweep(self) -> None:
        """Kill all who have no supervisor any more, until there are none.

        A crowd is stopped first: nobody multiplies while they are looked for, and this process is
        not the last to get its turn.
        """
        began, rounds = time.monotonic(), 0
        while True:
            crowd = rounds > _PLAIN_ROUNDS or len(posix.listdir("/proc")) > _CROWD
            if crowd:
                tell_all(STOP)
            strangers = self.strangers()
            for pid in strangers:
                try:
                    posix.kill(pid, KILL)
                    posix.waitpid(pid, posix.WNOHANG)
                except OSError:  # gone, or the child of another stranger
                    pass
            if crowd:
                tell_all(CONTINUE)
            if not strangers or time.monotonic() - began > _LONGEST_SWEEP:
                return
            rounds += 1
            time.sleep(0.001)

    def strangers(self) -> list[int]:
        """All processes below this one, but not those who are known and what is below them."""
        children = children_by_parent()
        known = self.companions | {supervisor.pid for supervisor in self.supervisors.values()}
        found, rest = list[int](), [posix.getpid()]
        while rest:
            ours = [pid for pid in children.get(rest.pop(), ()) if pid not in known]
            rest += ours
            found += ours
        return found

    def count(self) -> None:
        """Kill a command that has more processes than it may: for where no limit holds it."""
        seen = len(posix.listdir("/proc"))
        for supervisor in list(self.supervisors.values()):
            most = supervisor.bounds["processes"]
            if not most or supervisor.idle or seen <= supervisor.others + most:
                continue
            crowd = seen > _CROWD + 2 * most
            if crowd:
                tell_all(STOP)
            family = family_of(supervisor.pid)
            supervisor.others = seen - family
            if family > most:
                self.end_with(supervisor)
            if crowd:
                tell_all(CONTINUE)


def family_of(pid: int) -> int:
    """How many processes are below one."""
    children = children_by_parent()
    found, rest = 0, [pid]
    while rest:
        below = children.get(rest.pop(), [])
        found += len(below)
        rest += below
    return found


def brake(bounds: Bounds) -> Bounds:
    """Bounds where the kernel counts all processes of the user: wide, but not without end."""
    with open("/proc/loadavg", "rb") as file:
        threads = int(file.read().split()[3].partition(b"/")[2])
    most = bounds["processes"]
    return {**bounds, "processes": most and most + 2 * threads}
