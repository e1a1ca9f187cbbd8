"""What each sandbox promises and what it does not, in sentences for people."""

import os
import platform
from collections.abc import Sequence
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
    networks = {
        "none": "There is no network but a loopback of their own.",
        "proxy": "The only way to the network is a proxy, which decides by host.",
        "all": "",
    }
    promises = (
        "Commands see the workspace, programs and libraries of the system, and a /tmp of their "
        "own; home and the rest of the disk are not there.",
        "They see and reach only processes that were started in the sandbox, and all of those end "
        "with it, whatever becomes of Longrein.",
        networks[network],
        "They have no capabilities and cannot gain privileges.",
        "Only variables that are known to be harmless reach them.",
        "File rules hold for the workspace; what must be asked about is forbidden to commands."
        if rules
        else "",
        "Git's hooks and configuration at the root, also those of submodules and work trees, "
        ".longrein, .agents, and the environment of this interpreter are read-only, where they "
        "exist."
        if protect
        else "",
        f"System calls that break sandboxes are refused ({machine})." if filtered else "",
        f"Landlock {version} holds the same borders a second time." if version else "",
    )
    gaps = (
        "The network of the machine can be used, and whatever listens on it."
        if network == "all"
        else "",
        "Abstract unix sockets of the machine can be connected to."
        if network == "all" and version < 6
        else "",
        f"System calls are not filtered on {machine}." if not filtered else "",
        "Landlock does not hold a second time where a mount might not." if not version else "",
        "A new file whose name a rule forbids can be used by the command that makes it, or that "
        "runs while it appears; it is masked for the next command."
        if rules
        else "",
        "If a program outside replaces a masked file while a command runs, the command can see the "
        "new one; if it does so while a sandbox is made, an empty file may be left where it led."
        if rules or protect
        else "",
        "A masked file that has a second name (a hard link) can be used under that."
        if rules or protect
        else "",
        "File rules do not hold for folders of the system." if rules else "",
        "What commands write in the workspace may run later, outside: build files, tests, git "
        "repositories that are new or deeper, hooks and settings where there were none.",
        "Unix sockets of other programs in the workspace can be connected to.",
        "Memory is bounded for each process, not for all together; shared memory is not counted."
        + ("" if bwrap.bounds_memory else " This bubblewrap is too old to bound /tmp."),
        "Processes are counted twenty times a second, because root has no other limit."
        if os.geteuid() == 0
        else "",
    )
    return Isolation("bubblewrap", _said(promises), _said(gaps))


def of_landlock(version: int, *, network: bool, rules: Sequence[FileRule]) -> Isolation:
    """What commands that are held by Landlock alone can and cannot do."""
    machine = platform.machine()
    filtered = machine in MACHINES
    promises = (
        "Commands read the workspace, programs and libraries of the system, and a folder of their "
        "own for what is temporary; they write in the workspace and that folder only.",
        "There is no network, not even loopback." if filtered and not network else "",
        "They have no capabilities and cannot gain privileges.",
        "Only variables that are known to be harmless reach them.",
        "File rules hold for the workspace; what must be asked about is forbidden to commands."
        if rules
        else "",
        f"System calls that break sandboxes are refused ({machine})." if filtered else "",
        "They reach only their own processes with signals and abstract unix sockets."
        if version >= 6
        else "",
    )
    gaps = (
        "Bubblewrap is missing: this is the lesser sandbox.",
        "Commands see all processes of the machine; a daemon that outwits their keeper goes on.",
        "Names, sizes and times of all files of the disk can be seen, and what /proc says.",
        "There is no /tmp of their own: programs that insist on /tmp do not work.",
        "Right in folders where a rule forbids something nothing new can be made, and the names of "
        "what is forbidden can be listed."
        if rules
        else "",
        "Git's hooks and configuration can be changed, and run later outside.",
        "A masked file that has a second name (a hard link) can be used under that."
        if rules
        else "",
        "Unix sockets of other programs can be connected to, wherever they are.",
        "The network of the machine can be used, and whatever listens on it." if network else "",
        ""
        if filtered or network
        else f"On {machine} only TCP is cut off."
        if version >= 4
        else "The network cannot be cut off here.",
        "They can send signals to other processes of the same user." if version < 6 else "",
        "Memory is bounded for each process, not for all together; processes are counted "
        "twenty times a second.",
    )
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


def _said(sentences: Sequence[str]) -> tuple[str, ...]:
    return tuple(filter(None, sentences))
