"""One call of one tool: bind, run, and settle with an output, whatever the tool does."""

import asyncio
from collections.abc import Awaitable
from functools import partial
from typing import Any, cast

from msgspec import Struct

from longrein.core.errors import ToolError
from longrein.core.messages import Content, Settled, Text
from longrein.core.text import clean
from longrein.tools.context import Asked, Asking, Context, Declined
from longrein.tools.define import Tool
from longrein.tools.results import to_parts
from longrein.tools.threads import in_thread


class Output(Struct, frozen=True):
    """How a call ended, and what the model hears of it."""

    status: Settled
    parts: tuple[Content, ...]


async def call(tool: Tool, arguments: str, ctx: Context) -> Output | Asked:
    """The output of a tool, or what it has to ask a person first.

    Never raises because of the tool: an exception, a timeout, arguments that do not fit and a
    result that cannot be shown are all outputs that say what to do. Cancelling passes through.
    """
    scope = asyncio.timeout(tool.timeout)
    try:
        values = tool.arguments.read(arguments)
        async with scope:
            returned = await _run(tool, values, ctx)
        return Output("ok", to_parts(tool.name, returned))
    except BaseException as error:  # protects the run from the tool; `_settle` passes on the rest
        if scope.expired() and isinstance(error, TimeoutError):
            return Output("timeout", (Text(_too_long(tool)),))
        return _settle(tool, error)


async def _run(tool: Tool, values: dict[str, Any], ctx: Context) -> Any:
    if tool.awaits:
        if tool.context:
            values[tool.context] = ctx
        return await tool.function(**values)
    if tool.context:
        values[tool.context] = ctx.from_thread(asyncio.get_running_loop())
    returned: Any = await in_thread(partial(tool.function, **values), tool.name)
    # A plain function that wraps an async one.
    return await cast(Any, returned) if isinstance(returned, Awaitable) else returned


def _settle(tool: Tool, error: BaseException) -> Output | Asked:
    match _innermost(error):
        case Asking(asked=asked):
            return asked
        case Declined() as declined:
            return Output("declined", (Text(_message(declined)),))
        case ToolError() as told:
            text = _message(told) or f"`{tool.name}` failed and gave no reason."
            return Output("error", (Text(text),))
        case GeneratorExit():
            raise error
        case KeyboardInterrupt() if tool.awaits:  # in a thread it is never the user's Ctrl-C
            raise error
        case asyncio.CancelledError() if _cancelled():
            raise error
        case other:
            kind, message = type(other).__name__, _message(other)
            text = f"`{tool.name}` failed with {kind}: {message}".removesuffix(": ")
            return Output("error", (Text(text),))


def _innermost(error: BaseException) -> BaseException:
    """The one exception that a task group in the tool wrapped up, or a question among several."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    group = cast(BaseExceptionGroup[BaseException], error)
    inner = [_innermost(one) for one in group.exceptions]
    asking = [one for one in inner if isinstance(one, Asking)]
    if asking or len(inner) == 1:
        return (asking or inner)[0]
    return group


def _cancelled() -> bool:
    """Whether it is us who are cancelled, and not just something that the tool waited for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _message(error: BaseException) -> str:
    try:
        return clean(str(error))
    except Exception:  # the exception's own __str__ failed
        return ""


def _too_long(tool: Tool) -> str:
    happened = f"`{tool.name}` took longer than {tool.timeout:g} s and was given up."
    if tool.awaits:
        return f"{happened} It may have done part of its work: look before you call it again."
    return (
        f"{happened} It cannot be stopped and may still be running: look at what it did before "
        "you call it again."
    )
