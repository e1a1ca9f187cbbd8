"""What a function's signature says: its parameters with their types, and where its context goes."""

from collections.abc import Callable
from functools import partial
from inspect import Parameter as Declared
from inspect import currentframe, signature, unwrap
from types import FrameType
from typing import Any, get_args, get_type_hints

from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.tools.context import Context
from longrein.tools.docstring import read_docstring

REQUIRED: Any = Declared.empty
"""The default of a parameter that has none."""


class Parameter(Struct, frozen=True):
    """One argument that the model gives."""

    name: str
    type: Any
    default: Any
    description: str


class Signature(Struct, frozen=True):
    """What the model gives, and the name of the parameter that takes the context (or empty)."""

    description: str
    parameters: tuple[Parameter, ...]
    context: str


def read_signature(function: Callable[..., Any], name: str) -> Signature:
    """Read a function. Raises `UsageError`, naming function and parameter, on what cannot be."""
    docs = read_docstring(_doc(function))
    parameters: list[Parameter] = []
    context = ""
    for declared in _declared(function, name):
        hint = _resolve(function, name, declared)
        if _is_context(hint):
            if context:
                raise UsageError(f"tool {name!r} has two contexts: {context!r}, {declared.name!r}")
            context = declared.name
            continue
        about = docs.parameters.get(declared.name, "") or _annotated_description(hint)
        parameters.append(Parameter(declared.name, hint, declared.default, about))
    return Signature(docs.description, tuple(parameters), context)


def _doc(function: Any) -> str:
    # The docstring of a partial is that of the class `partial`.
    return (function.func if isinstance(function, partial) else function).__doc__ or ""


def _declared(function: Callable[..., Any], name: str) -> list[Declared]:
    try:
        declared = list(signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise UsageError(f"tool {name!r} has no signature that can be read: {error}") from None
    for parameter in declared:
        if parameter.kind in (Declared.VAR_POSITIONAL, Declared.VAR_KEYWORD):
            raise UsageError(
                f"tool {name!r}: parameter {str(parameter)!r} takes any arguments, which a model "
                "cannot be told about; name them"
            )
        if parameter.kind is Declared.POSITIONAL_ONLY:
            raise UsageError(
                f"tool {name!r}: parameter {parameter.name!r} is positional only, but arguments "
                "come by name; move it behind the '/'"
            )
    return declared


def _resolve(function: Callable[..., Any], name: str, declared: Declared) -> Any:
    """The type of a parameter, also where its annotation is text."""
    if declared.annotation is Declared.empty:
        return Any
    try:
        hint = _evaluate(_underlying(function), declared.annotation)
        return hint | None if declared.default is None and hint is not Any else hint
    except NameError as error:
        # A context that is imported for type checkers only cannot be evaluated, nor need it be.
        if str(declared.annotation).partition("[")[0].rpartition(".")[2] == Context.__name__:
            return Context
        reason = str(error)
    except Exception as error:  # an annotation is any expression: whatever it raises is told
        reason = f"{type(error).__name__}: {error}"
    raise UsageError(
        f"tool {name!r}: the annotation {declared.annotation!r} of parameter {declared.name!r} "
        f"cannot be resolved ({reason}); import what it names where the function is defined"
    )


def _underlying(function: Callable[..., Any]) -> Any:
    """The function that was written down: its annotations are to be read where that stands."""
    while isinstance(function, partial):
        function = function.func
    function = unwrap(function)
    return function if hasattr(function, "__globals__") else type(function).__call__


def _evaluate(function: Any, annotation: Any) -> Any:
    def probe() -> None: ...

    probe.__annotations__ = {"it": annotation}
    known = getattr(function, "__globals__", {})
    return get_type_hints(probe, known, _defining_scope(function), include_extras=True)["it"]


def _defining_scope(function: Any) -> dict[str, Any]:
    """The local names around a nested function: what it closes over, and its parent's locals.

    Names that only annotations use are not closed over, so the frame that is just defining the
    function, if it is one of our callers, is asked too.
    """
    scope: dict[str, Any] = {}
    parent = getattr(function, "__qualname__", "").rpartition(".<locals>.")[0]
    frame: FrameType | None = currentframe() if parent else None
    while frame is not None:
        if frame.f_code.co_qualname == parent and frame.f_globals is function.__globals__:
            scope.update(frame.f_locals)
            break
        frame = frame.f_back
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    for name, cell in zip(code.co_freevars if code else (), cells or (), strict=False):
        try:
            scope[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return scope


def _is_context(hint: Any) -> bool:
    if isinstance(hint, type):
        return issubclass(hint, Context)
    return any(isinstance(arg, type) and issubclass(arg, Context) for arg in get_args(hint))


def _annotated_description(hint: Any) -> str:
    """The description in `Annotated[int, "how many"]`, or in a field of another library there."""
    for kind in (hint, *get_args(hint)):
        for extra in getattr(kind, "__metadata__", ()):
            text = extra if isinstance(extra, str) else getattr(extra, "description", None)
            if isinstance(text, str):
                return text
    return ""
