"""`Capability`: the unit of extension. Everything that is built in uses this and nothing else."""

from collections.abc import Awaitable, Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar, TypeAlias

from msgspec import Meta, Struct

from longrein.capabilities.contexts import HookContext, SlashCommand
from longrein.capabilities.opening import Opening, Places
from longrein.capabilities.subagents.spec import Subagent
from longrein.core.events import Event
from longrein.core.messages import Assistant, Content, Settled
from longrein.core.naming import snake_case
from longrein.core.outcomes import Problem
from longrein.core.policy import Category, Rule, Touches
from longrein.core.records import Point
from longrein.core.restored import RestoreReport
from longrein.core.slices import Slice
from longrein.core.state import Kept
from longrein.core.window import Digest
from longrein.permissions.matching import Action
from longrein.storage.base import Store
from longrein.tools.define import Function, Tool

Words: TypeAlias = Annotated[str, Meta(pattern=r"\S")]
"""What the model hears, so it must say something; held against this when a hook answers."""


class AskedCall(Struct, frozen=True):
    """A tool call that a hook is asked about; `arguments` as they were read from its JSON,
    `touches` what it would really touch, or did."""

    id: str
    tool: str
    category: Category
    arguments: Mapping[str, Any]
    touches: Touches = Touches()


class CallResult(Struct, frozen=True):
    """How a tool call ended and what the model will hear of it."""

    status: Settled
    parts: tuple[Content, ...]


class Refuse(Struct, frozen=True):
    """The call does not run; the model hears why. Of a run: it ends, and people hear why.

    >>> from longrein import Refuse
    >>> Refuse("Not on a Friday.").reason
    'Not on a Friday.'
    """

    reason: Words


class NewArguments(Struct, frozen=True):
    """The call goes on with other arguments, which rules and people then decide on.

    >>> from longrein import NewArguments
    >>> NewArguments({"target": "staging"}).arguments["target"]
    'staging'
    """

    arguments: Mapping[str, Any]


class AskPerson(Struct, frozen=True):
    """A person has to say yes to the call, whatever rules, grants and trust allow.

    >>> from longrein import AskPerson
    >>> AskPerson("It is Friday.").reason
    'It is Friday.'
    """

    reason: Words


class GoOn(Struct, frozen=True):
    """The run does not end yet; the model is told this.

    >>> from longrein import GoOn
    >>> GoOn("The tests still fail.").note
    'The tests still fail.'
    """

    note: Words


