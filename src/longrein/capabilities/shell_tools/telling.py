"""What a model is told beside the output of a command."""

from longrein.capabilities.shell_tools.shell import Shell
from longrein.tools.within import Within

MOST_NAMED = 5
_BRIEF = 60


def joined(output: str, *lines: str) -> str:
    """The output, and lines about it."""
    if output and lines and not output.endswith("\n"):
        output += "\n"
    return output + "\n".join(lines)


def brief(command: str) -> str:
    """A command in a few words."""
    line = " ".join(command.split())
    return line if len(line) <= _BRIEF else f"{line[: _BRIEF - 3]}..."


async def changed(shell: Shell, ctx: Within) -> list[str]:
    """A line about the files that changed, or none."""
    if shell.checkpoints is None:
        return []
    try:
        paths = await shell.checkpoints.after_command(ctx)
    except Exception as error:  # the command has run: what it said must not be lost with this
        return [f"[what changed is not known: {error}]"]
    if not paths:
        return []
    named = [path.removeprefix(f"{shell.folder}/") for path in paths[:MOST_NAMED]]
    more = len(paths) - len(named)
    return [f"[changed: {', '.join(named)}{f', +{more} more' if more else ''}]"]
