"""`ShellHooks`: commands of the user at named points of a session, as a capability."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from longrein.capabilities.base import (
    AskedCall,
    AskPerson,
    CallResult,
    Capability,
    GoOn,
    NewArguments,
    Refuse,
)
from longrein.capabilities.contexts import CommandContext, HookContext, SlashCommand
from longrein.capabilities.hooks.answers import Said, Together, failed, heard
from longrein.capabilities.hooks.naming import changed_arguments
from longrein.capabilities.hooks.running import run_command
from longrein.capabilities.hooks.seen import KIND, SEEN, fact_of
from longrein.capabilities.hooks.spec import PROJECT, Counts, HookEvent, ShellHook
from longrein.capabilities.hooks.telling import (
    ListedHook,
    about_call,
    about_result,
    listed,
    notification,
    permission_mode,
    shown,
)
from longrein.capabilities.opening import Beside, Nowhere, Opening
from longrein.core import events as e
from longrein.core.messages import Assistant, Note, User
from longrein.core.outcomes import Problem
from longrein.core.records import Point

MOST_ROUNDS = 3
"""How often inputs are looked for that came while hooks looked at others."""

AT_CLOSE = 8.0
"""Seconds that hooks have at the end of a session: whoever closes it waits for them."""

MOST_TOLD = 20


class ShellHooks(Capability):
    """Runs commands of the user when something happens, in the way of Claude Code's hooks.

    They run in `folder` as whoever runs Longrein, outside of any sandbox, with `environ`, by
    default all variables of this process: leave keys out that they need not see. A hook can narrow
    what happens and never widen it. `counts` is asked about each before it is run, `problems` are
    told to people. A `child` has `SubagentStop` for `Stop`, and no session of its own to begin; of
    `opening` nobody has to think: a session opens its own.

    >>> from longrein import Agent, ShellHook, ShellHooks
    >>> guard = ShellHook("PreToolUse", "./no-friday-deploys.sh", matcher="deploy")
    >>> agent = Agent("assistant", capabilities=[ShellHooks([guard], folder="/project")])
    """

    slice = SEEN

    def __init__(
        self,
        hooks: Sequence[ShellHook],
        *,
        folder: str | os.PathLike[str] = ".",
        environ: Mapping[str, str] | None = None,
        counts: Counts | None = None,
        problems: Sequence[Problem] = (),
        child: bool = False,
        opening: Opening | None = None,
    ) -> None:
        self._hooks = tuple(hooks)
        self._folder = os.path.abspath(folder)
        self._environ = dict(os.environ if environ is None else environ)
        self._environ |= dict.fromkeys(PROJECT, self._folder)
        self._counts = counts
        self._problems = tuple(problems)
        self._child = child
        self._beside: Beside = opening.beside if opening else Nowhere()
        self._thread = opening.thread if opening else ""
        self._begun = False
        self._told: list[Problem] = []
        self._beside_runs: set[asyncio.Task[Together]] = set()
        longest = max((one.timeout for one in self._hooks), default=0.0)
        # Each hook has a bound of its own; this one is for all that are run at one point.
        self.timeout = longest * (MOST_ROUNDS + 1) + 30.0

    async def open(self, opening: Opening) -> "ShellHooks":
        return self._again(self._child, opening)

    def below(self) -> "ShellHooks":
        return self._again(child=True)

    def _again(self, child: bool, opening: Opening | None = None) -> "ShellHooks":
        return ShellHooks(
            self._hooks,
            folder=self._folder,
            environ=self._environ,
            counts=self._counts,
            problems=self._problems,
            child=child,
            opening=opening,
        )

    def has(self, point: Point) -> bool:
        """Only where there is a hook: asking costs a write."""
        return super().has(point) and any(one.event in self._events(point) for one in self._hooks)

    def _events(self, point: Point) -> tuple[HookEvent, ...]:
        match point:
            case "before_model":
                # Those about tools can stop the run, which is done here.
                stopping: tuple[HookEvent, ...] = ("PreToolUse", "PostToolUse")
                return stopping if self._child else (*stopping, *_AT_THE_START)
            case "before_tool":
                return ("PreToolUse",)
            case "after_tool":
                return ("PostToolUse",)
            case "before_finish":
                return (self._stop,)
            case "on_event":
                return ("Notification", "PreCompact")
            case _:
                return ()

    @property
    def _stop(self) -> HookEvent:
        return "SubagentStop" if self._child else "Stop"

    def problems(self) -> Sequence[Problem]:
        return (*self._problems, *self._told)

    def commands(self) -> Sequence[SlashCommand]:
        return (SlashCommand("hooks", "List the shell hooks and how each ended.", self._list),)

    def _list(self, ctx: CommandContext, arguments: str) -> str:
        lines = [shown(listed(self._hooks, ctx.read(SEEN)))]
        return "\n".join([*lines, *(one.message for one in self._problems)])

    def listing(self) -> tuple[ListedHook, ...]:
        """Every hook, with how it ended the last time in the thread of this session."""
        return listed(self._hooks, self._beside.read(SEEN))

    async def before_model(self, ctx: HookContext) -> Refuse | None:
        """Begin the session, look at what people said, and end a run that is to stop."""
        if not self._child:
            await self._begin(ctx)
        asked = set[str]()
        for _ in range(MOST_ROUNDS):
            fresh = [one for one in self._unheard(ctx) if one.input not in asked]
            asked |= {one.input for one in fresh}
            looks = [self._run(ctx, "UserPromptSubmit", {"prompt": one.text}) for one in fresh]
            looked = await asyncio.gather(*looks)
            for together in looked:
                if (no := together.block or together.stop) is not None:
                    return Refuse(no)
            for together in looked:
                _tell(ctx, "UserPromptSubmit", together)
            if not fresh:
                break
        stop = ctx.read(SEEN).stop
        # Whoever says something after that wants the run to go on.
        return Refuse(stop) if stop and not asked else None

    def _unheard(self, ctx: HookContext) -> list[User]:
        waiting = ctx.read(SEEN).waiting
        if self._child or not waiting:
            return []
        recent = takewhile(lambda one: isinstance(one, User | Note), reversed(ctx.messages))
        found = [one for one in recent if isinstance(one, User) and one.input in waiting]
        return found[::-1]

    async def _begin(self, ctx: HookContext) -> None:
        compacted = ctx.read(SEEN).compacted
        if self._begun and not compacted:
            return
        resumed = any(isinstance(one, Assistant) for one in ctx.messages)
        source = "compact" if self._begun else "resume" if resumed else "startup"
        self._begun = True
        _tell(
            ctx,
            "SessionStart",
            await self._run(ctx, "SessionStart", {"source": source}, about=source),
        )

    async def before_tool(
        self, ctx: HookContext, call: AskedCall
    ) -> Refuse | NewArguments | AskPerson | None:
        together = await self._run(ctx, "PreToolUse", about_call(call), about=call.tool)
        _tell(ctx, "PreToolUse", together)
        if (no := together.block or together.stop) is not None:
            return Refuse(no)
        if together.ask is not None:
            return AskPerson(together.ask)
        if together.arguments is None:
            return None
        return NewArguments(changed_arguments(call.tool, call.arguments, together.arguments))

    async def after_tool(self, ctx: HookContext, call: AskedCall, result: CallResult) -> None:
        if result.status != "ok":
            return
        told = {**about_call(call), "tool_response": about_result(result)}
        together = await self._run(ctx, "PostToolUse", told, about=call.tool)
        _tell(ctx, "PostToolUse", together)
        if together.block is not None:
            ctx.note(f"A shell hook looked at {call.tool} and says: {together.block}")

    async def before_finish(self, ctx: HookContext, answer: str) -> GoOn | None:
        told = {"stop_hook_active": ctx.read(SEEN).again, "last_assistant_message": answer}
        together = await self._run(ctx, self._stop, told)
        if together.block is None or together.stop is not None:
            return None
        return GoOn(together.block)

    async def on_event(self, ctx: HookContext, event: e.Event) -> None:
        match event:
            case e.CompactionStarted(trigger=trigger, focus=focus):
                by = "manual" if trigger == "asked" else "auto"
                told = {"trigger": by, "custom_instructions": focus}
                self._spawn(ctx, "PreCompact", told, about=by)
            case e.RunEnded() if self._child:
                pass
            case _:
                if told := notification(event):
                    self._spawn(ctx, "Notification", told, about=told["notification_type"])

    def _spawn(
        self, ctx: HookContext, event: HookEvent, told: Mapping[str, Any], about: str
    ) -> None:
        """Run what is there for an event beside the run. It may end what it does when the session
        is closed, so it does not end with what writes down how it ended."""
        if not self._fitting(event, about):
            return
        asking = asyncio.create_task(
            self._asked(event, {**self._common(ctx, event), **told}, about)
        )
        self._beside_runs.add(asking)
        asking.add_done_callback(self._beside_runs.discard)

        async def work(later: HookContext) -> None:
            later.record(KIND, fact_of(event, await asyncio.shield(asking)))

        self._beside.spawn(work, self.name)

    async def close(self) -> None:
        if self._beside_runs:
            _, late = await asyncio.wait(self._beside_runs, timeout=AT_CLOSE / 2)
            for one in late:
                one.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        if self._begun:
            self._begun = False
            told = {**self._opened_as("SessionEnd", self._thread), "reason": "other"}
            await self._asked("SessionEnd", told, "other", AT_CLOSE / 2)

    async def _run(
        self, ctx: HookContext, event: HookEvent, told: Mapping[str, Any], about: str = ""
    ) -> Together:
        """Run what is there for an event, and write down how it ended."""
        together = await self._asked(event, {**self._common(ctx, event), **told}, about)
        if together.said:
            ctx.record(KIND, fact_of(event, together))
        return together

    def _common(self, ctx: HookContext, event: HookEvent) -> dict[str, Any]:
        mode = permission_mode(ctx.mode.id, ctx.read(SEEN).trust)
        return {**self._opened_as(event, ctx.thread), "permission_mode": mode}

    def _opened_as(self, event: HookEvent, thread: str) -> dict[str, Any]:
        return {
            "session_id": thread,
            "transcript_path": "",
            "cwd": self._folder,
            "hook_event_name": event,
        }

    async def _asked(
        self, event: HookEvent, told: Mapping[str, Any], about: str, most: float = float("inf")
    ) -> Together:
        hooks = self._fitting(event, about)
        said = await asyncio.gather(*(self._one(hook, told, most) for hook in hooks))
        together = Together(tuple(said))
        fresh = (Problem("hook", text) for text in together.messages)
        self._told += [one for one in fresh if one not in self._told]
        del self._told[:-MOST_TOLD]
        return together

    def _fitting(self, event: HookEvent, about: str) -> list[ShellHook]:
        """The hooks for an event, of those with the same command the first."""
        fitting = [one for one in self._hooks if one.event == event and one.fits(about)]
        first = {one.command: one for one in reversed(fitting)}
        return [one for one in fitting if first[one.command] is one]

    async def _one(self, hook: ShellHook, told: Mapping[str, Any], most: float) -> Said:
        if self._counts and (why := self._counts(hook)):
            return failed(hook, why.rstrip("."))
        ran = await run_command(
            hook.command,
            told,
            folder=self._folder,
            environ=self._environ,
            timeout=min(hook.timeout, most),
        )
        return heard(hook, ran)


def _tell(ctx: HookContext, event: HookEvent, together: Together) -> None:
    if together.context:
        ctx.note(f"A shell hook says ({event}):\n{together.context}")


_AT_THE_START: tuple[HookEvent, ...] = ("SessionStart", "SessionEnd", "UserPromptSubmit")
