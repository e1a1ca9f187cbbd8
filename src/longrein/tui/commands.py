"""The commands that the app itself has, as data, and what is said of one that nobody knows."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.client.port import CommandInfo

Choices: TypeAlias = Literal["", "modes", "trusts", "models", "themes", "formats"]
"""What the argument of a command is chosen from."""


class AppCommand(Struct, frozen=True):
    """A command of the app. `hint` says what it is given, `choices` what that is chosen from."""

    name: str
    description: str
    hint: str = ""
    choices: Choices = ""


COMMANDS: tuple[AppCommand, ...] = (
    AppCommand("help", "Keys and commands"),
    AppCommand("new", "Begin a new thread"),
    AppCommand("threads", "Open another thread, or search in all of them"),
    AppCommand("rename", "Give this thread another title", "TITLE"),
    AppCommand("fork", "Go another way from here, in a thread of its own"),
    AppCommand("export", "Write this thread to a file", "[FORMAT] [PATH]", "formats"),
    AppCommand("rewind", "Go back: the conversation, files, or both"),
    AppCommand("undo", "Take the last rewind back"),
    AppCommand("compact", "Make requests shorter by a summary", "[WHAT TO KEEP]"),
    AppCommand("proceed", "Go on after a failure, a limit, or a crash"),
    AppCommand("queue", "Edit what waits to be said"),
    AppCommand("release", "Let the queue go on that an interrupt held"),
    AppCommand("mode", "Change the mode", "[MODE]", "modes"),
    AppCommand("trust", "Change how much happens unasked", "[TRUST]", "trusts"),
    AppCommand("model", "Change the model, and how hard it thinks", "[MODEL]", "models"),
    AppCommand("context", "Where the tokens of a request go"),
    AppCommand("cost", "What this thread has used, and what it cost"),
    AppCommand("permissions", "What is allowed, asked about and denied, and why"),
    AppCommand("children", "The subagents at work: look in, or stop them"),
    AppCommand("jobs", "The commands in the background: look at them, or stop them"),
    AppCommand("agents", "The subagents that work can be given to"),
    AppCommand("skills", "The skills that there are"),
    AppCommand("memory", "What is remembered beyond this thread"),
    AppCommand("hooks", "Commands of yours that run on events"),
    AppCommand("doctor", "What works here, and what is missing"),
    AppCommand("theme", "Change the colours", "[THEME]", "themes"),
    AppCommand("editor", "Write in your own editor"),
    AppCommand("quit", "Leave; what runs can be gone on with later"),
)

BROUGHT: dict[str, str] = {
    "agents": "This agent has no subagents, so there is nobody to give work to.",
    "skills": "This agent has no skills. Put a folder with a SKILL.md into .longrein/skills.",
    "memory": "This agent remembers nothing beyond a thread: it has no memory.",
    "hooks": "There are no hooks here. Settings name commands to run on events under [hooks].",
}
"""Commands that the agent's capabilities carry out; what is said where none does."""


def known_commands(brought: Sequence[CommandInfo]) -> list[CommandInfo]:
    """The app's own commands, then those of the agent's capabilities that the app has not."""
    own = [CommandInfo(one.name, one.description, one.hint) for one in COMMANDS]
    names = {one.name for one in own}
    return [*own, *(one for one in brought if one.name not in names)]


def find(name: str) -> AppCommand | None:
    """The app's own command of this name."""
    return next((one for one in COMMANDS if one.name == name), None)


def unknown(name: str, known: Iterable[CommandInfo]) -> str:
    """What is said of a command that there is not, with the nearest that there are.

    >>> unknown("modle", known_commands(()))
    'There is no command /modle. Did you mean /mode or /model? /help lists all.'
    """
    hint = did_you_mean(name, [one.name for one in known], "/")
    return f"There is no command /{name}. {hint}/help lists all."


def did_you_mean(name: str, known: Sequence[str], before: str = "") -> str:
    """A question that names the nearest that there are, each with something `before` it; empty:
    none is near.

    >>> did_you_mean("edit", ("ask", "edits", "plan"))
    'Did you mean edits? '
    """
    near = [one for one in known if name and one.startswith(name)][:3]
    near = near or sorted(get_close_matches(name, known, n=2))
    return f"Did you mean {' or '.join(f'{before}{one}' for one in near)}? " if near else ""
