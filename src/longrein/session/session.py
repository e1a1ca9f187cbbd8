"""The session: the live controller of one thread. Commands in, events out."""

from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Mapping,
    Sequence,
)
from types import MappingProxyType
from typing import Any, Generic, TypeVar, cast, get_args

import msgspec
from msgspec.structs import replace

from longrein.core import commands as c
from longrein.core.commands import Answer
from longrein.core.display import Display
from longrein.core.errors import UsageError
from longrein.core.messages import ToolCall
from longrein.core.policy import Grant, Rule, Scope, Trust
from longrein.core.records import Approval, Question
from longrein.core.redact import Redactor
from longrein.core.slices import Slice
from longrein.core.state import Call
from longrein.core.typevars import S, T
from longrein.models.base import Effort
from longrein.models.efforts import LEVELS
from longrein.permissions.explain import Explanation, explain
from longrein.permissions.remember import Remember
from longrein.session.bus import Anything
from longrein.session.ending import Opened
from longrein.session.examine import examine
from longrein.session.frames import frames
from longrein.session.given import check_choice, check_kinds, id_of, settings_of, text_of, texts_of
from longrein.session.handle import Run
from longrein.session.listen import listen, listen_for, subscribe
from longrein.session.parenting import Parenting
from longrein.session.performing import Performing
from longrein.session.rewinding import Rewinding
from longrein.session.services import Services
from longrein.session.voice import heard
from longrein.storage.base import ThreadRow
from longrein.tools.shapes import shape_of

V = TypeVar("V")


