"""From a path that a model gave to a file system on which the call may work.

What a call touches is found out before it is decided on (`Gate.touches`) and once more just before
it runs; the call then works on exactly these paths. As no operation follows links, a link that is
swapped in after that is a problem for the call, not a way out.
"""

from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from longrein.capabilities.file_tools.hints import instead, shorten
from longrein.capabilities.file_tools.judging import Need, clearing, for_people, inside, judge
from longrein.capabilities.file_tools.place import Place
from longrein.capabilities.file_tools.seen import KIND, SEEN, Fact, Knowledge
from longrein.core.errors import ToolError
from longrein.core.policy import Touches
from longrein.tools.context import Context
from longrein.workspace.base import FileSystem, Stat
from longrein.workspace.guarded import Guarded, ways
from longrein.workspace.paths import canonical, fold, is_below, join
from longrein.workspace.problems import (
    BadPath,
    Denied,
    Elsewhere,
    FileProblem,
    Missing,
    NeedsApproval,
    shown,
)
from longrein.workspace.rules import Operation, decide

MOST_REMEMBERED = 1_000
ELSEWHERE = " To look elsewhere use execute."


class Use(Struct, frozen=True):
    """What a call does with a path that the model gave.

    The first operation is what the tool is for. `link`: a link at the end is meant itself. `whole`:
    with all that is in it. `mirrors`: what is in the path before this one comes here, or, if this
    is a folder, into it.
    """

    path: str
    operations: tuple[Operation, ...]
    link: bool = False
    whole: bool = False
    mirrors: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One call at work. `paths` are those that it was let at, in the order of its uses; `files` is
    behind the rules, `beneath` is not."""

    ctx: Context
    place: Place
    paths: tuple[str, ...]
    files: FileSystem
    beneath: FileSystem

    def shown(self, path: str) -> str:
        """A path as the model is shown it: from the working folder on, if it is there."""
        return shorten(path, self.place.base)

    def seen(self) -> Knowledge:
        """What the model knows of files."""
        return self.ctx.read(SEEN)

    def record(self, fact: Fact) -> None:
        """Write down what the model knows now."""
        self.ctx.record(KIND, fact)

    def check_known(self, path: str, found: Stat) -> None:
        """That a file is still what the model last saw of it, if it saw it at all."""
        known = self.seen().get(path)
        if known is not None and known.revision != found.revision:
            raise ToolError(
                f"{self.shown(path)} has changed since you last saw it. Nothing was done. Read it "
                "again, then decide."
            )

    def check_replaceable(self, path: str, found: Stat) -> None:
        """That the model knows what would be gone with a file."""
        self.check_known(path, found)
        if found.kind == "file" and found.size and path not in self.seen():
            raise ToolError(
                f"{self.shown(path)} is there already, and you have not read it. Nothing was done. "
                "Read it first; to change a part of it use edit_file."
            )

    def check_movable(self, path: str) -> None:
        """That the working folder is not pulled away from under the others."""
        if is_below(self.place.base, path):
            raise ToolError(
                f"{self.shown(path)} is the working folder, or holds it. Name what is in it."
            )

    @asynccontextmanager
    async def changing(self, *paths: str) -> AsyncGenerator[None, None]:
        """A change of these paths: what they were is kept first."""
        kept = self.place.checkpoint
        if kept is not None:
            await kept.before(self.ctx, self.beneath, paths)
        yield
        if kept is not None:
            await kept.after(self.ctx, self.beneath, paths)


class Gate:
    """Lets the calls of the file tools at what they may work on."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._decided: dict[tuple[str, str], Touches] = {}

    def lane(self, arguments: Mapping[str, Any]) -> str:
        """Calls about one file go one after the other."""
        return f"file:{fold(canonical(arguments['path'], self.place.base))}"

    def looking(
        self, tool: str, uses: Callable[[Mapping[str, Any]], Sequence[Use]]
    ) -> Callable[[Mapping[str, Any], Context], Any]:
        """The `touches` of a tool, from what it does with its arguments."""

        async def touches(arguments: Mapping[str, Any], ctx: Context) -> Touches:
            wanted = uses(arguments)
            with in_words(self.place, wanted):
                found = await self._touches(ctx, tool, wanted)
            key = (ctx.thread, ctx.call)
            self._decided.pop(key, None)
            self._decided[key] = found
            if len(self._decided) > MOST_REMEMBERED:
                del self._decided[next(iter(self._decided))]
            return found

        return touches

    @asynccontextmanager
    async def job(self, ctx: Context, *uses: Use) -> AsyncGenerator[Job, None]:
        """The call at work, on what was decided on; problems are told to the model."""
        with in_words(self.place, uses):
            decided = self._decided.pop((ctx.thread, ctx.call), None)
            if decided is None:
                decided = _unasked(await self._touches(ctx, ctx.tool, uses))
            files = self.place.files(ctx)
            guarded = Guarded(files, clearing(self.place.rules, decided))
            try:
                yield Job(ctx, self.place, decided.paths, guarded, files)
            except Missing as problem:
                says = await instead(self.place, guarded, ctx.tool, problem)
                raise Missing(problem.path, says) from None

    @asynccontextmanager
    async def preview(self, ctx: Context, *uses: Use) -> AsyncGenerator[Job, None]:
        """The call as it would be at work, to show a person; what is denied is not looked at."""
        with in_words(self.place, uses):
            touches = _not_denied(await self._touches(ctx, ctx.tool, uses))
            files = self.place.files(ctx)
            guarded = Guarded(files, for_people(self.place.rules))
            yield Job(ctx, self.place, touches.paths, guarded, files)

    async def _touches(self, ctx: Context, tool: str, uses: Sequence[Use]) -> Touches:
        files, rules = self.place.files(ctx), self.place.rules
        paths: list[str] = []
        needs: list[Need] = []
        inner: list[str] = []
        for use in uses:
            given = canonical(use.path, self.place.base)
            if use.mirrors and decide(rules, given, "read").effect != "deny":
                given = await _into(files, use.path, given, paths[-1])
            if decide(rules, given, "read").effect == "deny":
                # Not even its links are looked at, which would tell what is there.
                denied = judge(tool, rules, [Need("read", given)])
                return Touches((given,), judged=denied)
            if not rules:
                paths.append(await files.real(given, last=not use.link))
                continue
            *links, path = await ways(files, given, last=not use.link)
            paths.append(path)
            if not use.mirrors:
                within = (await inside(files, path)).found if use.whole else []
                inner = [one.path[len(join(path, "")) :] for one in within]
            # A rule about a link is about who comes through it; what is allowed goes by the path.
            needs += [
                Need(operation, one, chief=at == path and operation == use.operations[0])
                for at in (*links, path)
                for one in (at, *(join(at, name) for name in inner))
                for operation in use.operations
            ]
        return Touches(tuple(paths), judged=judge(tool, rules, needs))


