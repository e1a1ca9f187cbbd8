"""What a tool gets beside its arguments: who calls, a way to ask a person, a way to show output."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

from msgspec import Struct

from longrein.core.errors import ToolError, UsageError
from longrein.core.media import media_type
from longrein.core.messages import File
from longrein.core.records import Reply
from longrein.core.text import clean

if TYPE_CHECKING:
    # Whoever only defines tools does not pay for the event loop.
    from asyncio import AbstractEventLoop

Several: TypeAlias = tuple[str, ...]


class Asked(Struct, frozen=True):
    """What a tool wants to know from a person before it can go on."""

    text: str
    choices: tuple[str, ...] = ()
    several: bool = False


class Asking(BaseException):
    """Unwinds a tool whose question has no answer yet.

    Not an `Exception`, so that a tool's own `except Exception` lets it pass.
    """

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked.text)
        self.asked = asked


class Declined(ToolError):
    """The person did not want to answer; left alone it tells the model so.

    >>> from longrein import Declined
    >>> raise Declined("not on a Friday")
    Traceback (most recent call last):
    longrein.tools.context.Declined: not on a Friday
    """


class Context:
    """What a tool gets beside its arguments: declare a parameter of this type anywhere.

    `call`, `tool`, `thread`, `resource` and `run` say on whose behalf it runs; `answers` are those
    that it already has.

    >>> from longrein import Context, tool
    >>> @tool
    ... async def whoami(ctx: Context) -> str:
    ...     "Tell whose thread this is."
    ...     return ctx.resource
    >>> whoami.schema
    b'{"type":"object","properties":{},"additionalProperties":false}'
    """

    __slots__ = (
        "_asks", "_keep", "_left", "_output", "_redact",
        "answers", "call", "resource", "run", "thread", "tool",
    )  # fmt: skip

    def __init__(
        self,
        *,
        call: str = "",
        tool: str = "",
        thread: str = "",
        resource: str = "",
        run: str = "",
        asks: bool = False,
        answers: tuple[Reply, ...] = (),
        output: Callable[[str], object] = lambda text: None,
        redact: Callable[[str], str] = str,
        keep: Callable[[bytes], Awaitable[str]] | None = None,
    ) -> None:
        self.call = call
        self.tool = tool
        self.thread = thread
        self.resource = resource
        self.run = run
        self.answers = answers
        self._asks = asks
        self._left = iter(answers)
        self._output = output
        self._redact = redact
        self._keep = keep

    def output(self, text: str) -> None:
        """Show more of what the tool puts out while it runs; the result is what it returns."""
        self._output(text)

    async def keep(self, data: bytes, kind: str = "", name: str = "") -> File:
        """A picture, or any file, that the tool made: return it, and the model sees it.

        `kind` is its media type, which is told from its first bytes where it is not given.
        """
        if self._keep is None:
            raise UsageError("files can be kept only while a session runs the tool")
        return File(kind or media_type(data), await self._keep(data), name=name)

    @overload
    async def ask(self, text: str, choices: Sequence[str] = ()) -> str: ...
    @overload
    async def ask(self, text: str, choices: Sequence[str], several: Literal[True]) -> Several: ...
    async def ask(
        self, text: str, choices: Sequence[str] = (), several: bool = False
    ) -> str | Several:
        """A person's answer: a text, one of `choices`, or, if `several`, some of them.

        The tool must be declared `asks=True`, and have no effect before its last question: it is
        left here when there is no answer yet, and called again from its start when there is one.
        Raises `Declined` if the person does not want to answer.
        """
        return self._ask(text, choices, several)

    @overload
    def ask_now(self, text: str, choices: Sequence[str] = ()) -> str: ...
    @overload
    def ask_now(self, text: str, choices: Sequence[str], several: Literal[True]) -> Several: ...
    def ask_now(
        self, text: str, choices: Sequence[str] = (), several: bool = False
    ) -> str | Several:
        """The same as `ask`, for functions that are not async."""
        return self._ask(text, choices, several)

    def from_thread(self, loop: "AbstractEventLoop") -> "Context":
        """This context for a function in a thread: its output is brought to the event loop."""
        output = self._output
        return Context(
            call=self.call,
            tool=self.tool,
            thread=self.thread,
            resource=self.resource,
            run=self.run,
            asks=self._asks,
            answers=self.answers,
            output=lambda text: loop.call_soon_threadsafe(output, text),
            redact=self._redact,
            keep=self._keep,
        )

    def _ask(self, text: str, choices: Sequence[str], several: bool) -> str | Several:
        if not self._asks:
            raise UsageError(f"declare @tool(asks=True) on {self.tool!r}: only then it may ask")
        # As it is written to the log, so that it is known again when the tool is called again.
        text, *offered = (self._redact(clean(one)) for one in (text, *choices))
        answer = next(self._left, None)
        if answer is None:
            raise Asking(Asked(text, tuple(offered), several))
        return _given(answer, text, several)


def _given(answer: Reply, text: str, several: bool) -> str | Several:
    if answer.question != text:
        # A yes to one question must never count as a yes to another.
        raise UsageError(
            f"asked {text!r} where it had asked {answer.question!r} before: a tool that asks must "
            "ask the same questions, in the same order, when it is called again"
        )
    match answer.value:
        case None:
            reason = f": {answer.reason}" if answer.reason else "."
            raise Declined(f"The person declined to answer {text!r}{reason}")
        case str() as value:
            return (value,) if several else value
        case values:
            return values if several else ", ".join(values)
