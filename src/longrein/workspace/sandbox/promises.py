"""What each sandbox promises and what it does not, in sentences for people."""

import os
import platform
from collections.abc import Mapping, Sequence
from typing import Literal

from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import Isolation
from longrein.workspace.sandbox.finding import Bwrap
from longrein.workspace.sandbox.rights import landlock_version
from longrein.workspace.sandbox.seccomp import MACHINES


def of_bubblewrap(
    bwrap: Bwrap,
    *,
    network: Literal["none", "proxy", "all"],
    rules: Sequence[FileRule],
    protect: bool,
    lasting: bool,
) -> Isolation:
    """What commands in bubblewrap can and cannot do."""
    version = landlock_version() if lasting else 0
    machine = platform.machine()
    filtered = machine in MACHINES
    promises = {
        "Commands see the workspace, programs and libraries of the system, and a /tmp of their "
        "own; home and the rest of the disk are not there.": True,
        "They see and reach only processes that were started in the sandbox, and all of those end "
        "with it, whatever becomes of Longrein.": True,
        "There is no network but a loopback of their own.": network == "none",
        "The only way to the network is a proxy, which decides by host.": network == "proxy",
        "They have no capabilities and cannot gain privileges.": True,
        "Only variables that are known to be harmless reach them.": True,
        "File rules hold for the workspace; what must be asked about is forbidden to "
        "commands.": rules,
        "Git's hooks and configuration at the root, also those of submodules and work trees, "
        ".longrein, .agents, and the environment of this interpreter are read-only, where they "
        "exist.": protect,
        f"System calls that break sandboxes are refused ({machine}).": filtered,
        f"Landlock {version} holds the same borders a second time.": version,
    }
    open_network, masks = network == "all", rules or protect
    gaps = {
        "The network of the machine can be used, and whatever listens on it.": open_network,
        "Abstract unix sockets of the machine can be connected to.": open_network and version < 6,
        f"System calls are not filtered on {machine}.": not filtered,
        "Landlock does not hold a second time where a mount might not.": not version,
        "A new file whose name a rule forbids can be used by the command that makes it, or that "
        "runs while it appears; it is masked for the next command.": rules,
        "If a program outside replaces a masked file while a command runs, the command can see the "
        "new one; if it does so while a sandbox is made, an empty file may be left where it "
        "led.": masks,
        "A masked file that has a second name (a hard link) can be used under that.": masks,
        "File rules do not hold for folders of the system.": rules,
        "What commands write in the workspace may run later, outside: build files, tests, git "
        "repositories that are new or deeper, hooks and settings where there were none.": True,
        "Unix sockets of other programs in the workspace can be connected to.": True,
        "Memory is bounded for each process, not for all together; shared memory is not counted."
        + ("" if bwrap.bounds_memory else " This bubblewrap is too old to bound /tmp."): True,
        "Processes are counted twenty times a second, because root has no other "
        "limit.": os.geteuid() == 0,
    }
    return Isolation("bubblewrap", _said(promises), _said(gaps))


def of_landlock(version: int, *, network: bool, rules: Sequence[FileRule]) -> Isolation:
    """What commands that are held by Landlock alone can and cannot do."""
    machine = platform.machine()
    filtered = machine in MACHINES
    promises = {
        "Commands read the workspace, programs and libraries of the system, and a folder of their "
        "own for what is temporary; they write in the workspace and that folder only.": True,
        "There is no network, not even loopback.": filtered and not network,
        "They have no capabilities and cannot gain privileges.": True,
        "Only variables that are known to be harmless reach them.": True,
        "File rules hold for the workspace; what must be asked about is forbidden to "
        "commands.": rules,
        f"System calls that break sandboxes are refused ({machine}).": filtered,
        "They reach only their own processes with signals and abstract unix sockets.": version >= 6,
    }
    some_network = not filtered and not network
    gaps = {
        "Bubblewrap is missing: this is the lesser sandbox.": True,
        "Commands see all processes of the machine; a daemon that outwits their keeper goes "
        "on.": True,
        "Names, sizes and times of all files of the disk can be seen, and what /proc says.": True,
        "There is no /tmp of their own: programs that insist on /tmp do not work.": True,
        "Right in folders where a rule forbids something nothing new can be made, and the names of "
        "what is forbidden can be listed.": rules,
        "Git's hooks and configuration can be changed, and run later outside.": True,
        "A masked file that has a second name (a hard link) can be used under that.": rules,
        "Unix sockets of other programs can be connected to, wherever they are.": True,
        "The network of the machine can be used, and whatever listens on it.": network,
        f"On {machine} only TCP is cut off.": some_network and version >= 4,
        "The network cannot be cut off here.": some_network and version < 4,
        "They can send signals to other processes of the same user.": version < 6,
        "Memory is bounded for each process, not for all together; processes are counted "
        "twenty times a second.": True,
    }
    return Isolation("landlock", _said(promises), _said(gaps))


OF_HOST_SHELL = Isolation(
    "host shell",
    ("Only variables that are known to be harmless reach commands.",),
    (
        "Nothing is isolated: commands can do all that the user can do.",
        "File rules do not hold for commands.",
        "A daemon that outwits its keeper goes on after the session.",
    ),
)


def _said(sentences: Mapping[str, object]) -> tuple[str, ...]:
    """The sentences that hold."""
    return tuple(sentence for sentence, holds in sentences.items() if holds)
