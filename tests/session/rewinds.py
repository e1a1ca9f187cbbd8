"""An agent that changes real files, and can put them back."""

from collections.abc import Callable, Collection, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import HookContext
from longrein.capabilities.todos import Todos
from longrein.core.events import Event, Recorded
from longrein.core.messages import Assistant, Message, Note, ToolResult, User
from longrein.core.restored import RestoreReport, Untouched
from longrein.core.slices import Slice
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.base import Request
from longrein.session.session import Session
from longrein.storage.base import Store
from longrein.testing import Reply, ScriptedModel, call, say
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool


class Change(Struct, frozen=True):
    """A file that was changed by event `seq`: what it held before (None: it was not there) and
    after."""

    name: str
    before: str | None
    after: str | None
    seq: int = 0


Changes: TypeAlias = tuple[Change, ...]


def _changes(so_far: Changes, event: Event) -> Changes:
    if not isinstance(event, Recorded) or event.kind != "changed":
        return so_far
    return (*so_far, msgspec.structs.replace(msgspec.convert(event.data, Change), seq=event.seq))


def _current(files: dict[str, str | None], event: Event) -> dict[str, str | None]:
    if not isinstance(event, Recorded) or event.kind != "changed":
        return files
    change = msgspec.convert(event.data, Change)
    return {**files, change.name: change.after}


HISTORY: Slice[Changes] = Slice("history", Changes, (), _changes)
CURRENT: Slice[dict[str, str | None]] = Slice(
    "changed_files", dict[str, str | None], {}, _current, rewinds="files"
)


class Drawer(Capability):
    """Files in a folder. `meanwhile` is called while they are put back."""

    def __init__(self, folder: Path, meanwhile: Callable[[], Any] | None = None) -> None:
        self._folder = folder
        self._meanwhile = meanwhile

    def slices(self) -> Sequence[Slice[Any]]:
        return (HISTORY, CURRENT)

    def tools(self) -> Sequence[Tool]:
        @tool(category="read")
        async def put(ctx: Context, name: str, text: str) -> str:
            """Write a file."""
            ctx.record("changed", Change(name, self._text(name), text))
            (self._folder / name).write_text(text)
            return f"wrote {name}"

        return (put,)

    async def restore(
        self, ctx: HookContext, since: int, overwrite: Collection[str], *, dry: bool
    ) -> RestoreReport:
        if self._meanwhile is not None and not dry:
            await self._meanwhile()
        later = [change for change in ctx.read(HISTORY) if change.seq >= since]
        first = {change.name: change.before for change in reversed(later)}
        last = {change.name: change.after for change in later}
        restored, removed, foreign = list[str](), list[str](), list[Untouched]()
        for name, text in first.items():
            now = self._text(name)
            if now not in (last[name], text) and name not in overwrite:
                foreign.append(Untouched(name, "somebody else changed it"))
                continue
            (removed if text is None else restored).append(name)
            if not dry:
                self._put_back(name, text)
                ctx.record("changed", Change(name, now, text))
        return RestoreReport(tuple(restored), tuple(removed), tuple(foreign))

    def _put_back(self, name: str, text: str | None) -> None:
        if text is None:
            (self._folder / name).unlink(missing_ok=True)
        else:
            (self._folder / name).write_text(text)

    def _text(self, name: str) -> str | None:
        path = self._folder / name
        return path.read_text() if path.exists() else None


class Model:
    """Does what its user says: "put NAME TEXT", "todo TEXT", "deploy TARGET"; else it answers.

    `heard` are the messages of each request.
    """

    def __init__(self) -> None:
        self.heard: list[list[Message]] = []

    def __call__(self, request: Request) -> Reply:
        self.heard.append(list(request.messages))
        since = takewhile(lambda one: not isinstance(one, Assistant), reversed(request.messages))
        said = next((words_of(one) for one in since if isinstance(one, User)), "")
        match said.split(" ", 2):
            case ["put", name, text]:
                return call("put", name=name, text=text)
            case ["deploy", target]:
                return call("deploy", target=target)
            case ["todo", *text]:
                return call("write_todos", todos=[{"text": " ".join(text)}])
            case _:
                return say(f"answer {len(self.heard)}")

    @property
    def last(self) -> list[str]:
        """The words of the last request, without what tools said."""
        return [words_of(one) for one in self.heard[-1] if not isinstance(one, ToolResult)]


def words_of(message: Message) -> str:
    """What a message says."""
    match message:
        case User(parts=parts):
            return "".join(getattr(part, "text", "") for part in parts)
        case Note(text=text) | Assistant(text=text) | ToolResult(text=text):
            return text


def harness(
    folder: Path | None = None,
    *tools: Tool,
    model: Model | None = None,
    store: str | Store = "memory",
    meanwhile: Callable[[], Any] | None = None,
    drawer: type[Drawer] = Drawer,
) -> Harness:
    """A harness whose agent has a list of todos and, where there is a folder, a drawer."""
    capabilities = [Todos(), *([drawer(folder, meanwhile)] if folder else [])]
    scripted = ScriptedModel(model or Model())
    agent = Agent("tester", model=scripted, tools=tools, capabilities=capabilities)
    return Harness(agent, store=store, environ={})


async def tell(session: Session, *texts: str) -> list[str]:
    """Say these things, one after the other; the ids of the inputs."""
    for text in texts:
        await (await session.send(text))
    return [point.input for point in reversed(session.points())][-len(texts) :]
