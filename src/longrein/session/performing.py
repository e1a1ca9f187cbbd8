"""What an application has done in a thread: changes of state, commands, functions of its own."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, Literal, TypeVar, cast

from msgspec.structs import replace

from longrein.capabilities.contexts import CommandContext, SlashCommand
from longrein.core import commands as c
from longrein.core.commands import Answer
from longrein.core.errors import UsageError
from longrein.core.events import StateChanged
from longrein.core.messages import Text
from longrein.core.state import State
from longrein.core.typevars import S
from longrein.session.children.delegating import Delegating, with_children
from longrein.session.effects import bring_about
from longrein.session.reporting import Reporting
from longrein.session.services import Services
from longrein.session.user_state import plain_keys
from longrein.storage.base import ThreadRow
from longrein.tools.reach import ChangeState, Effect, EnterMode, Fact, Tell, Wake

V = TypeVar("V")

MOST_TRIES = 100


class Performing(Reporting, Generic[S]):
    """The part of a session that brings things about for an application."""

    def __init__(self, services: Services, row: ThreadRow) -> None:
        super().__init__(services, row)
        self._updating = asyncio.Lock()
        own = {command.name: command for command in self.own_commands()}
        brought = {name: command for name, (_, command) in services.commands.items()}
        yielding = {name for name, command in brought.items() if command.gives_way}
        self._named = brought | {n: c for n, c in own.items() if n in yielding or n not in brought}

    async def update(
        self, change: Mapping[str, Any] | Callable[[S], S | None], *, command: str = ""
    ) -> Answer:
        """Change the application's state: keys with new values, or a function of the old one.

        A function is called again if another change came between. Raises `UsageError`, naming the
        fields, for what does not fit; then nothing has changed.
        """
        if not callable(change):
            return await self.submit(c.UpdateState(plain_keys(change), id=command))

        def made(state: State) -> c.UpdateState | None:
            changed = self._services.kept.apply(state, change)
            if not changed and not command:
                return None
            wanted = cast(StateChanged, changed[0]) if changed else StateChanged({})
            return c.UpdateState(wanted.changes, wanted.removed, state.revision)

        return await self._submit_anew(made, command)

    async def _submit_anew(
        self, make: Callable[[State], c.UpdateState | c.Together | None], command: str
    ) -> Answer:
        """Submit what is made of the newest state; made anew if another change came between."""
        # Those of this session do not get into each other's way.
        async with self._updating:
            for attempt in range(MOST_TRIES):
                await self.conductor.refresh()
                # That an attempt came too late is remembered under its id, like any answer.
                id = f"{command}#{attempt}" if command and attempt else command
                answer = self.folded.commands.get(id) if id else None
                if answer is None:
                    if (made := make(self.folded)) is None:
                        return Answer("applied")
                    answer = await self._answered(replace(made, id=id))
                if answer.status != "stale":
                    return answer
        raise UsageError("The state was changed by others again and again; try later.")

    async def _answered(self, command: c.UpdateState | c.Together) -> Answer:
        """What became of a command, however long its owner takes: it may have to be made anew."""
        numbered = self._numbered(command)
        answer = await self.submit(numbered)
        return await self.inbox.answer(numbered.id) if answer.status == "accepted" else answer

    @property
    def commands(self) -> list[SlashCommand]:
        """The commands that the capabilities bring, then those of every session that none of them
        brings, for `invoke`."""
        return list(self._named.values())

    async def invoke(self, name: str, arguments: str = "", *, command: str = "") -> str:
        """Carry out a command; returns what it has to say to the person.

        `name` may have the slash that people type. What it brings about is written in one piece,
        once it has ended. Raises what the command raises, and `UsageError` for what cannot be
        brought about; then nothing was written. With the same `command` again it is asked again,
        but brings nothing more about.
        """
        name = name.removeprefix("/")
        if name not in self._named:
            raise UsageError(f"There is no command {name!r}; known: {', '.join(self._named)}.")
        slash = self._named[name]
        source = f"command:{name}"
        said = await self._perform(lambda ctx: slash.run(ctx, arguments), source, command)
        return said or ""

    async def perform(
        self, function: Callable[[CommandContext], Awaitable[V]], *, command: str = ""
    ) -> V:
        """What a function of yours returns that works in this thread, as a command does.

        What it brings about is written in one piece, once it has ended; `command` as in `invoke`.
        """
        return cast(V, await self._perform(function, "application", command))

    async def _perform(
        self,
        function: Callable[[CommandContext], Awaitable[V] | str | None],
        source: str,
        command: str,
    ) -> V | str | None:
        idle = replace(self.folded, step=None)
        reach = self._services.reach(idle, lambda: self.folded)
        ctx = CommandContext(with_children(reach, Delegating(self.conductor.driving)))
        said = function(ctx)
        value = said if isinstance(said, str | None) else await said
        if any(isinstance(effect, Tell) for effect in ctx.effects):
            await self._check_means()
        # Before anything is said, or the run that this starts would hear of them too late.
        notes = [self._saying("signal", note, source, wake=False) for note in ctx.notes]
        if notes or ctx.effects:
            await self._submit_anew(lambda now: self._together(notes, ctx.effects, now), command)
        return value

    def _together(
        self, notes: Sequence[c.Say], effects: Sequence[Effect], state: State
    ) -> c.Together:
        """The command that brings all of it about. Functions are called here, with the state."""
        parts: list[c.Say | c.Record | c.SwitchMode | c.UpdateState] = [*notes]
        expected, setup, kept = -1, self._services.loop.setup, self._services.kept
        now = state
        for effect in effects:
            match effect:
                case Fact(kind=kind, data=data, blobs=blobs):
                    parts.append(c.Record(kind, data, blobs))
                case EnterMode(mode=mode):
                    parts.append(c.SwitchMode(mode))
                case ChangeState():
                    expected = state.revision
                    changed, now = bring_about([effect], now, setup, kept)
                    for one in changed:
                        if isinstance(one, StateChanged):
                            parts.append(c.UpdateState(one.changes, one.removed))
                case Tell(text=text):
                    parts.append(self._saying("send", text))
                case Wake(text=text):
                    parts.append(self._saying("signal", text))
        return c.Together(tuple(parts), expected)

    def _saying(
        self, kind: Literal["send", "signal"], text: str, source: str = "", *, wake: bool = True
    ) -> c.Say:
        return self._numbered(c.Say(kind, self._new("run"), (Text(text),), source, wake))
