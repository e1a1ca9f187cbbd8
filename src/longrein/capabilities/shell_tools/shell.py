"""`Shell`: what the shell tools of one session work with."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from longrein.capabilities.shell_tools.door import Door
from longrein.capabilities.shell_tools.jobs import Job, Jobs
from longrein.capabilities.shell_tools.outputs import Outputs
from longrein.core.errors import ToolError
from longrein.core.ids import Clock, SystemClock
from longrein.tools.within import Within
from longrein.workspace.base import FileSystem
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import Bounds, Command, Process, Sandbox, SandboxProblem
from longrein.workspace.sandbox.promises import OF_HOST_SHELL

BOUNDS = Bounds()
MOST_OUTPUT = 1024**3


class Checkpoints(Protocol):
    """Keeps what commands change, so that it can be brought back."""

    async def before_command(self, ctx: Within) -> None:
        """A command is about to run. What this raises keeps it from running."""
        ...

    async def not_run(self, ctx: Within) -> None:
        """The command that was about to run did not."""
        ...

    async def after_command(self, ctx: Within) -> Sequence[str]:
        """The files that have changed since this was last asked, or the command began."""
        ...


@dataclass(frozen=True, slots=True)
class Shell:
    """Where commands run and what holds for them, in one session; `close` it with the session.

    `folder` is the working folder. `bounds` hold for every command; a model may ask for other
    seconds, up to `longest`, and jobs have none. A job that was begun or written to has a `moment`,
    in seconds, to say something at once; what it said before a `silence`, in seconds as well, is
    taken for all of it for now. A command that puts out more than `most_output` bytes is ended.
    `rules` are the file rules, which `sandbox` has to enforce: if somebody `denies`
    something by them, nothing runs where it isolates nothing, unless
    `deny_rules_do_not_bind_the_shell`.
    `files` resolves links in paths that commands name, so that rules are asked about what they
    lead to. `environ` is added to the variables of commands. `door` lets commands reach hosts that
    are named and allowed. `network` and `not_rewindable` are told to people who are asked about a
    command. `watch` is told of every job that was begun and still runs.
    """

    sandbox: Sandbox
    folder: str
    bounds: Bounds = BOUNDS
    longest: float = 3_600.0
    moment: float = 0.5
    silence: float = 0.15
    most_output: int = MOST_OUTPUT
    outputs: Outputs = field(default_factory=Outputs)
    rules: tuple[FileRule, ...] = ()
    denies: bool = False
    files: FileSystem | None = None
    checkpoints: Checkpoints | None = None
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    door: Door | None = None
    network: str = "off"
    not_rewindable: Callable[[], Awaitable[str]] | None = None
    deny_rules_do_not_bind_the_shell: bool = False
    clock: Clock = field(default_factory=SystemClock)
    jobs: Jobs = field(default_factory=Jobs)
    watch: Callable[[Job], None] = lambda job: None

    @property
    def isolates(self) -> bool:
        """Whether the sandbox keeps commands from files that rules deny."""
        isolation = self.sandbox.isolation
        # That one promises something, too, but nothing about files.
        return isolation.name != OF_HOST_SHELL.name and bool(isolation.promises)

    async def start(self, ctx: Within, command: Command) -> Process:
        """Begin a command. Raises `ToolError`, for the model, where that cannot be."""
        if self.checkpoints is not None:
            await self.checkpoints.before_command(ctx)
        try:
            return await self.sandbox.start(command)
        except BaseException as problem:
            if self.checkpoints is not None:
                await self.checkpoints.not_run(ctx)
            if isinstance(problem, SandboxProblem):
                raise ToolError(f"Nothing was run: {problem}") from problem
            raise

    async def close(self) -> None:
        """End every command and job, and all that they started."""
        try:
            await self.jobs.close()
        finally:
            await self.sandbox.close()
            self.outputs.close()
