"""`Memory`: what the agent knows beforehand from files, and files that it keeps for later."""

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any, TypeAlias

from longrein.capabilities.base import AskedCall, CallResult, Capability
from longrein.capabilities.contexts import CommandContext, HookContext, SlashCommand
from longrein.capabilities.memory.memories import MEMORIES, Index, stored_memories
from longrein.capabilities.memory.reading import NAME, Instructions, Reader, is_there
from longrein.capabilities.memory.sources import NONE, Source, lines
from longrein.capabilities.memory.telling import Shown, fit, news, section
from longrein.capabilities.opening import Opening, Places
from longrein.context.estimate import estimate_tokens
from longrein.core.errors import UsageError
from longrein.core.events import Event
from longrein.core.outcomes import Problem
from longrein.core.policy import Rule
from longrein.core.records import Point
from longrein.core.slices import Slice, read_fact
from longrein.workspace.paths import is_below

BUDGET = 8_000
"""Tokens of instructions that are always before the model."""

KIND = "memory_found"
MOST_NESTED = 100
ASKING = "memory: instructions are changed"
Paths: TypeAlias = tuple[str, ...]
Trusted: TypeAlias = bool | Callable[[str], bool]
"""Whether the instructions of a project count, or who says so when given its folder."""


def found_in(nested: Paths, event: Event) -> Paths:
    """The files of folders that the agent came to, after an event. Pure."""
    paths = read_fact(event, KIND, Paths)
    if paths is None:
        return nested
    return tuple(dict.fromkeys((*nested, *paths)))[:MOST_NESTED]


NESTED: Slice[Paths] = Slice("memory", Paths, (), found_in, rewinds="conversation")
"""The instruction files of folders that the agent came to in a thread, in that order."""


class Memory(Capability):
    """Instructions from files called AGENTS.md, and files that stay for later conversations.

    `folder` is the project: its AGENTS.md counts, those of the folders from there down to `working`
    (default: the folder itself), and those of any folder below that the agent comes to. None: there
    is no project. `user` are files of the user's own, which count everywhere; one that is not there
    is reported if it is `expected`. Their content is always before the model, within a `budget` of
    tokens; what changes is told at the next step.
    `trusted`: whether what the project says counts at all, or a function that is asked once.

    `memories`: whether the files of `/memories` are there, for an agent that has a `Workspace`. All
    threads of a resource share them.

    >>> from longrein import Agent, InThread, Memory, Workspace
    >>> agent = Agent("assistant", capabilities=[Workspace(InThread()), Memory()])
    >>> [rule.path for rule in Memory().rules()]
    ['**/AGENTS.md']
    """

    live = True

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        working: str | os.PathLike[str] | None = None,
        user: Sequence[str | os.PathLike[str]] = (),
        expected: bool = True,
        trusted: Trusted = True,
        budget: int = BUDGET,
        memories: bool = True,
    ) -> None:
        self._folder = "" if folder is None else _folder(folder)
        self._user = tuple(dict.fromkeys(os.path.abspath(path) for path in user))
        self._expected = self._user if expected else ()
        self._fixed = _down_to(self._folder, self._folder if working is None else _folder(working))
        self._trusted = trusted
        self._told = isinstance(trusted, bool)
        self._budget = _tokens(budget)
        self.memories = memories
        self.reader = Reader(self._folder, self._user)
        self._asking = Lock()

    @property
    def name(self) -> str:
        return "memory"

    def slices(self) -> Sequence[Slice[Any]]:
        return (NESTED,)

    def has(self, point: Point) -> bool:
        return point == "after_tool" and bool(self._folder)

    def rules(self) -> Sequence[Rule]:
        """What changes instructions is asked about, also where edits are allowed."""
        return (Rule("ask", category="edit", path=f"**/{NAME}", id=ASKING),)

    def places(self, opening: Opening) -> Places:
        if not self.memories:
            return Places()
        return Places({MEMORIES: stored_memories(opening.store, opening.resource)})

    async def open(self, opening: Opening) -> "OpenMemory":
        # Whoever is asked may take his time.
        await asyncio.to_thread(self.trusts)
        return OpenMemory(self, opening)

    def commands(self) -> Sequence[SlashCommand]:
        about = "List the files of instructions, and how much of each the model is shown."
        return (SlashCommand("memory", about, self._list),)

    async def _list(self, ctx: CommandContext, arguments: str) -> str:
        sources, trusted = await asyncio.to_thread(lambda: (self.sources(), self.trusts()))
        return "\n".join(lines(sources, trusted=trusted, untrusted="not trusted")) or NONE

    def trusts(self) -> bool:
        """Whether the project's instructions count. Who is to be asked is asked once."""
        with self._asking:
            if not isinstance(self._trusted, bool):
                self._trusted = bool(self._folder) and self._trusted(self._folder)
            return self._trusted

    def find(self, nested: Sequence[str] = ()) -> list[Instructions]:
        """The files that there are, the nearest last; those of `nested` folders after them.

        Reads the disk, so it belongs into a thread.
        """
        found = [self.reader.read(path, "user") for path in self._user]
        if self._folder:
            found += [self.reader.read(path, "project") for path in self._fixed]
            new = (path for path in nested if path not in self._fixed)
            found += [self.reader.read(path, "nested") for path in new]
        return [one for one in found if one is not None]

    def counting(self, files: Sequence[Instructions]) -> list[Instructions]:
        """Those of the files that the model is to know."""
        said = [one for one in files if one.text]
        return [one for one in said if one.origin == "user" or self.trusts()]

    def fitting(self, files: Sequence[Instructions]) -> list[Shown]:
        """The files as the model is shown them."""
        return fit(self.counting(files), self._budget)

    def problems_of(self, files: Sequence[Instructions]) -> Iterator[Problem]:
        """What is wrong with the files. Whoever said himself that they do not count knows it."""
        there = {one.path for one in files}
        for path in self._expected:
            if path not in there:
                yield Problem("memory", f"{path}: there is no such file.")
        for one in files:
            if one.origin == "user" or self.trusts():
                if one.problem:
                    yield Problem("memory", f"{one.path}: {one.problem}")
            elif not self._told:
                yield Problem("memory", f"{one.path} does not count: its folder is not trusted.")

    def sources(self) -> list[Source]:
        """Every file with its size, whether it counts and how much of it is shown, for people."""
        files = self.find()
        shown = {one.path: one.tokens for one in self.fitting(files)}
        return [
            Source(
                one.path,
                one.origin,
                one.size,
                estimate_tokens(one.text),
                shown.get(one.path, 0),
                one.path in shown,
                one.problem,
            )
            for one in files
        ]

    def come_to(self, paths: Sequence[str], known: Sequence[str]) -> list[str]:
        """The files on the way down to some paths that nobody has told of yet. Reads the disk."""
        ways = dict.fromkeys(one for path in paths for one in self.reader.on_the_way(path))
        new = [one for one in ways if one not in known and one not in self._fixed]
        return [one for one in new if is_there(one)]


