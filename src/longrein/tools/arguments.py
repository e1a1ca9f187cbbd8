"""From the raw text that a model sent to the arguments of a function, or to words that help it."""

from collections.abc import Callable
from copy import copy
from typing import Any, Self, TypeAlias, cast

import msgspec

from longrein.core.errors import ToolError, UsageError
from longrein.core.text import clean
from longrein.tools import foreign
from longrein.tools.schema import arguments_schema
from longrein.tools.signature import REQUIRED, Parameter

Mend: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""Turns arguments in a form that models know from elsewhere into those of a tool."""

_SCHEMA_SHOWN = 100


class Arguments:
    """Reads the arguments of one tool.

    Forgiving where there is no doubt (`"3"` for an integer, a list as JSON inside a string, nothing
    at all for no arguments) and exact otherwise. Raises `UsageError` on a type that JSON cannot be
    turned into.
    """

    __slots__ = ("_decoder", "_mending", "_optional", "_parameters", "_tool", "schema")

    def __init__(self, tool: str, parameters: tuple[Parameter, ...]) -> None:
        self._tool = tool
        self._mending: Mend | None = None
        self._parameters = {parameter.name: parameter for parameter in parameters}
        self._optional = any(parameter.default is not REQUIRED for parameter in parameters)
        try:
            struct = _struct(parameters)
            self._decoder = msgspec.json.Decoder(struct, strict=False, dec_hook=foreign.decode)
            self.schema = arguments_schema(struct, parameters)
        except Exception as error:  # the user's types may raise anything; all of it is told
            raise UsageError(_unfit(tool, parameters, error)) from error

    def read(self, text: str) -> dict[str, Any]:
        """What to call the function with. Raises `ToolError` with what is wrong, for the model."""
        try:
            values = msgspec.structs.asdict(self._decoder.decode(text))
        except Exception:  # a user's validator may raise anything; `_mend` tells it to the model
            return self._mend(text)
        if self._optional:
            return {name: it for name, it in values.items() if it is not msgspec.UNSET}
        return values

    def mending(self, mend: Mend) -> Self:
        """The same, with another form that `mended` knows; neither `read` nor the schema does."""
        other = copy(self)
        other._mending = mend
        return other

    def mended(self, text: str) -> str:
        """What a model sent, in the form of the schema if it came in another one that is known.

        For where a call comes in, before anything is decided on it or written down: what is judged
        and what is run are then one text. What fits is never changed, nor what would not fit then.
        """
        if self._mending is None or self._fits(text):
            return text
        try:
            other = msgspec.json.encode(self._mending(self._parse(clean(text)))).decode()
        except ToolError:
            return text
        return other if self._fits(other) else text

    def with_defaults(self, values: dict[str, Any]) -> dict[str, Any]:
        """The same arguments, with what the function would put in for those left out."""
        defaults = {
            name: it.default for name, it in self._parameters.items() if it.default is not REQUIRED
        }
        return defaults | values

    def _mend(self, text: str) -> dict[str, Any]:
        """Read what the quick way refused, argument by argument, so that every problem is told."""
        given = self._parse(clean(text))
        values: dict[str, Any] = {}
        problems: list[str] = []
        for name, parameter in self._parameters.items():
            if name not in given:
                if parameter.default is REQUIRED:
                    problems.append(f"`{name}` is missing")
                continue
            try:
                values[name] = _convert(given[name], parameter.type)
            except Exception as error:  # as in `read`
                problems.append(_describe(name, error) + self._schema_of(name))
        if unknown := [f"`{name}`" for name in given if name not in self._parameters]:
            be = "is not an argument" if len(unknown) == 1 else "are not arguments"
            problems.append(f"{', '.join(unknown)} {be} of it")
        if problems:
            raise ToolError(self._refusal(problems))
        return values

    def _parse(self, text: str) -> dict[str, Any]:
        try:
            given = msgspec.json.decode(text.strip() or "{}")
        except msgspec.DecodeError as error:
            raise ToolError(
                f"`{self._tool}` was not run: its arguments are not valid JSON ({error}). "
                f"Call it again with one JSON object. They ended with: {text[-80:]!r}"
            ) from None
        except RecursionError:
            raise ToolError(
                f"`{self._tool}` was not run: its arguments are nested too deeply."
            ) from None
        if given is None:
            return {}
        if not isinstance(given, dict):
            raise ToolError(
                f"`{self._tool}` was not run: its arguments must be one JSON object "
                f"with {self._known()}, not {type(given).__name__}."
            )
        return given  # pyright: ignore[reportUnknownVariableType]

    def _refusal(self, problems: list[str]) -> str:
        lines = "\n".join(f"- {problem}" for problem in problems)
        return (
            f"`{self._tool}` was not run, its arguments do not fit:\n{lines}\n"
            f"It takes {self._known()}."
        )

    def _known(self) -> str:
        known = msgspec.json.decode(self.schema).get("properties", {})
        told = [f"`{name}`{_form(known[name])}" for name in self._parameters]
        return ", ".join(told) or "no arguments"

    def _fits(self, text: str) -> bool:
        try:
            self.read(text)
        except ToolError:
            return False
        return True

    def _schema_of(self, name: str) -> str:
        shown = msgspec.json.encode(msgspec.json.decode(self.schema)["properties"][name]).decode()
        return f"; its schema is {shown}" if len(shown) <= _SCHEMA_SHOWN else ""


def _struct(parameters: tuple[Parameter, ...]) -> type[msgspec.Struct]:
    fields: list[Any] = []
    for it in parameters:
        if it.default is REQUIRED:
            fields.append((it.name, it.type))
        else:
            # The function knows its own defaults: here they are only told from what was given.
            fields.append((it.name, it.type | msgspec.UnsetType, msgspec.UNSET))
    return msgspec.defstruct("Arguments", fields, kw_only=True, forbid_unknown_fields=True)


def _form(schema: dict[str, Any]) -> str:
    """What objects have in them, in the shortest words: `=[{id, name?}]`."""
    is_list = schema.get("type") == "array"
    inner = schema.get("items") if is_list else schema
    if not isinstance(inner, dict):
        return ""
    found = cast("dict[str, Any]", inner)
    needed = found.get("required", ())
    fields = [name if name in needed else f"{name}?" for name in found.get("properties", ())]
    told = "{" + ", ".join(fields) + "}"
    return "" if not fields else f"=[{told}]" if is_list else f"={told}"


def _convert(value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind, strict=False, str_keys=True, dec_hook=foreign.decode)
    except msgspec.ValidationError:
        if not (isinstance(value, str) and value.lstrip()[:1] in ("[", "{")):
            raise
        try:
            unpacked = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            unpacked = value
        return msgspec.convert(unpacked, kind, strict=False, str_keys=True, dec_hook=foreign.decode)


def _describe(name: str, error: Exception) -> str:
    """`items[0].id` and what is wrong with it, from a message that ends in "at `$[0].id`"."""
    if not isinstance(error, msgspec.ValidationError):
        return f"`{name}`: {type(error).__name__}: {error}"
    text, found, path = str(error).rpartition(" - at `$")
    if not found:
        return f"`{name}`: {error}"
    return f"`{name}{path.removesuffix('`')}`: {text}"


def _unfit(tool: str, parameters: tuple[Parameter, ...], error: Exception) -> str:
    """Which parameter it is that JSON cannot be turned into."""
    for parameter in parameters:
        try:
            struct = _struct((parameter,))
            msgspec.json.Decoder(struct, dec_hook=foreign.decode)
            arguments_schema(struct, (parameter,))
        except Exception as cause:  # the one that is looked for
            return (
                f"tool {tool!r}: parameter {parameter.name!r} has a type that a model cannot send, "
                f"{parameter.type!r} ({cause}); use what JSON can hold, a dataclass, a TypedDict, "
                "a msgspec struct or a Pydantic model"
            )
    return f"tool {tool!r} has parameters that a model cannot be told about: {error}"