async def _into(files: FileSystem, target: str, given: str, source: str) -> str:
    """Where something goes that is moved to a path: into the folder there, if that is one."""
    if given == source:
        return given
    found = None if target.endswith("/") else await files.stat(await files.real(given, last=False))
    is_folder = target.endswith("/") or (found is not None and found.kind == "folder")
    return join(given, source.rpartition("/")[2]) if is_folder else given


def _unasked(touches: Touches) -> Touches:
    """What is touched, if it needs no answer: nobody was asked."""
    if asked := next((one for one in _not_denied(touches).judged if one.effect == "ask"), None):
        raise NeedsApproval(touches.paths[0], f"To do this a person must agree first ({asked.id}).")
    return touches


def _not_denied(touches: Touches) -> Touches:
    if denied := next((one for one in touches.judged if one.effect == "deny"), None):
        raise Denied(touches.paths[0], f"You may not do this ({denied.id}). Go on without it.")
    return touches


@contextmanager
def in_words(place: Place, uses: Sequence[Use]) -> Generator[None, None, None]:
    """What is wrong with files as a tool tells it to the model."""
    try:
        yield
    except FileProblem as problem:
        given = _as_given(problem.path, uses, place.base)
        where = f"{shown(given)}: " if problem.path else ""
        only_looks = all(use.operations == ("read",) for use in uses)
        hint = isinstance(problem, Elsewhere) and place.shell and only_looks
        raise ToolError(f"{where}{problem.says}{ELSEWHERE if hint else ''}") from None


def _as_given(path: str, uses: Sequence[Use], base: str) -> str:
    """A path as the model gave it, if it did; else from the working folder on, if it is there."""
    for use in uses:
        try:
            if canonical(use.path, base) == path:
                return use.path
        except BadPath:
            continue
    return shorten(path, base)
