"""The parent of a command and of all that it leaves behind."""

import marshal
import posix
import select
from _socket import socket

from longrein.workspace.sandbox.inside.kernel import (
    CHILD_ENDED,
    DEFAULT,
    DIE_WITH_PARENT,
    IGNORE,
    KILL,
    SUBREAPER,
    Bounds,
    call,
    limit,
    receive,
)

Request = tuple[int, bytes, bytes, dict[bytes, bytes], Bounds]
"""Number, line, folder, environment, bounds."""

_IGNORED_BY_PYTHON = (13, 25)  # SIGPIPE and SIGXFSZ


def supervise(door: socket, shell: bytes, bounds: Bounds) -> None:
    """Run commands one after the other, each until nothing of it is left."""
    call("prctl", SUBREAPER, 1, 0, 0, 0)
    if posix.getppid() != 1:
        call("prctl", DIE_WITH_PARENT, KILL, 0, 0, 0)
    limit(bounds)
    while True:
        data, descriptors = receive(door)
        if not data:
            return
        run(marshal.loads(data), descriptors, shell)
        for descriptor in descriptors:
            posix.close(descriptor)
        door.send(b"idle")


def run(request: Request, descriptors: list[int], shell: bytes) -> None:
    """Run a command, tell how it ended, and return when nothing of it is there."""
    _, line, folder, environ, _ = request
    stdin, stdout, unread, link = descriptors
    doing = b"folder"
    try:
        posix.chdir(folder)
        doing = b"shell"
        pid = posix.posix_spawn(
            shell,
            [shell, b"-c", line],
            environ,
            file_actions=[
                (posix.POSIX_SPAWN_DUP2, stdin, 0),
                (posix.POSIX_SPAWN_DUP2, stdout, 1),
                (posix.POSIX_SPAWN_DUP2, stdout, 2),
            ],
            setsid=True,
            setsigdef=_IGNORED_BY_PYTHON,
        )
    except OSError as error:
        posix.write(link, b"failed %s %d" % (doing, error.errno or 0))
        return
    posix.write(link, b"started")
    for number in (stdin, stdout):
        posix.close(number)
        descriptors.remove(number)
    ended, status = 0, 0
    while ended != pid:
        ended, status = posix.wait()
    posix.write(link, b"ended %d" % status)
    try:
        posix.waitid(posix.P_ALL, 0, posix.WEXITED | posix.WNOHANG | posix.WNOWAIT)
    except ChildProcessError:
        return
    stay(unread, link)


def stay(unread: int, link: int) -> None:
    """Be the parent of what a command left behind, until it ends by itself."""
    call("signal", CHILD_ENDED, IGNORE)  # nobody needs to be waited for
    posix.read(link, 1)  # at its end whoever reads the output has what came before the end
    output = select.poll()
    output.register(unread, select.POLLIN)
    while output.poll() and posix.read(unread, 1 << 16):
        pass  # the rest is for nobody, and must not stop who writes it
    try:
        while True:
            posix.wait()
    except ChildProcessError:
        call("signal", CHILD_ENDED, DEFAULT)
