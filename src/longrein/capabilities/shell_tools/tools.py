"""The shell tools: `execute`, and `job` for what runs in the background."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias, assert_never

from longrein.capabilities.shell_tools.background import begin, find, hear, listed, write
from longrein.capabilities.shell_tools.foreground import run
from longrein.capabilities.shell_tools.judging import Judging
from longrein.capabilities.shell_tools.news import news
from longrein.capabilities.shell_tools.shell import Shell
from longrein.capabilities.shell_tools.telling import changed, joined
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool

Action: TypeAlias = Literal["read", "write", "stop", "list"]

LONGEST_WAIT = 600.0


def shell_tools(shell: Shell) -> list[Tool]:
    """`execute` and `job`, for the session that the shell was made for."""
    judging = Judging(shell)

    # Alone in its step, in its place: a test does not run beside the edit that it is to test.
    @tool(
        category="execute",
        exclusive=True,
        timeout=None,
        touches=judging.execute,
        preview=judging.show_execute,
    )
    async def execute(
        ctx: Context,
        command: str,
        timeout: float = shell.bounds.seconds or shell.longest,
        background: bool = False,
        folder: str = "",
        hosts: tuple[str, ...] = (),
    ) -> str:
        """Run a shell command; returns its output and exit code.

        Each runs in a new shell: cd and variables do not last.

        Args:
            timeout: Seconds; then it is killed.
            background: Run it as a job, without timeout: servers, watchers, long builds.
            folder: Where, if not in the working folder.
            hosts: Names of the hosts that it has to reach; others cannot be reached.
        """
        judging.check()
        wanted = judging.command(command, folder, None if background else timeout)
        if shell.door is None:
            return await (begin if background else run)(shell, ctx, wanted)
        named = judging.hosts(hosts)
        before = await shell.door.open(ctx, named)
        try:
            said = await (begin if background else run)(shell, ctx, wanted)
        finally:
            if not background:  # jobs reach theirs until the session ends
                shell.door.shut(named)
        return joined(said, *shell.door.refused(before, named))

    @tool(
        category="execute",
        exclusive=lambda arguments: "jobs",
        timeout=None,
        touches=judging.job,
        preview=judging.show_job,
    )
    async def job(
        ctx: Context, id: int = 0, action: Action = "read", input: str = "", wait: float = 0
    ) -> str:
        """Read new output of a background job, write to it, stop it, or list jobs.

        Args:
            input: To write; a newline is added if missing, "" closes its input.
            wait: Read when it has ended, or after so many seconds.
        """
        if action == "list" or not id:
            return joined(listed(shell), *news(shell, ctx))
        found = find(shell, ctx, id)
        match action:
            case "read":
                await found.over(min(wait, LONGEST_WAIT))
            case "write":
                await write(found, input)
                await found.spoken(shell.moment, shell.silence)
            case "stop":
                await shell.jobs.stop(found)
            case _:
                assert_never(action)
        heard, over = await hear(shell, found)
        told = news(shell, ctx, besides=id if over else 0)
        return joined(heard, *await changed(shell, ctx), *told)

    known = replace(execute, arguments=execute.arguments.mending(_mend))
    return [known, job]


def _mend(given: Mapping[str, Any]) -> dict[str, Any]:
    """Other names that models know for the folder, and a description that is needed by nobody."""
    mended = {name: value for name, value in given.items() if name != "description"}
    for other in ("cwd", "workdir"):
        if other in mended and "folder" not in mended:
            mended["folder"] = mended.pop(other)
    return mended
