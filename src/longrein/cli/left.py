"""What runs leave behind: files that they changed, commands that end with them, and children."""

from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct

from longrein.capabilities.shell_tools.records import JOBS
from longrein.capabilities.workspace.opened import OpenWorkspace
from longrein.client.words import seen_from
from longrein.core.children import ChildView
from longrein.core.errors import UsageError
from longrein.session.session import Session
from longrein.workspace.checkpoints.values import FileChange, Status

MOST_NAMED = 5


class Changed(Struct, frozen=True):
    """A file that a run changed; `added` and `removed` count lines."""

    path: str
    status: Status
    added: int
    removed: int


class LeftJob(Struct, frozen=True):
    """A command in the background."""

    id: int
    command: str


class LeftChild(Struct, frozen=True):
    """A child that has not ended: it goes on where the thread does."""

    thread: str
    agent: str
    title: str
    state: str


class Left(Struct, frozen=True):
    """Changed files, in order, the jobs that do not outlive the process, and open children."""

    changed: tuple[Changed, ...] = ()
    jobs: tuple[LeftJob, ...] = ()
    children: tuple[LeftChild, ...] = ()


NOTHING = Left()


async def left_by(session: Session, runs: Sequence[str]) -> Left:
    """What runs leave behind."""
    children = tuple(
        LeftChild(child.thread, child.agent, child.title, child.state)
        for child in session.folded.children
        if child.open
    )
    workspace = workspace_of(session)
    if workspace is None:
        return Left(children=children)
    changed: dict[str, Changed] = {}
    for run in runs:
        for one in await workspace.changed(run=run):
            now = Changed(one.path, one.status, one.added, one.removed)
            changed[one.path] = _together(changed[one.path], now) if one.path in changed else now
    return Left(tuple(changed.values()), tuple(_jobs(session)), children)


def _together(earlier: Changed, later: Changed) -> Changed:
    """What became of a file in two runs."""
    status = later.status if earlier.status != "added" or later.status == "deleted" else "added"
    lines = (earlier.added + later.added, earlier.removed + later.removed)
    return Changed(later.path, status, *lines)


def workspace_of(session: Session) -> OpenWorkspace | None:
    """The workspace of a session, if its agent has one."""
    with suppress(UsageError):
        return session.capability(OpenWorkspace)
    return None


def changed_line(changed: Sequence[Changed], folder: str) -> str:
    """The files in a line, the first few by name; empty where there are none."""
    named = [f"{seen_from(folder, one.path)} ({counts(one)})" for one in changed[:MOST_NAMED]]
    more = [f"{len(changed) - MOST_NAMED} more"] if len(changed) > MOST_NAMED else []
    return f"changed: {', '.join((*named, *more))}" if named else ""


def jobs_line(jobs: Sequence[LeftJob]) -> str:
    """The jobs in a line; empty where there are none."""
    listed = ", ".join(f"job {one.id} ({' '.join(one.command.split())})" for one in jobs)
    return f"ended with this run: {listed}" if listed else ""


def children_lines(children: Sequence[LeftChild]) -> list[str]:
    """A line for each child that was left in the middle of its work."""
    return [f"not ended: {child_line(one)}" for one in children if one.state == "running"]


def child_line(child: LeftChild | ChildView) -> str:
    """A child in a line: who it is, what for, how it stands, and its thread."""
    title = f" '{child.title}'" if child.title else ""
    return f"{child.agent}{title} ({child.state}), {child.thread}"


def counts(change: Changed | FileChange) -> str:
    """What became of a file, in a word or two numbers."""
    match change.status:
        case "added":
            return "new"
        case "deleted":
            return "deleted"
        case "mode":
            return "mode"
        case "modified":
            return f"+{change.added} -{change.removed}"


def _jobs(session: Session) -> list[LeftJob]:
    if not session.conductor.owns:
        # They run where the run does, and go on.
        return []
    with suppress(UsageError):  # there is no shell
        return [LeftJob(one.id, one.command) for one in session.read(JOBS) if one.ended is None]
    return []
