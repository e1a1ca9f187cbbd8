"""The port between a front end and Longrein: threads to open, displays to draw, commands to give.

A front end draws `Display` and gives commands; it holds no logic of its own. Everything here is
asynchronous and made of plain values, so that what is behind it may be this process or a server.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from msgspec import Struct

from longrein.core.commands import Answer, Command
from longrein.core.display import Display
from longrein.core.messages import File
from longrein.core.policy import Grant, Rule

if TYPE_CHECKING:  # A front end is on the screen before these are needed.
    from longrein.context.report import ContextReport
    from longrein.core.rewinds import RewindPoint, RewindPreview
    from longrein.models.listing import ModelInfo
    from longrein.permissions.explain import Explanation
    from longrein.storage.base import Hit, ThreadRow
    from longrein.workspace.rules import FileRule

Verb: TypeAlias = Literal["send", "queue", "steer"]

Owner: TypeAlias = Literal["here", "elsewhere", "nobody"]
"""Which process works on a thread: this client's, another that lives, or none."""

Barred: TypeAlias = Literal["ask", "deny"]
"""The agent is asked about first, or may not do it at all."""


class ModeInfo(Struct, frozen=True):
    """A mode that can be switched to."""

    id: str
    name: str
    description: str = ""


class CommandInfo(Struct, frozen=True):
    """A command that people give with a slash. `hint` says what it is given."""

    name: str
    description: str
    hint: str = ""


class Attachment(Struct, frozen=True):
    """A file that goes along with what is said: its name, for people, and its bytes, or what it was
    `kept` as before."""

    name: str
    data: bytes
    kept: File | None = None


class JobInfo(Struct, frozen=True):
    """A command in the background: when it was begun and ended (0: it runs), in microseconds, how
    it ended, and the last line that it put out, as far as that is known."""

    id: int
    command: str
    started: int
    ended: int = 0
    ending: str = ""
    last: str = ""


class About(Struct, frozen=True):
    """What does not change while a front end runs.

    `place` is the folder that the agent works in, or another name for what it works on. `label`
    stands at the top at all times where all is not what it seems, as in a demo. `notices` are what
    whoever opened this should know first.
    """

    place: str
    modes: tuple[ModeInfo, ...]
    label: str = ""
    notices: tuple[str, ...] = ()


class Restored(Struct, frozen=True):
    """What came of a rewind: `files` says what became of files. Not `done`: the process that works
    on the thread was asked for it."""

    files: str = ""
    done: bool = True


CheckState: TypeAlias = Literal["ok", "missing", "note"]
"""As it should be; not there, and worth getting; or just so."""


class Check(Struct, frozen=True, omit_defaults=True):
    """One thing that was looked at: what was found, and what to do about it."""

    name: str
    state: CheckState
    found: str
    fix: str = ""


class ThreadClient(Protocol):
    """One open thread.

    Everything that tells it something returns when that is durable. Whatever is refused raises
    `UsageError` with words for the person, and has changed nothing.
    """

    @property
    def thread(self) -> str: ...

    @property
    def display(self) -> Display:
        """How the thread stands now."""
        ...

    def displays(self) -> AsyncGenerator[Display, None]:
        """The display now and whenever it has changed, at most once per frame."""
        ...

    async def say(
        self, verb: Verb, text: str, files: Sequence[Attachment] = (), command: str = ""
    ) -> None:
        """Say something to the agent; the input has the id `command`, if one is given."""
        ...

    async def keep_file(self, file: Attachment) -> File:
        """Keep a file, for a command to refer to."""
        ...

    async def whole(self, call: str) -> str:
        """All that a call said, where its result has only head and tail; empty: that is all."""
        ...

    async def draft(self) -> bytes:
        """What was written here and not sent, as a front end left it; empty: nothing."""
        ...

    async def keep_draft(self, data: bytes) -> None:
        """Keep what is written, for when the thread is opened next; empty: nothing any more.

        Raises `OSError`.
        """
        ...

    async def submit(self, command: Command) -> Answer:
        """Give any other command: approve, decline, answer, interrupt, switch and so on.

        `Answer.message` is for the person: why it was refused, or what else came of it.
        """
        ...

    async def proceed(self) -> None:
        """Go on after a failure or a limit."""
        ...

    async def resume(self) -> None:
        """Go on with what an earlier process left open."""
        ...

    async def owner(self) -> Owner:
        """Which process works on the thread."""
        ...

    async def points(self) -> Sequence["RewindPoint"]:
        """Every input that can be rewound to, the newest first."""
        ...

    async def preview(self, point: str, overwrite: Sequence[str] = ()) -> "RewindPreview":
        """What a rewind to before the input `point` would do."""
        ...

    async def rewind(
        self, point: str, *, files: bool, conversation: bool, overwrite: Sequence[str] = ()
    ) -> Restored:
        """Go back to before an input."""
        ...

    async def undo(self) -> Restored:
        """Take the last rewind back."""
        ...

    async def context(self) -> "ContextReport":
        """Where the tokens of the next request go."""
        ...

    async def rules(self) -> Sequence[tuple[str, Rule]]:
        """Every rule that holds, with where it comes from."""
        ...

    async def file_rules(self) -> Sequence["FileRule"]:
        """Every rule about files that holds; the first that is about a path decides."""
        ...

    async def unreadable(self, paths: Sequence[str]) -> "Mapping[str, Barred]":
        """Those of the paths, as a person names them, that the agent may not read as it likes."""
        ...

    async def grants(self) -> Sequence[Grant]:
        """Every remembered yes that holds."""
        ...

    async def explain(self, tool: str, arguments: Mapping[str, Any]) -> "Explanation":
        """Whether a call would be allowed, asked about or denied now, and by which rule."""
        ...

    async def commands(self) -> Sequence[CommandInfo]:
        """The commands that the agent's capabilities bring."""
        ...

    async def invoke(self, name: str, arguments: str = "") -> str:
        """Carry out one of them; returns what it has to say."""
        ...

    async def shell(self, line: str, hear: Callable[[str], object]) -> int:
        """Run a command of the person's own; `hear` gets its output as it comes.

        Returns the exit code. The agent is told of it when it next runs. Cancelling ends the
        command with everything that it started.
        """
        ...

    async def child(self, thread: str) -> "ThreadClient":
        """A child of this thread, to look in and to speak to. Raises `NotFound`."""
        ...

    async def stop_child(self, thread: str) -> bool:
        """End a child's work; False where it has ended already."""
        ...

    async def jobs(self) -> Sequence[JobInfo]:
        """The commands in the background, those that ended a while ago excepted; the newest
        first."""
        ...

    async def job_output(self, job: int) -> str:
        """What a job has put out so far. Raises `UsageError` where that is not kept here."""
        ...

    async def stop_job(self, job: int) -> bool:
        """End a job, and tell the agent when it next runs; False where it has ended already."""
        ...


