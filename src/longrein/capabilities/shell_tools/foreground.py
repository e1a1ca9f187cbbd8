"""A command that is waited for."""

import asyncio

from longrein.capabilities.shell_tools.following import follow
from longrein.capabilities.shell_tools.live import Live
from longrein.capabilities.shell_tools.news import news
from longrein.capabilities.shell_tools.shell import Shell
from longrein.capabilities.shell_tools.telling import changed, joined
from longrein.tools.context import Context
from longrein.workspace.sandbox.base import Command

LAST_WORDS = 0.5
"""Seconds in which what an ended command had said before is still read."""


async def run(shell: Shell, ctx: Context, command: Command) -> str:
    """Run a command to its end; cancelled, it ends with all that it started, and what it said so
    far has been shown."""
    log, live = shell.outputs.log(), Live(ctx.output)
    process = await shell.start(ctx, command)
    following = asyncio.create_task(follow(command, process, log, shell.most_output, live.add))
    try:
        await process.close_input()
        ending = await asyncio.shield(following)
        output = await shell.outputs.shown(log, 0, log.size)
    except BaseException:  # also cancelling: nothing of it may go on
        await process.kill()
        await asyncio.wait([following], timeout=LAST_WORDS)
        await changed(shell, ctx)  # told to nobody, but known to a rewind
        raise
    finally:
        following.cancel()
        await asyncio.wait([following])
        live.end()
        shell.outputs.release(log)
    return joined(output, f"[{ending}]", *await changed(shell, ctx), *news(shell, ctx))
