"""Definitions: what becomes a tool, where its context goes, and what is refused with what words."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from longrein.core.errors import UsageError
from longrein.tools import context
from longrein.tools.context import Context
from longrein.tools.define import as_tool, tool

if TYPE_CHECKING:
    from collections.abc import Hashable as Elsewhere


@tool
async def plain(text: str) -> str:
    """Say it."""
    return text


def test_a_bare_decorator_takes_name_and_description_from_the_function() -> None:
    assert (plain.name, plain.description, plain.category) == ("plain", "Say it.", "other")
    assert (plain.idempotent, plain.exclusive, plain.timeout, plain.asks) == (
        False,
        False,
        300.0,
        False,
    )


def test_settings_are_kept() -> None:
    @tool(name="rm", description="Remove.", category="edit", timeout=None, asks=True)
    def remove(path: str) -> None: ...

    assert (remove.name, remove.description, remove.category) == ("rm", "Remove.", "edit")
    assert (remove.timeout, remove.asks, remove.awaits) == (None, True, False)


def test_a_tool_stays_itself_and_a_function_becomes_one() -> None:
    assert as_tool(plain) is plain
    assert as_tool(plain.function).name == "plain"


def test_a_tool_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        plain.name = "other"  # pyright: ignore[reportAttributeAccessIssue]


def in_front(ctx: Context, a: int) -> None: ...
def behind(a: int, somewhere: Context) -> None: ...
def by_module(a: int, ctx: context.Context) -> None: ...
def optional(a: int, ctx: Context | None = None) -> None: ...
def by_keyword(a: int, *, ctx: Context) -> None: ...


@pytest.mark.parametrize("function", [in_front, behind, by_module, optional, by_keyword])
def test_the_context_is_found_by_its_annotation_and_not_shown(
    function: Callable[..., object],
) -> None:
    made = tool(function)
    assert made.context in ("ctx", "somewhere")
    assert b"ctx" not in made.schema
    assert b"somewhere" not in made.schema


def test_a_context_that_only_type_checkers_import_is_found() -> None:
    def late(ctx: Context) -> None: ...

    late.__annotations__["ctx"] = "stuff.Context"
    assert tool(late).context == "ctx"


def test_local_types_are_found_where_the_function_is_defined() -> None:
    @dataclass
    class Local:
        x: int

    @tool
    def go(where: Local, ctx: Context) -> None: ...

    assert b'"x"' in go.schema
    assert go.check('{"where": {"x": 1}}') == ""


def test_methods_and_callable_objects_are_tools() -> None:
    class Counter:
        """Counts."""

        async def add(self, n: int) -> None:
            """Add."""

        async def __call__(self, n: int) -> None: ...

    method = tool(Counter().add)
    called = tool(name="counter")(Counter())
    assert (method.name, method.description, method.awaits) == ("add", "Add.", True)
    assert (called.name, called.awaits) == ("counter", True)
    assert called.check('{"n": 1}') == ""


def test_what_a_partial_has_bound_can_be_left_out() -> None:
    def power(base: int, exponent: int) -> int:
        """Raise a number."""
        return base**exponent

    made = tool(name="square")(functools.partial(power, exponent=2))
    assert made.check('{"base": 3}') == ""
    assert made.description == "Raise a number."


def test_a_decorated_function_is_read_as_it_was_written() -> None:
    def logged(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    made = tool(logged(in_front))
    assert made.context == "ctx"
    assert made.check('{"a": 1}') == ""


def any_arguments(*args: int) -> None: ...
def any_names(**names: int) -> None: ...
def by_position(a: int, /) -> None: ...
def two_contexts(a: Context, b: Context) -> None: ...
def strange_type(a: Callable[[], int]) -> None: ...
def two_strange_types(fine: int, a: pytest.Item | pytest.Config) -> None: ...
def missing_name(a: Elsewhere) -> None: ...
def no_type(a: int = 0) -> None: ...
def broken_annotation(a: int) -> None: ...
async def yields(a: int) -> Any:
    yield a


broken_annotation.__annotations__["a"] = "1 / 0"
no_type.__annotations__["a"] = 5


@pytest.mark.parametrize(
    ("function", "parameter", "says"),
    [
        (any_arguments, "*args", "name them"),
        (any_names, "**names", "name them"),
        (by_position, "a", "positional only"),
        (two_contexts, "b", "two contexts"),
        (strange_type, "a", "cannot send"),
        (two_strange_types, "a", "cannot send"),
        (missing_name, "a", "cannot be resolved"),
        (broken_annotation, "a", "ZeroDivisionError"),
        (no_type, "a", "5"),
        (yields, "", "yields"),
    ],
)
def test_what_cannot_be_a_tool_is_refused_by_name(
    function: Callable[..., object], parameter: str, says: str
) -> None:
    with pytest.raises(UsageError) as caught:
        tool(function)
    assert repr(function.__name__) in str(caught.value)
    assert parameter in str(caught.value)
    assert says in str(caught.value)


def test_settings_that_cannot_be_are_refused() -> None:
    def go() -> None: ...

    with pytest.raises(UsageError, match="'cook'; there are: read, edit"):
        tool(category="cook")(go)  # pyright: ignore[reportArgumentType, reportCallIssue]
    with pytest.raises(UsageError, match="cannot be the name of a tool"):
        tool(name="go on!")(go)
    with pytest.raises(UsageError, match="use None for no limit"):
        tool(timeout=0)(go)
    with pytest.raises(UsageError, match="has no name of its own"):
        tool(lambda: None)


def test_exclusive_tools_run_alone_and_keyed_ones_in_lanes() -> None:
    def write(path: str = "/a", text: str = "") -> None: ...

    assert tool(write).lane("{}") == (False, "")
    assert tool(exclusive=True)(write).lane("{}") == (True, "")
    keyed = tool(exclusive=lambda arguments: arguments["path"])(write)
    assert keyed.lane('{"path": "/b"}') == (False, "/b")
    assert keyed.lane("{}") == (False, "/a")
    assert keyed.lane("not json") == (False, "")


def test_a_key_that_fails_makes_the_call_run_alone() -> None:
    def write(path: str) -> None: ...

    keyed = tool(exclusive=lambda arguments: arguments["nothing"])(write)
    assert keyed.lane('{"path": "/b"}') == (True, "")
