"""May this command run? What rules are told of it, and what a person is shown."""

import asyncio
from collections.abc import Mapping, Sequence
from posixpath import join, normpath
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from longrein.capabilities.shell_tools.shell import Shell
from longrein.core.errors import ToolError
from longrein.core.policy import Rule, Touches
from longrein.core.text import printable
from longrein.permissions.matching import for_people
from longrein.tools.context import Context
from longrein.workspace.guarded import ways
from longrein.workspace.network.hosts import BadHost, canonical_host
from longrein.workspace.paths import is_below
from longrein.workspace.previews import danger
from longrein.workspace.problems import Elsewhere, FileProblem
from longrein.workspace.rules import Operation, decide
from longrein.workspace.sandbox.base import Command
from longrein.workspace.shell.commands import ShellFacts, touching
from longrein.workspace.shell.judging import judged

UNBOUND = (
    "Nothing was run: file rules deny some files, and commands are not isolated here ({name}), so "
    "the rules would not hold for them. Use the file tools, and tell the user: a sandbox is needed."
)

UNCLEAR = "shell: not clear what it does"

LONGEST = 131_071
"""Bytes of a line that Linux starts; what has more characters need not be looked at."""

TOO_LONG = "Nothing was run: the line is too long. Write a script to a file and run that."
QUICK = 1_000
"""Characters of a line that is read at once; for a longer one nobody should have to wait."""

ORDINARY = "is not in the table of harmless commands"
"""Why most commands are asked about: nothing to tell people each time."""

CONNECTING = "network: hosts that no rule allows"
"""The rule that asks where a command wants to reach hosts."""


class Known(Struct, frozen=True):
    """What is known of a line: `paths` are the files that it names, links resolved. `unclear` says
    why what it runs or touches may be something else."""

    facts: ShellFacts
    paths: tuple[tuple[str, Operation], ...]
    unclear: str


