"""What a tool gets beside its arguments: who calls, a way to ask a person, a way to show output."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

from msgspec import Struct
from msgspec.structs import replace

from longrein.core.errors import ToolError, UsageError
from longrein.core.media import media_type
from longrein.core.messages import File
from longrein.core.records import Reply
from longrein.core.text import clean
from longrein.tools.children import Children
from longrein.tools.reach import Effect, Reach
from longrein.tools.within import D, S, Within

if TYPE_CHECKING:
    # Whoever only defines tools does not pay for the event loop.
    from asyncio import AbstractEventLoop

Several: TypeAlias = tuple[str, ...]

NOWHERE = Reach()


class Asked(Struct, frozen=True):
    """What a tool wants to know from a person before it can go on."""

    text: str
    choices: tuple[str, ...] = ()
    several: bool = False
    other: bool = False
    kind: str = ""
    title: str = ""


class Asking(BaseException):
    """Unwinds a tool whose question has no answer yet.

    Not an `Exception`, so that a tool's own `except Exception` lets it pass.
    """

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked.text)
        self.asked = asked


class Declined(ToolError):
    """The person did not want to answer; left alone it tells the model so.

    `reason` is what the person said to that, in their own words; empty if nothing.

    >>> from longrein import Declined
    >>> raise Declined("not on a Friday")
    Traceback (most recent call last):
    longrein.tools.context.Declined: not on a Friday
    """

    def __init__(self, message: str = "", *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class Context(Within[D, S]):
    """What a tool gets beside its arguments: declare a parameter of this type anywhere.

    `call`, `tool`, `thread`, `resource` and `run` say on whose behalf it runs; `answers` are those
    that it already has. `deps` is what the harness's `deps` made for this session, `state` the
    application's own state: `Context[Deps, MyState]` tells a type checker what they are.

    What `record`, `update` and `switch_mode` bring about is written in one piece with the tool's
    result, and only if it returns one: after a crash both are there, or neither.

    >>> from longrein import Context, tool
    >>> @tool
    ... async def whoami(ctx: Context) -> str:
    ...     "Tell whose thread this is."
    ...     return ctx.resource
    >>> whoami.schema
    b'{"type":"object","properties":{},"additionalProperties":false}'
    """

    __slots__ = (
        "_asks", "_left", "_output", "_redact", "answers", "call", "tool",
    )  # fmt: skip

    def __init__(
        self,
        *,
        call: str = "",
        tool: str = "",
        reach: Reach = NOWHERE,
        asks: bool = False,
        answers: tuple[Reply, ...] = (),
        output: Callable[[str], object] = lambda text: None,
        redact: Callable[[str], str] = str,
        effects: list[Effect] | None = None,
    ) -> None:
        super().__init__(reach, effects)
        self.call = call
        self.tool = tool
        self.answers = answers
        self._asks = asks
        self._left = iter(answers)
        self._output = output
        self._redact = redact

    @property
    def children(self) -> Children:
        """The way to delegate, and the children of the thread."""
        return self._reach.children(self.call)

    def output(self, text: str) -> None:
        """Show more of what the tool puts out while it runs; the result is what it returns."""
        self._output(text)

    async def keep(self, data: bytes, kind: str = "", name: str = "") -> File:
        """A picture, or any file, that the tool made: return it, and the model sees it.

        `kind` is its media type, which is told from its first bytes where it is not given.
        """
        return File(kind or media_type(data), await self.keep_bytes(data), name=name)

    @overload
    async def ask(
        self,
        text: str,
        choices: Sequence[str] = (),
        *,
        other: bool = False,
        kind: str = "",
        title: str = "",
    ) -> str: ...
    @overload
    async def ask(
        self, text: str, choices: Sequence[str], several: Literal[True], *, other: bool = False
    ) -> Several: ...
    async def ask(
        self,
        text: str,
        choices: Sequence[str] = (),
        several: bool = False,
        *,
        other: bool = False,
        kind: str = "",
        title: str = "",
    ) -> str | Several:
        """A person's answer: a text, one of `choices`, or, if `several`, some of them.

        The tool must be declared `asks=True`, and have no effect before its last question: it is
        left here when there is no answer yet, and called again from its start when there is one.
        `other`: a text that is not among the choices will do as well. `kind` and `title` are for
        the user interface. Raises `Declined` if the person does not want to answer.
        """
        return self._ask(Asked(text, tuple(choices), several, other, kind, title))

    @overload
    def ask_now(
        self,
        text: str,
        choices: Sequence[str] = (),
        *,
        other: bool = False,
        kind: str = "",
        title: str = "",
    ) -> str: ...
    @overload
    def ask_now(
        self, text: str, choices: Sequence[str], several: Literal[True], *, other: bool = False
    ) -> Several: ...
    def ask_now(
        self,
        text: str,
        choices: Sequence[str] = (),
        several: bool = False,
        *,
        other: bool = False,
        kind: str = "",
        title: str = "",
    ) -> str | Several:
        """The same as `ask`, for functions that are not async."""
        return self._ask(Asked(text, tuple(choices), several, other, kind, title))

    def from_thread(self, loop: "AbstractEventLoop") -> "Context[D, S]":
        """This context for a function in a thread: its output is brought to the event loop."""
        output = self._output
        return Context(
            call=self.call,
            tool=self.tool,
            reach=self._reach,
            asks=self._asks,
            answers=self.answers,
            output=lambda text: loop.call_soon_threadsafe(output, text),
            redact=self._redact,
            effects=self.effects,
        )

    def _ask(self, asked: Asked) -> str | Several:
        if not self._asks:
            raise UsageError(f"declare @tool(asks=True) on {self.tool!r}: only then it may ask")
        # As it is written to the log, so that it is known again when the tool is called again.
        text, title, *choices = (
            self._redact(clean(one)) for one in (asked.text, asked.title, *asked.choices)
        )
        answer = next(self._left, None)
        if answer is None:
            raise Asking(replace(asked, text=text, title=title, choices=tuple(choices)))
        return _given(answer, text, asked.several)


def _given(answer: Reply, text: str, several: bool) -> str | Several:
    if answer.question != text:
        # A yes to one question must never count as a yes to another.
        raise UsageError(
            f"asked {text!r} where it had asked {answer.question!r} before: a tool that asks must "
            "ask the same questions, in the same order, when it is called again"
        )
    match answer.value:
        case None:
            why = f": {answer.reason}" if answer.reason else "."
            late = answer.by == "deadline"
            what = "There is no answer to" if late else "The person declined to answer"
            raise Declined(f"{what} {text!r}{why}", reason=answer.reason)
        case str() as value:
            return (value,) if several else value
        case values:
            return values if several else ", ".join(values)