class Session(Performing[S], Rewinding, Parenting, Generic[S]):
    """The live controller of one thread.

    Every method that tells it something returns when that is durable. `command` is an id of your
    own for what you say: the same id again changes nothing and gets the first answer.

    >>> from longrein import Session, Waiting
    >>> async def ask(session: Session) -> None:
    ...     run = await session.send("Deploy it")
    ...     while isinstance(outcome := await run, Waiting):
    ...         for approval in outcome.approvals:
    ...             await session.approve(approval)
    """

    def __init__(
        self,
        services: Services,
        row: ThreadRow,
        closed: "Callable[[Session[S]], Awaitable[None]]",
        opened: Opened,
        release: Callable[[], Awaitable[None]],
    ) -> None:
        super().__init__(services, row)
        self._on_close = closed
        self._opened = opened
        self._release = release

    async def approve(
        self,
        approval: str | Approval,
        *,
        arguments: str | Mapping[str, Any] | None = None,
        remember: Remember | None = None,
        scope: Scope = "thread",
        command: str = "",
    ) -> Answer:
        """Let a call run, perhaps with other arguments; perhaps do not ask again.

        `remember` is what need not be asked about again: exactly this `"call"`, its `"tool"`, its
        whole `"category"`, or what the approval proposes (`"rule"`); `scope` where: in this
        `"run"`, this `"thread"`, or every thread of the `"resource"`.
        """
        check_choice("remember", remember or "", ("", *get_args(Remember)))
        check_choice("scope", scope, get_args(Scope))
        if scope != "thread" and not remember:
            raise UsageError(
                f"scope={scope!r} says where a yes is remembered: say with remember= what."
            )
        if arguments is not None and not isinstance(arguments, str):
            arguments = msgspec.json.encode(arguments).decode()
        id = id_of("An approval", approval)
        return await self.submit(c.Approve(id, arguments, remember or "", scope, id=command))

    async def decline(
        self,
        target: str | Approval | Question,
        reason: str = "",
        *,
        stop: bool = False,
        command: str = "",
    ) -> Answer:
        """Say no to an approval or a question. The model hears the reason; `stop` ends the run."""
        id = id_of("An approval or a question", target)
        return await self.submit(c.Decline(id, text_of("A reason", reason), stop, id=command))

    async def replace(self, approval: str | Approval, result: str, *, command: str = "") -> Answer:
        """Answer in the tool's place: it does not run, the model hears `result`."""
        id = id_of("An approval", approval)
        return await self.submit(c.Replace(id, text_of("A result", result), id=command))

    async def answer(
        self, question: str | Question, value: str | Sequence[str], *, command: str = ""
    ) -> Answer:
        """Answer a question: a text, one of its choices, or several of them.

        A plan is answered `"approve"`; for all else there are `approve_plan` and `reject_plan`.
        """
        given = value if isinstance(value, str) else texts_of("An answer", value)
        return await self.submit(c.AnswerQuestion(id_of("A question", question), given, id=command))

    async def approve_plan(
        self, question: str | Question, edited: str | None = None, *, command: str = ""
    ) -> Answer:
        """Say yes to a plan, perhaps to another text of it than the one submitted.

        Where the trust is `"plan"`, it is `"ask"` from then on: the plan is to be carried out.
        """
        value, plan = "approve" if edited is None else edited, id_of("A question", question)
        return await self.submit(c.AnswerQuestion(plan, value, plan=True, id=command))

    async def reject_plan(self, question: str, feedback: str = "", *, command: str = "") -> Answer:
        """Say no to a plan; the model hears the feedback and can submit another."""
        return await self.decline(question, feedback, command=command)

    async def rename(self, title: str, *, command: str = "") -> Answer:
        """Give the thread a title."""
        return await self.submit(c.Rename(text_of("A title", title), id=command))

    async def tag(self, tags: Sequence[str], *, command: str = "") -> Answer:
        """Give the thread these tags instead of those that it has."""
        return await self.submit(c.Tag(texts_of("tags", tags), id=command))

    async def configure(self, changes: Mapping[str, Any], *, command: str = "") -> Answer:
        """Change settings of the thread, which are the application's own; None takes one away."""
        return await self.submit(c.Configure(settings_of(changes), id=command))

    async def compact(self, focus: str = "", *, command: str = "") -> Answer:
        """Make requests shorter: a summary stands for all but the newest steps.

        It is made at once or, while a run is under way, before its next step; `compacted` or
        `compaction_failed` tells what came of it. `focus` is what it should keep above all. Nothing
        is removed from the thread. Raises `UsageError` where there is nothing to leave out.
        """
        return await self.submit(c.Compact(text_of("A focus", focus), id=command))

    async def pin(self, input: str, *, command: str = "") -> Answer:
        """Keep what was said in an input in every request, however much is left out.

        `input` is its id, or that of the run that it started.
        """
        return await self.submit(c.Pin(text_of("An input", input), id=command))

    async def unpin(self, input: str, *, command: str = "") -> Answer:
        """Have an input left out when its time comes, as all others."""
        return await self.submit(c.Pin(text_of("An input", input), False, id=command))

    async def switch_mode(self, mode: str, *, abort: bool = False, command: str = "") -> Answer:
        """Use another mode from the next step on; with `abort` the run under way is stopped.

        The model that was last chosen in that mode is used again.
        """
        return await self.submit(c.SwitchMode(mode, abort, id=command))

    async def switch_model(
        self, model: str, *, effort: Effort | None = None, command: str = ""
    ) -> Answer:
        """Use another model in this mode from the next step on; empty: the one configured.

        `effort` is how hard it is to think; None: as configured.
        """
        if effort is not None and effort not in LEVELS:
            raise UsageError(f"There is no effort {effort!r}; known: {', '.join(LEVELS)}.")
        if model:
            await self._services.model(model)
        return await self.submit(c.SwitchModel(model, effort or "", id=command))

    async def set_trust(self, trust: Trust, *, command: str = "") -> Answer:
        """Use another mode of trust from the next decision on."""
        check_choice("trust", trust, get_args(Trust))
        return await self.submit(c.SetTrust(trust, id=command))

    async def add_rule(self, rule: Rule, *, command: str = "") -> Answer:
        """Add a rule to this thread. `Answer.message` is its id, for `remove_rule`."""
        if not isinstance(rule, Rule):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UsageError(f"Give a Rule, such as Rule('deny', category='edit'), not {rule!r}.")
        return await self.submit(c.AddRule(rule, id=command))

    async def remove_rule(self, rule: str, *, command: str = "") -> Answer:
        """Remove a rule of this thread, by its id or, where only one has it, by its name."""
        return await self.submit(c.RemoveRule(rule, id=command))

    async def revoke(self, grant: str, *, command: str = "") -> Answer:
        """Forget a remembered yes."""
        return await self.submit(c.RevokeGrant(grant, id=command))

    def rules(self) -> list[tuple[str, Rule]]:
        """Every rule that holds now, with where it comes from; defaults aside."""
        return list(self._services.loop.setup.sourced_rules(self.folded))

    def grants(self) -> list[Grant]:
        """Every remembered yes that holds now, of this thread and of its resource."""
        return list(self._services.loop.setup.all_grants(self.folded))

    async def explain(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Explanation:
        """Whether a call would be allowed, asked about or denied now, and by which rule.

        Raises `UsageError`, with what the model would hear, for a call that cannot run at all.
        """
        setup, state = self._services.loop.setup, replace(self.folded, step=None)
        check_choice(
            f"tool in the mode {setup.mode(state).id!r} called", tool, [*setup.mode(state).tools]
        )
        text = msgspec.json.encode(arguments or {}).decode()
        found = await examine(self._services, state, ToolCall("", tool, text))
        action = setup.action(state, Call("", tool, text, touches=found.touches))
        if found.problem or action is None:
            said = f"The model would hear: {found.problem}"
            raise UsageError(f"This call would be refused, whatever the rules say. {said}")
        rules = [(rule, source) for source, rule in setup.sourced_rules(state)]
        return explain(action, rules, setup.all_grants(state), setup.trust(state))

    async def resume(self, *, command: str = "") -> Answer:
        """Go on with what an earlier process left open."""
        return await self.submit(c.Resume(id=command))

    @property
    def state(self) -> S:
        """The application's own state, as of the newest event known here.

        Raises `UsageError`, naming the fields, while what is kept does not fit its model.
        """
        return self._services.kept.read(self.folded)

    @property
    def settings(self) -> Mapping[str, Any]:
        """What `configure` keeps in the thread, as of the newest event known here."""
        return MappingProxyType(self.folded.settings)

    def read(self, slice: Slice[V]) -> V:
        """The value of a capability's slice, as of the newest event known here."""
        return self._services.reach(self.folded, lambda: self.folded).read(slice)

    @property
    def redactor(self) -> Redactor:
        """Takes secrets out of a text, as they are out of everything in the log."""
        return self._services.redactor

    def capability(self, kind: type[V]) -> V:
        """The agent's capability of some class, as it works in this session.

        Raises `UsageError` where the agent has none.
        """
        for one in self._services.capabilities:
            if isinstance(one, kind):
                return one
        known = ", ".join(type(one).__name__ for one in self._services.capabilities) or "none"
        raise UsageError(f"The agent has no {kind.__name__}; its capabilities are: {known}.")

    @property
    def display(self) -> Display:
        """One snapshot from which a user interface draws everything."""
        return self.conductor.display()

    def displays(self) -> AsyncGenerator[Display, None]:
        """The display now and whenever it has changed, at most once per frame."""
        return frames(self.conductor)

    def events(
        self, after: int = 0, *, only: type | tuple[type, ...] = ()
    ) -> AsyncGenerator[Anything, None]:
        """Every event after a position, then those to come, with no gap and no duplicate.

        `only` picks kinds: `only=Durable`, `only=(ToolStarted, ToolEnded)`.
        """
        check_kinds(only)
        return listen_for(self.conductor, after, only) if only else listen(self.conductor, after)

    def subscribe(
        self, hear: Callable[[Anything], object], *, only: type | tuple[type, ...] = ()
    ) -> Callable[[], None]:
        """Have `hear` called with every event from now on; returns what ends it.

        It may be async; the next event then waits for it. One that raises is heard of as a signal
        and called with the next event all the same.
        """
        if not callable(hear):
            raise UsageError(f"A function is called with every event, not {hear!r}.")
        return subscribe(self.conductor, self.events(self.folded.seq, only=only), hear)

    def run(self, id: str, *, output: type[T] | None = None) -> Run[T]:
        """The handle of a run by its id, also after a restart; `output` as in `send`."""
        return Run(self.conductor, id, 0, output=shape_of(output) if output else None)

    async def child(self, thread: str) -> "Session[S]":
        """The session of a child, to look in, to steer or to answer it. Raises `NotFound`."""
        return cast("Session[S]", await self._looked_in(thread))

    @property
    def closed(self) -> bool:
        """Whether the session has let its thread go."""
        return self.conductor.closed

    async def close_with(self, command: c.Rename | c.Tag) -> Answer:
        """Close, with a title or tags as the last that is written, which starts nothing: what an
        earlier process left open stays as it is. Another process that has the thread is told."""
        try:
            return heard(await self.inbox.submit_last(c.checked(self._numbered(command))))
        finally:
            await self.close()

    async def close(self) -> None:
        """Stop what is in flight here and let the thread go; nothing that was said is lost."""
        release, self._release = self._release, _nothing
        try:
            await self.conductor.close(self._opened)
        finally:
            await self._on_close(self)
            await release()


async def _nothing() -> None:
    """What is released is not released again."""