class Judging:
    """What can be said of a call before it runs."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def check(self) -> None:
        """Raises `ToolError` where file rules would not hold for commands."""
        shell = self._shell
        if shell.isolates or shell.deny_rules_do_not_bind_the_shell:
            return
        if shell.denies:
            raise ToolError(UNBOUND.format(name=shell.sandbox.isolation.name))

    def command(self, line: str, folder: str, seconds: float | None) -> Command:
        """What the sandbox is to run. Raises `ToolError` for what cannot be."""
        if not line.strip():
            raise ToolError("Nothing was run: `command` is empty.")
        if len(line) > LONGEST:
            raise ToolError(TOO_LONG)
        if "\0" in line:
            raise ToolError("Nothing was run: a command cannot hold a NUL.")
        if seconds is not None:
            if not seconds > 0:
                raise ToolError("Nothing was run: `timeout` is in seconds, above 0.")
            seconds = min(seconds, self._shell.longest)
        where = normpath(join(self._shell.folder, folder))
        bounds = replace(self._shell.bounds, seconds=seconds)
        return Command(line, where, bounds, self._shell.environ)

    def hosts(self, named: Sequence[str]) -> tuple[str, ...]:
        """Hosts in their one true form. Raises `ToolError` for what is none."""
        if named and self._shell.door is None and self._shell.network != "on":
            raise ToolError("Nothing was run: there is no network here; leave `hosts` out.")
        try:
            return tuple(dict.fromkeys(canonical_host(host) for host in named))
        except BadHost as problem:
            raise ToolError(f"Nothing was run: {problem} Give names, without scheme.") from None

    async def execute(self, arguments: Mapping[str, Any], ctx: Context) -> Touches:
        """What a command would touch, and what our own rules say of it."""
        self.check()
        command = self.command(arguments["command"], arguments["folder"], None)
        hosts = self.hosts(arguments["hosts"])
        known = await self._known(command)
        paths = tuple(dict.fromkeys(path for path, _ in known.paths))
        said = self._judged(known, ctx.tool)
        if not all(ctx.may_connect(host) for host in hosts):
            # Also where the tool is allowed as such: that says nothing about hosts.
            said = [rule for rule in said if rule.effect != "allow"]
            said.append(Rule("ask", tool=ctx.tool, id=CONNECTING))
        return Touches(paths, known.facts.commands, hosts, tuple(dict.fromkeys(said)))

    async def job(self, arguments: Mapping[str, Any], ctx: Context) -> Touches:
        """Jobs may be read and stopped unasked; what is written to one may do anything."""
        if arguments["action"] == "write" and arguments["id"]:
            return Touches()
        return Touches(judged=(Rule("allow", tool=ctx.tool, id="jobs: reading and stopping"),))

    async def show_execute(self, arguments: Mapping[str, Any], ctx: Context) -> str:
        """The commands that a line would run, where, and what is to be said about them."""
        command = self.command(arguments["command"], arguments["folder"], None)
        known = await self._known(command)
        facts, beyond = known.facts, self._shell.not_rewindable
        lines = [
            *for_people(facts.commands),
            f"in {command.folder}{', in the background' if arguments['background'] else ''}",
            *(f"{operation}s {path}" for path, operation in known.paths),
            self._isolation(),
            *(f"connects to {host}" for host in self.hosts(arguments["hosts"])),
            *(danger(one.id, one.reason) for one in facts.findings),
        ]
        if not facts.proof.safe and not facts.proof.reason.endswith(ORDINARY):
            lines.append(f"not proven harmless: {facts.proof.reason}")
        if known.unclear and known.unclear != facts.proof.reason:
            lines.append(f"not clear: {known.unclear}")
        if beyond is not None and (said := await beyond()):
            lines.append(said)
        return "\n".join(map(printable, lines))

    async def show_job(self, arguments: Mapping[str, Any], ctx: Context) -> str:
        """What would be written to which job."""
        job = self._shell.jobs.get(arguments["id"])
        command = job.command.line if job else "(it does not run)"
        action, input = arguments["action"], arguments["input"]
        what = (f" {input!r}" if input else " the end of its input") if action == "write" else ""
        about = f"job {arguments['id']}: {command}"
        return "\n".join(map(printable, (f"{action}{what}", about, self._isolation())))

    def _isolation(self) -> str:
        name = self._shell.sandbox.isolation.name
        if self._shell.isolates:
            return f"isolated by {name}, network {self._shell.network}"
        return f"not isolated ({name}): it can do all that you can"

    async def _known(self, command: Command) -> Known:
        (*_, folder), problem = await self._ways(command.folder)
        if len(command.line) > QUICK:
            facts = await asyncio.to_thread(touching, command.line, folder)
        else:
            facts = touching(command.line, folder)
        unclear = facts.problem or problem
        named: dict[Operation, tuple[str, ...]] = {
            "write": facts.writes,
            "read": (*facts.reads, *facts.proof.reads),
        }
        paths: list[tuple[str, Operation]] = []
        if folder != self._shell.folder:
            # It is not what was meant by whoever allowed the same line in the working folder.
            paths.append((folder, "read"))
            if not is_below(folder, self._shell.folder):
                unclear = unclear or "it runs outside of the working folder"
        for operation, some in named.items():
            for path in some:
                found, problem = await self._ways(path)
                paths.extend((one, operation) for one in found)
                unclear = unclear or problem
        return Known(facts, tuple(dict.fromkeys(paths)), unclear)

    async def _ways(self, path: str) -> tuple[tuple[str, ...], str]:
        """The path, through each link, and where it ends; or as it is, with why that is not known.

        A rule may be about a link, or about what it leads to.
        """
        if self._shell.files is None:
            return (path,), ""
        try:
            return await ways(self._shell.files, path), ""
        except Elsewhere:  # commands may see more than the workspace
            return (path,), ""
        except FileProblem as problem:
            return (path,), str(problem)

    def _judged(self, known: Known, tool: str) -> list[Rule]:
        """What our own tables and the file rules say of a line.

        Nothing, where all its commands are known and may have effects: rules of the application
        that allow them by name then count, and where there are none a person is asked.
        """
        said = judged(known.facts, tool)
        strict = [rule for rule in said if rule.effect != "allow"]
        if known.unclear:
            strict.append(Rule("ask", tool=tool, id=UNCLEAR))
        for path, operation in known.paths:
            verdict = decide(self._shell.rules, path, operation)
            if verdict.effect != "allow":
                # Nobody can be asked in the middle of a command: the sandbox forbids it anyway.
                strict.append(Rule("deny", tool=tool, id=f"file rule: {verdict.rule}"))
        if strict:
            return strict
        if not self._shell.isolates:  # what is read may be, what runs is asked about
            return [rule for rule in said if rule.path]
        return list(said)