class Capability:
    """Tools, context, rules, commands, a slice of state and hooks that belong together.

    Override any of it. Hooks are asked in the order of the agent's list; what they decide is an
    event, and after a crash it is read, not asked again. A hook that raises or takes longer than
    `timeout` seconds is reported as `hook_failed` and the run goes on without it, except that a
    call is not run when a `before_tool` hook fails on it.

    >>> from longrein import Capability, Refuse
    >>> class NoFridays(Capability):
    ...     async def before_tool(self, ctx, call):
    ...         return Refuse("It is Friday.") if call.tool == "deploy" else None
    >>> NoFridays().name
    'no_fridays'
    """

    slice: ClassVar[Slice[Any] | None] = None
    timeout: float = 60.0
    live: bool = False
    """Whether `context` is asked again before each step: what it says may change."""

    @property
    def name(self) -> str:
        """What the capability is called in events; no two of an agent may share it."""
        return snake_case(type(self).__name__)

    def slices(self) -> Sequence[Slice[Any]]:
        """What it knows of a thread: the one in `slice`, or several."""
        return () if self.slice is None else (self.slice,)

    async def open(self, opening: Opening) -> "Capability":
        """The capability as it works in one session: itself, or one made for that session.

        One that was made for it has the same name, tools, slices and hooks, and is closed with it.
        """
        return self

    async def close(self) -> None:
        """The session that this was made for is over: end what was begun for it."""

    async def forget(self, store: Store, thread: str) -> None:
        """A thread is deleted: remove what is kept of it beside the store."""

    async def erased(self, store: Store, thread: str, events: Sequence[Event]) -> None:
        """These events are about to be erased, in this thread or one that shares them: remove what
        is kept of them beside the store."""

    def needed(self) -> str:
        """Why a profile cannot exclude it, and what to do instead; empty: it can."""
        return ""

    def tools(self) -> Sequence[Tool | Function]:
        """Tools for every mode that does not hide them."""
        return ()

    def context(self, opening: Opening) -> str | Awaitable[str]:
        """A section of the system text, asked for when a session is opened and, if it is `live`,
        before each step. The system text is made of sections when an epoch begins; what changes
        later is told in a note, so that the provider's cache keeps hitting."""
        return ""

    def news(self, before: str, after: str) -> str:
        """What the model is told when the section says something else. `before` is empty where it
        is not known any more; empty: nothing need be said."""
        if not after:
            return f"This part of your instructions does not hold any more: {self.name}."
        return f"This part of your instructions has changed ({self.name}). It reads now:\n\n{after}"

    def problems(self) -> Sequence[Problem]:
        """What is wrong at present without hurting anybody, asked after each `context`. What was
        not told yet becomes the event `warned`."""
        return ()

    def places(self, opening: Opening) -> Places:
        """What this adds to the place of work, asked before any capability is opened."""
        return Places()

    def rules(self) -> Sequence[Rule]:
        """Rules that hold beside all others."""
        return ()

    def commands(self) -> Sequence[SlashCommand]:
        """Commands for people."""
        return ()

    def subagents(self) -> Sequence[Subagent]:
        """Who may be delegated to."""
        return ()

    def below(self) -> "Capability":
        """The capability as the children of an agent have it; each opens it anew."""
        return self

    async def child_ended(self, ctx: HookContext, child: str) -> None:
        """A child of the thread has ended: record what the thread should know of what it did, which
        is written in one piece with its end."""

    def equipped(self, tools: Collection[str], modes: Collection[str]) -> None:
        """All tools and modes of the harness are known now. Raise `UsageError` for what could never
        work with them."""

    def refuses(self, slices: Mapping[str, Kept], action: Action) -> str:
        """Why an action may not happen at present, by what slices hold, in words for the model;
        empty: rules and people decide. Asked of every call, so it must be pure and quick."""
        return ""

    def keeps(self, slices: Mapping[str, Kept]) -> str:
        """What the model is told again where the beginning of a conversation is left out."""
        return ""

    def digest(self, slices: Mapping[str, Kept]) -> Digest | None:
        """Notes that can stand for the beginning of a thread, instead of a summary."""
        return None

    def due(self, slices: Mapping[str, Kept]) -> bool:
        """Whether `before_run` has something to say, by what slices hold: asking costs a write."""
        return True

    async def before_run(self, ctx: HookContext) -> Refuse | None:
        """A run has begun; its inputs are before the model. Not asked where it is not `due`.

        With `Refuse` the run ends, and what was said to it is no part of the conversation.
        """
        return None

    async def before_model(self, ctx: HookContext) -> Refuse | None:
        """The model is about to be called; notes are still heard.

        With `Refuse` the run ends, and what was said to it since the last step is no part of the
        conversation.
        """
        return None

    async def after_model(self, ctx: HookContext, said: Assistant) -> None:
        """The model has answered; notes are heard after the results of its calls. Where it asked
        for none, a note makes the run go on."""

    async def before_tool(
        self, ctx: HookContext, call: AskedCall
    ) -> Refuse | NewArguments | AskPerson | None:
        """A call was asked for: let it pass (None), refuse it, change its arguments, or have a
        person asked."""
        return None

    async def after_tool(
        self, ctx: HookContext, call: AskedCall, result: CallResult
    ) -> CallResult | None:
        """A call has ended: what the model hears of it instead; None: just that."""
        return None

    async def before_finish(self, ctx: HookContext, answer: str) -> GoOn | None:
        """The run would end with this answer: let it (None), or go on, as far as limits allow."""
        return None

    async def on_event(self, ctx: HookContext, event: Event) -> None:
        """A durable event happened. Nothing can be brought about from here."""

    async def restore(
        self, ctx: HookContext, since: int, overwrite: Collection[str], *, dry: bool
    ) -> RestoreReport:
        """Put back what was changed outside of the thread since event `since`; say what became of
        it, or with `dry` only what would.

        What others have changed too is left alone and reported, unless it is in `overwrite`. The
        thread is rewound afterwards, in one piece with what is recorded here, which comes after
        `rewound`. To undo that, `since` is the number that followed `ctx.seq` then: what is kept
        elsewhere of changes made here belongs to that number. Should the process end between the
        two, this is asked again: what is back already stays as it is. Raise, and nothing is
        rewound.
        """
        return RestoreReport()

    async def stop_since(self, thread: str, since: int) -> None:
        """End what runs in the background of a thread and was begun at or after event `since`.

        Asked when the thread was rewound to before it, and for all of it when another process has
        taken the thread over.
        """

    def has(self, point: Point) -> bool:
        """Whether this capability has a hook at some point."""
        return getattr(type(self), point) is not getattr(Capability, point)
