"""The session: the live controller of one thread. Commands in, events out."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from longrein.core import commands as c
from longrein.core.commands import Answer
from longrein.core.display import Display
from longrein.core.errors import UsageError
from longrein.core.media import media_type
from longrein.core.messages import Content, File, Text
from longrein.core.records import Rule, Trust
from longrein.core.state import State
from longrein.core.usage import Limits, Usage
from longrein.session.bus import Anything
from longrein.session.conductor import Conductor
from longrein.session.frames import frames
from longrein.session.handle import Run
from longrein.session.inbox import Inbox
from longrein.session.listen import listen, listen_for
from longrein.session.services import Services
from longrein.storage.base import ThreadRow

C = TypeVar("C", bound=c.Base)

NO_MODEL = "No model is configured: give the agent one, such as Agent(model='anthropic:NAME')."


class Session:
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
        self, services: Services, row: ThreadRow, closed: Callable[[str], object] = len
    ) -> None:
        self.thread = row.id
        self.resource = row.resource
        self.conductor = Conductor(services, row)
        self.inbox = Inbox(services, self.conductor)
        self._services = services
        self._on_close = closed

    async def send(
        self,
        text: str = "",
        *,
        files: Sequence[File | bytes] = (),
        limits: Limits | None = None,
        command: str = "",
    ) -> Run:
        """Say something: starts a run, or joins the one under way at its next safe boundary."""
        return await self._say("send", text, files, limits, command)

    async def queue(
        self,
        text: str = "",
        *,
        files: Sequence[File | bytes] = (),
        limits: Limits | None = None,
        command: str = "",
    ) -> Run:
        """Say something after what is under way: a run of its own, when its turn comes."""
        return await self._say("queue", text, files, limits, command)

    async def steer(
        self,
        text: str = "",
        *,
        files: Sequence[File | bytes] = (),
        limits: Limits | None = None,
        command: str = "",
    ) -> Run:
        """Say something now: the model is cut short, started tools finish, the rest is not run."""
        return await self._say("steer", text, files, limits, command)

    async def signal(
        self, text: str, *, source: str = "app", wake: bool = True, command: str = ""
    ) -> Answer:
        """Tell the model what no person said; with `wake=False` only when it next runs."""
        run = self._new("run")
        return await self.submit(c.Say("signal", run, (Text(text),), source, wake, id=command))

    async def proceed(self, *, limits: Limits | None = None, command: str = "") -> Run:
        """Go on from where the thread stands, after a limit or a failure."""
        return await self._admit(c.Say("proceed", self._new("run"), limits=limits, id=command))

    async def interrupt(self, reason: str = "", *, command: str = "") -> Answer:
        """Stop the run. What was said is kept, what waits is declined, the queue is held."""
        return await self.submit(c.Interrupt(reason, id=command))

    async def edit(self, input: str, text: str, *, command: str = "") -> Answer:
        """Change a waiting input."""
        return await self.submit(c.EditInput(input, (Text(text),), id=command))

    async def withdraw(self, input: str, *, command: str = "") -> Answer:
        """Take a waiting input back."""
        return await self.submit(c.WithdrawInput(input, id=command))

    async def reorder(self, inputs: Sequence[str], *, command: str = "") -> Answer:
        """Bring the waiting inputs into this order; those not named follow."""
        return await self.submit(c.ReorderQueue(tuple(inputs), id=command))

    async def release(self, *, command: str = "") -> Answer:
        """Let the queue that an interrupt held go on."""
        return await self.submit(c.Release(id=command))

    async def approve(
        self,
        approval: str,
        *,
        arguments: str | Mapping[str, Any] | None = None,
        remember: Literal["tool", "category"] | None = None,
        scope: Literal["run", "thread"] = "thread",
        command: str = "",
    ) -> Answer:
        """Let a call run, perhaps with other arguments; `remember` it for its tool or category."""
        if arguments is not None and not isinstance(arguments, str):
            arguments = msgspec.json.encode(arguments).decode()
        return await self.submit(c.Approve(approval, arguments, remember or "", scope, id=command))

    async def decline(
        self, target: str, reason: str = "", *, stop: bool = False, command: str = ""
    ) -> Answer:
        """Say no to an approval or a question. The model hears the reason; `stop` ends the run."""
        return await self.submit(c.Decline(target, reason, stop, id=command))

    async def replace(self, approval: str, result: str, *, command: str = "") -> Answer:
        """Answer in the tool's place: it does not run, the model hears `result`."""
        return await self.submit(c.Replace(approval, result, id=command))

    async def answer(
        self, question: str, value: str | Sequence[str], *, command: str = ""
    ) -> Answer:
        """Answer a question: a text, one of its choices, or several of them."""
        given = value if isinstance(value, str) else tuple(value)
        return await self.submit(c.AnswerQuestion(question, given, id=command))

    async def rename(self, title: str, *, command: str = "") -> Answer:
        """Give the thread a title."""
        return await self.submit(c.Rename(title, id=command))

    async def switch_mode(self, mode: str, *, command: str = "") -> Answer:
        """Use another mode from the next step on."""
        return await self.submit(c.SwitchMode(mode, id=command))

    async def switch_model(self, model: str, *, command: str = "") -> Answer:
        """Use another model from the next step on; empty: back to the one configured."""
        if model:
            self._services.model(model)
        return await self.submit(c.SwitchModel(model, id=command))

    async def set_trust(self, trust: Trust, *, command: str = "") -> Answer:
        """Use another mode of trust from the next decision on."""
        return await self.submit(c.SetTrust(trust, id=command))

    async def add_rule(self, rule: Rule, *, command: str = "") -> Answer:
        """Add a rule to this thread."""
        return await self.submit(c.AddRule(rule, id=command))

    async def remove_rule(self, rule: str, *, command: str = "") -> Answer:
        """Remove a rule of this thread."""
        return await self.submit(c.RemoveRule(rule, id=command))

    async def revoke(self, grant: str, *, command: str = "") -> Answer:
        """Forget a remembered yes."""
        return await self.submit(c.RevokeGrant(grant, id=command))

    async def resume(self, *, command: str = "") -> Answer:
        """Go on with what an earlier process left open."""
        return await self.submit(c.Resume(id=command))

    @property
    def state(self) -> State:
        """The folded state of the thread, as of the newest event known here."""
        return self.conductor.state

    @property
    def display(self) -> Display:
        """One snapshot from which a user interface draws everything."""
        return self.conductor.display()

    def displays(self) -> AsyncIterator[Display]:
        """The display now and whenever it has changed, at most once per frame."""
        return frames(self.conductor)

    def events(
        self, after: int = 0, *, only: type | tuple[type, ...] = ()
    ) -> AsyncGenerator[Anything, None]:
        """Every event after a position, then those to come, with no gap and no duplicate.

        `only` picks kinds: `only=Durable`, `only=(ToolStarted, ToolEnded)`.
        """
        return listen_for(self.conductor, after, only) if only else listen(self.conductor, after)

    def run(self, id: str) -> Run:
        """The handle of a run by its id, also after a restart."""
        return Run(self.conductor, id, 0)

    @property
    def closed(self) -> bool:
        """Whether the session has let its thread go."""
        return self.conductor.closed

    async def close(self) -> None:
        """Stop what is in flight here and let the thread go; nothing that was said is lost."""
        await self.conductor.close()
        self._on_close(self.thread)

    async def submit(self, command: c.Command) -> Answer:
        """Carry out a command, here or by the process that owns the thread."""
        answer = await self.inbox.submit(c.checked(self._numbered(command)))
        if answer.status == "refused":
            raise UsageError(answer.message)
        return answer

    def _numbered(self, command: C) -> C:
        """The command with an id, its own or a new one."""
        return command if command.id else replace(command, id=self._new("cmd"), chosen=False)

    async def _say(
        self,
        kind: Literal["send", "queue", "steer"],
        text: str,
        files: Sequence[File | bytes],
        limits: Limits | None,
        command: str,
    ) -> Run:
        kept = [await self._kept(file) for file in files]
        parts: tuple[Content, ...] = (*((Text(text),) if text else ()), *kept)
        return await self._admit(c.Say(kind, self._new("run"), parts, limits=limits, id=command))

    async def _kept(self, file: File | bytes) -> File:
        match file:
            case File():
                if file.blob and await self._services.store.blob(file.blob) is None:
                    raise UsageError(f"There is no file {file.blob} in the store; give its bytes.")
                return file
            case bytes():
                return File(media_type(file), blob=await self._services.store.put_blob(file))
            case other:  # pyright: ignore[reportUnnecessaryComparison]
                raise UsageError(f"A file is given as bytes or as a File, not as {other!r}.")

    async def _admit(self, command: c.Say) -> Run:
        setup = self._services.loop.setup
        if not setup.chain(self.state):
            raise UsageError(NO_MODEL)
        await self._check_budget(command.limits)
        before = self.state.seq
        numbered = c.checked(self._numbered(command))
        answer = await self.submit(numbered)
        return Run(self.conductor, answer.run or command.run, before, numbered.id)

    async def _check_budget(self, limits: Limits | None) -> None:
        """A limit of money means nothing where the price is not known: refused, never guessed."""
        setup = self._services.loop.setup
        if (limits or setup.limits).cost is None:
            return
        for model in setup.chain(self.state):
            if await self._services.price(model, Usage(1, 1)) is None:
                raise UsageError(
                    f"There is a limit of money, but nobody knows what {model} costs: "
                    "set its price (prices), or take the limit away."
                )

    def _new(self, prefix: str) -> str:
        return self._services.ids.new(prefix)
