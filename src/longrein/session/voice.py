"""Saying something to a session: inputs, the queue of them, and how they get in."""

from collections.abc import Sequence
from typing import Any, Literal, TypeVar, cast

from msgspec.structs import replace

from longrein.core import commands as c
from longrein.core.commands import Answer
from longrein.core.errors import UsageError
from longrein.core.media import media_type
from longrein.core.messages import Content, File, Text
from longrein.core.state import State
from longrein.core.typevars import T
from longrein.core.usage import Limits, Usage
from longrein.loop.checks import check_amounts
from longrein.loop.setup import Budgets
from longrein.session.conductor import Conductor
from longrein.session.given import text_of, texts_of
from longrein.session.handle import Run
from longrein.session.inbox import Inbox
from longrein.session.offloading import Offload
from longrein.session.services import Services
from longrein.storage.base import ThreadRow
from longrein.tools.shapes import Shape, shape_of

C = TypeVar("C", bound=c.Base)

NO_MODEL = "No model is configured: give the agent one, such as Agent(model='anthropic:NAME')."


class Voice:
    """The part of a session that is spoken to."""

    def __init__(self, services: Services, row: ThreadRow) -> None:
        self.thread = row.id
        self.resource = row.resource
        self.scope = services.scope
        self.conductor = Conductor(services, row)
        self.inbox = Inbox(services, self.conductor)
        self._services = services
        self._offload = Offload(services)

    @property
    def folded(self) -> State:
        """All that is known of the thread, as of the newest event known here."""
        return self.conductor.state

    async def send(
        self,
        text: str = "",
        *,
        files: Sequence[File | bytes] = (),
        limits: Limits | None = None,
        output: type[T] | str | None = None,
        command: str = "",
    ) -> Run[T]:
        """Say something: starts a run, or joins the one under way at its next safe boundary.

        `output` is the type that the answer of the run has to fit: `Finished.value` is then an
        object of it. A JSON schema as text will do too, for plain JSON values. Only the input that
        starts a run can ask for one.
        """
        return await self._say("send", text, files, limits, output, command)

    async def queue(
        self,
        text: str = "",
        *,
        files: Sequence[File | bytes] = (),
        limits: Limits | None = None,
        output: type[T] | str | None = None,
        command: str = "",
    ) -> Run[T]:
        """Say something after what is under way: a run of its own, when its turn comes."""
        return await self._say("queue", text, files, limits, output, command)

    async def steer(
        self,
        text: str = "",
        *,
        files: Sequence[File | bytes] = (),
        limits: Limits | None = None,
        output: type[T] | str | None = None,
        command: str = "",
    ) -> Run[T]:
        """Say something now: the model is cut short, started tools finish, the rest is not run."""
        return await self._say("steer", text, files, limits, output, command)

    async def signal(
        self, text: str, *, source: str = "app", wake: bool = True, command: str = ""
    ) -> Answer:
        """Tell the model what no person said; with `wake=False` only when it next runs."""
        run, said = self._new("run"), Text(text_of("A signal", text))
        return await self.submit(c.Say("signal", run, (said,), source, wake, id=command))

    async def proceed(self, *, limits: Limits | None = None, command: str = "") -> Run:
        """Go on from where the thread stands, after a limit or a failure."""
        said = c.Say("proceed", self._new("run"), limits=limits, id=command)
        return await self._admit(said, None)

    async def interrupt(self, reason: str = "", *, command: str = "") -> Answer:
        """Stop the run. What was said is kept, what waits is declined, the queue is held."""
        return await self.submit(c.Interrupt(reason, id=command))

    async def edit(self, input: str, text: str, *, command: str = "") -> Answer:
        """Change a waiting input."""
        said = Text(text_of("An input", text))
        return await self.submit(c.EditInput(input, (said,), id=command))

    async def withdraw(self, input: str, *, command: str = "") -> Answer:
        """Take a waiting input back."""
        return await self.submit(c.WithdrawInput(input, id=command))

    async def reorder(self, inputs: Sequence[str], *, command: str = "") -> Answer:
        """Bring the waiting inputs into this order; those not named follow."""
        return await self.submit(c.ReorderQueue(texts_of("inputs", inputs), id=command))

    async def release(self, *, command: str = "") -> Answer:
        """Let the queue that an interrupt held go on."""
        return await self.submit(c.Release(id=command))

    async def submit(self, command: c.Command) -> Answer:
        """Carry out a command, here or by the process that owns the thread."""
        checked = c.checked(self._numbered(command))
        return heard(await self.inbox.submit(await self._offload.command(self.folded, checked)))

    def _numbered(self, command: C) -> C:
        """The command with an id, its own or a new one."""
        return command if command.id else replace(command, id=self._new("cmd"), chosen=False)

    async def _say(
        self,
        kind: Literal["send", "queue", "steer"],
        text: str,
        files: Sequence[File | bytes],
        limits: Limits | None,
        output: type[T] | str | None,
        command: str,
    ) -> Run[T]:
        text_of("An input", text)
        if limits is not None:
            check_amounts("limits", limits, Limits)
        kept = [await self._kept(file) for file in files]
        parts: tuple[Content, ...] = (*((Text(text),) if text else ()), *kept)
        if isinstance(output, str) and (problem := self._services.check_schema(output)):
            raise UsageError(f"The output that is asked for is not a JSON schema: {problem}")
        shape, schema = _asked_for(output)
        said = c.Say(kind, self._new("run"), parts, limits=limits, output=schema, id=command)
        return await self._admit(said, shape)

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

    async def _admit(self, command: c.Say, output: Shape[T] | None) -> Run[T]:
        await self._check_means(command.limits)
        before = self.folded.seq
        numbered = c.checked(self._numbered(command))
        if output is not None:
            self.conductor.outputs[command.run] = output
        try:
            answer = await self.submit(numbered)
        except BaseException:
            self.conductor.outputs.pop(command.run, None)
            raise
        run = answer.run or command.run
        if output is not None:
            self._expect(command.run, run, output)
        return Run(self.conductor, run, before, numbered.id, output)

    def _expect(self, asked: str, run: str, output: Shape[Any]) -> None:
        """Keep the type of an answer under the run that gives it, and of none that is over."""
        outputs, over = self.conductor.outputs, self.folded.outcomes
        if run != asked:
            outputs[run] = outputs.pop(asked, output)
        for id in [id for id in outputs if id in over]:
            del outputs[id]

    async def _check_means(self, limits: Limits | None = None) -> None:
        """Refuse where a run lacks a model or, if money is limited, the price of one."""
        setup = self._services.loop.setup
        if not setup.chain(self.folded):
            raise UsageError(NO_MODEL)
        # A limit means nothing where the price is not known: refused, never guessed.
        if (limits or setup.limits).cost is None and setup.budgets == Budgets():
            return
        await self._services.load_prices()
        for model in setup.chain(self.folded):
            if await self._services.price(model, Usage(1, 1)) is None:
                raise UsageError(
                    f"There is a limit of money, but nobody knows what {model} costs: "
                    "set its price (prices), allow it by name (unpriced), or take the limit away."
                )

    def _new(self, prefix: str) -> str:
        return self._services.ids.new(prefix)


def heard(answer: Answer) -> Answer:
    """The answer to a command. Raises `UsageError` where it was refused."""
    if answer.status == "refused":
        raise UsageError(answer.message)
    return answer


def _asked_for(output: type[T] | str | None) -> tuple[Shape[T] | None, str]:
    """What reads the answer, and the JSON schema that it has to fit."""
    if output is None:
        return None, ""
    if isinstance(output, str):
        return shape_of(cast("type[T]", Any)), output
    shape = shape_of(output)
    return shape, shape.schema