class Client(Protocol):
    """The threads of one project, and what else there is to choose from."""

    @property
    def about(self) -> About: ...

    @property
    def busy(self) -> bool:
        """Whether anything runs that would stop if this front end were left."""
        ...

    @property
    def waiting(self) -> frozenset[str]:
        """The threads that this front end works on, shown or not, and that wait for the person."""
        ...

    async def open(self, thread: str = "", *, new: bool = False) -> ThreadClient:
        """A thread: the one named, a new one, or the last one used. Starts nothing in it.

        It is the last one used once something is said in it.
        """
        ...

    async def last(self) -> str:
        """The thread that was last used; empty: there is none."""
        ...

    async def let_go(self, shown: str) -> None:
        """Let go of every thread but the one that is shown, unless a run is open in it."""
        ...

    async def threads(
        self, *, after: "ThreadRow | None" = None, limit: int = 50
    ) -> Sequence["ThreadRow"]:
        """A page of threads, the last used first; `after` is the last row before."""
        ...

    async def search(self, text: str, *, limit: int = 20) -> Sequence["Hit"]:
        """The threads in which these words are found, the best first."""
        ...

    async def said(self, *, limit: int = 500) -> Sequence[str]:
        """What the person said before in the project's threads, the newest first."""
        ...

    async def owner(self, thread: str) -> Owner:
        """Which process works on a thread, without opening it."""
        ...

    async def rename(self, thread: str, title: str) -> None:
        """Give a thread a title, without opening it."""
        ...

    async def tag(self, thread: str, tags: Sequence[str]) -> None:
        """Give a thread these tags instead of those that it has, without opening it."""
        ...

    async def fork(self, thread: str) -> ThreadClient:
        """A thread that goes its own way from where this one stands."""
        ...

    async def delete(self, thread: str) -> None:
        """Remove a thread and all that only it refers to."""
        ...

    async def export(self, thread: str, format: Literal["json", "markdown"]) -> bytes:
        """A whole thread, to keep or to read elsewhere."""
        ...

    async def models(self) -> Sequence["ModelInfo"]:
        """The models that can be named, with whether they can be used."""
        ...

    async def files(self, part: str, *, limit: int = 20) -> Sequence[str]:
        """Paths in the agent's folder that fit what was typed of one, the best first."""
        ...

    async def attachment(self, path: str) -> Attachment:
        """A file as seen from the agent's folder, to send along; `~` is the person's home.

        Raises `NotFound`, or `UsageError` for what cannot be sent along.
        """
        ...

    async def checks(self) -> Sequence[Check]:
        """What works here and what is missing."""
        ...

    async def keep(self, setting: str, value: str) -> None:
        """Keep a choice of the person for the next time, as a setting of theirs."""
        ...

    def suggestion(self, shown: Display) -> str:
        """What the person might say next; empty: nothing in particular."""
        ...