class OpenMemory(Capability):
    """A memory as one session has it."""

    live = True

    def __init__(self, made: Memory, opening: Opening) -> None:
        self._made = made
        shown = made.memories and "workspace" in opening.capabilities
        stored = stored_memories(opening.store, opening.resource)
        self._index = Index(stored) if shown else None
        self._files: list[Instructions] | None = None
        self._text = ""
        self._problems: list[Problem] = []

    @property
    def name(self) -> str:
        return self._made.name

    def slices(self) -> Sequence[Slice[Any]]:
        return self._made.slices()

    def has(self, point: Point) -> bool:
        return self._made.has(point)

    def rules(self) -> Sequence[Rule]:
        return self._made.rules()

    async def context(self, opening: Opening) -> str:
        nested = opening.beside.read(NESTED)
        files = await self._made.reader.looking(lambda: self._made.find(nested))
        if files != self._files:
            self._files = files
            self._problems = list(self._made.problems_of(files))
            self._text = section(self._made.fitting(files))
        told = (self._text, await self._index.text() if self._index else "")
        return "\n\n".join(part for part in told if part)

    def news(self, before: str, after: str) -> str:
        return news(before, after)

    def problems(self) -> Sequence[Problem]:
        return self._problems

    async def after_tool(
        self, ctx: HookContext, call: AskedCall, result: CallResult
    ) -> CallResult | None:
        """Note the instructions of folders that the call came to; they are told with the next
        step."""
        if call.touches.paths and self._made.trusts():
            known = ctx.read(NESTED)
            paths = call.touches.paths
            new = await self._made.reader.looking(lambda: self._made.come_to(paths, known))
            if new and len(known) < MOST_NESTED:
                ctx.record(KIND, new)
        return None


def _folder(path: str | os.PathLike[str]) -> str:
    real = os.path.realpath(path)
    if not os.path.isdir(real):
        raise UsageError(f"There is no folder {real!r} to take instructions from: make it first.")
    return real


def _down_to(folder: str, working: str) -> tuple[str, ...]:
    """The files that there could be from a folder down to another one in it."""
    if not folder:
        return ()
    if not is_below(working, folder):
        raise UsageError(f"The working folder {working!r} is not in the project {folder!r}.")
    names = working[len(folder) :].strip("/").split("/")
    folders = [folder, *(f"{folder}/{'/'.join(names[: n + 1])}" for n in range(len(names)))]
    return tuple(dict.fromkeys(f"{one.rstrip('/')}/{NAME}" for one in folders))


def _tokens(budget: object) -> int:
    if not isinstance(budget, int) or budget < 1:
        raise UsageError(f"budget is a number of tokens, not {budget!r}.")
    return budget
