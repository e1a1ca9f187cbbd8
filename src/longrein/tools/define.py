"""Tools from plain functions: the schema comes from annotations and docstring."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from inspect import isasyncgenfunction, isawaitable, iscoroutinefunction, isgeneratorfunction
from typing import Any, TypeAlias, get_args, overload

import msgspec

from longrein.core.errors import ToolError, UsageError
from longrein.core.policy import Category, Touches
from longrein.core.text import clean
from longrein.tools.arguments import Arguments
from longrein.tools.context import Context
from longrein.tools.signature import Signature, read_signature
from longrein.workspace.previews import CUT

Exclusive: TypeAlias = bool | Callable[[Mapping[str, Any]], str]
Function: TypeAlias = Callable[..., Any]
Looking: TypeAlias = Callable[[Mapping[str, Any], Context], Touches | Awaitable[Touches]]
"""Finds out what a call with these arguments would touch."""

Showing: TypeAlias = Callable[[Mapping[str, Any], Context], str | Awaitable[str]]
"""Shows a person what a call with these arguments would do."""

NOTHING = Touches()
MOST_KNOWN = 1_000
MOST_SHOWN = 20_000
"""Characters of a preview."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call. Made by `tool`; `function` is the function itself.

    `schema` is the JSON schema of its arguments, encoded; `context` the name of the parameter that
    takes a `Context`, or empty; `awaits` tells an async function from one that runs in a thread.

    >>> from longrein import Tool, tool
    >>> @tool(category="read", idempotent=True)
    ... def add(a: int, b: int = 1) -> int:
    ...     "Add two numbers."
    ...     return a + b
    >>> isinstance(add, Tool), add.name, add.description, add.function(2)
    (True, 'add', 'Add two numbers.', 3)
    """

    name: str
    description: str
    function: Function
    arguments: Arguments
    category: Category = "other"
    idempotent: bool = False
    exclusive: Exclusive = False
    timeout: float | None = 300.0
    asks: bool = False
    context: str = ""
    awaits: bool = True
    touches: Looking | None = None
    preview: Showing | None = None

    @property
    def schema(self) -> bytes:
        return self.arguments.schema

    def check(self, arguments: str) -> str:
        """Empty if the raw JSON text fits, else what is wrong with it, in words for the model."""
        try:
            self.arguments.read(arguments)
        except ToolError as error:
            return str(error)
        return ""

    async def touched(self, arguments: str, ctx: Context) -> Touches:
        """What a call would really touch. Raises `ToolError` where that cannot be told."""
        if self.touches is None:
            return NOTHING
        given = self.arguments.with_defaults(self.arguments.read(arguments))
        try:
            found = self.touches(given, ctx)
            if isawaitable(found):
                found = await found
            if not isinstance(found, Touches):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(f"touches gave {type(found).__name__}, not Touches")
            # As it will be read from the log: the same thing must not seem to be another.
            return msgspec.convert(msgspec.to_builtins(found), Touches)
        except ToolError:
            raise
        except Exception as error:  # whatever cannot be told must not be allowed
            text = f"What this call would touch cannot be told: {type(error).__name__}: {error}"
            raise ToolError(text) from None

    async def previewed(self, arguments: str, ctx: Context) -> str:
        """What a call would do, for a person; empty where the tool cannot tell."""
        if self.preview is None:
            return ""
        try:
            shown = self.preview(self.arguments.with_defaults(self.arguments.read(arguments)), ctx)
            text = shown if isinstance(shown, str) else await shown
        except Exception as error:  # a person is asked all the same, and sees the arguments
            text = f"What this would do cannot be shown: {error}"
        text = clean(text)
        return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}\n{CUT}"

    def lane(self, arguments: str) -> tuple[bool, str]:
        """Whether a call runs alone in its step, and the lane in which calls go one by one."""
        if isinstance(self.exclusive, bool):
            return self.exclusive, ""
        try:
            given = self.arguments.with_defaults(self.arguments.read(arguments))
            # Whatever the key is, equal ones are equal as text too.
            return False, clean(str(self.exclusive(given)))
        except ToolError:  # it does not fit, so it will not run
            return False, ""
        except Exception:  # the user's key failed: alone is always right
            return True, ""


@overload
def tool(function: Function, /) -> Tool: ...
@overload
def tool(
    *,
    name: str = "",
    description: str = "",
    category: Category = "other",
    idempotent: bool = False,
    exclusive: Exclusive = False,
    timeout: float | None = 300.0,
    asks: bool = False,
    touches: Looking | None = None,
    preview: Showing | None = None,
) -> Callable[[Function], Tool]: ...
def tool(
    function: Function | None = None,
    /,
    *,
    name: str = "",
    description: str = "",
    category: Category = "other",
    idempotent: bool = False,
    exclusive: Exclusive = False,
    timeout: float | None = 300.0,
    asks: bool = False,
    touches: Looking | None = None,
    preview: Showing | None = None,
) -> Tool | Callable[[Function], Tool]:
    """A tool from a function; a decorator, with or without settings.

    `category` is what permissions go by. `idempotent`: it may be run again after a crash.
    `exclusive`: it runs alone in its step, or, as a function of the arguments, calls with an equal
    key run one after the other. `timeout` is in seconds, None for none. `asks`: it may use
    `Context.ask`. `touches(arguments, ctx)` tells rules what a call would really touch: it is asked
    before a decision and again before the call runs, and must have no effect. `preview(arguments,
    ctx)` tells a person who is asked what would really happen, such as a diff. Both may be async.
    Raises `UsageError`, naming function and parameter, on what cannot be a tool.

    >>> from longrein import tool
    >>> @tool(category="edit", exclusive=lambda arguments: arguments["path"])
    ... async def touch(path: str) -> str:
    ...     "Make an empty file."
    ...     return f"made {path}"
    >>> touch.lane('{"path": "/a"}')
    (False, '/a')
    >>> touch.check('{"path": "/a"}')
    ''
    """

    def define(function: Function) -> Tool:
        called = name or _name_of(function)
        _check_settings(called, function, category, timeout)
        signature, arguments = _read(function, called)
        return Tool(
            name=called,
            description=description or signature.description,
            function=function,
            arguments=arguments,
            category=category,
            idempotent=idempotent,
            exclusive=exclusive,
            timeout=timeout,
            asks=asks,
            context=signature.context,
            awaits=_any_of(iscoroutinefunction, function),
            touches=touches,
            preview=preview,
        )

    return define if function is None else define(function)


def as_tool(function: Tool | Function) -> Tool:
    """The tool itself, or a bare function as a tool with the default settings."""
    return function if isinstance(function, Tool) else tool(function)


def _read(function: Function, name: str) -> tuple[Signature, Arguments]:
    """What a function takes. Those that are made anew for each session are read once."""
    key = _key(function, name)
    found = _known.get(key) if key else None
    if found is None:
        signature = read_signature(function, name)
        found = signature, Arguments(name, signature.parameters)
        if key and len(_known) < MOST_KNOWN:
            _known[key] = found
    return found


def _key(function: Function, name: str) -> tuple[object, ...] | None:
    """What functions have in common that take the same; None where that cannot be told."""
    code, defaults = getattr(function, "__code__", None), getattr(function, "__defaults__", None)
    hints: dict[str, object] = getattr(function, "__annotations__", {})
    key = (name, code, repr(defaults), getattr(function, "__doc__", ""), *hints.items())
    told = code is not None and not getattr(function, "__kwdefaults__", None)
    if not told or any(isinstance(hint, str) for hint in hints.values()):
        return None
    try:
        hash(key)
    except TypeError:
        return None
    return key


_known: dict[tuple[object, ...], tuple[Signature, Arguments]] = {}


def _name_of(function: Function) -> str:
    name = getattr(function, "__name__", "")
    if name in ("", "<lambda>"):
        raise UsageError(f"{function!r} has no name of its own: use tool(name=...)(function)")
    return name


def _check_settings(
    name: str, function: Function, category: Category, timeout: float | None
) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a tool: providers take at most 64 letters, digits, "
            "'_' and '-'"
        )
    if category not in get_args(Category):
        known = ", ".join(get_args(Category))
        raise UsageError(f"tool {name!r} has the category {category!r}; there are: {known}")
    if timeout is not None and not timeout > 0:
        raise UsageError(f"tool {name!r} has the timeout {timeout!r}; use None for no limit")
    if _any_of(isgeneratorfunction, function) or _any_of(isasyncgenfunction, function):
        raise UsageError(
            f"tool {name!r} yields; return the result, and show what comes before it with "
            "ctx.output(text)"
        )


def _any_of(test: Callable[[object], bool], function: Function) -> bool:
    """Whether a test holds of a function, or of the `__call__` of an object."""
    return test(function) or test(getattr(function, "__call__", None))  # noqa: B004
