"""From a user's type to a JSON schema, a check, and values: Pydantic models, dataclasses, msgspec
structs, TypedDicts, and whatever is made of them and of plain types.

Pydantic is never imported: whoever brings a model of it has done so already.
"""

import re
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from itertools import repeat
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Generic,
    NamedTuple,
    NotRequired,
    Protocol,
    Required,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import structs
from msgspec.inspect import DataclassType, StructType, TypedDictType, type_info

from longrein.core.errors import UsageError
from longrein.tools import foreign

T = TypeVar("T")
_REF = "#/$defs/{name}"
_MOST_TOLD = 20
_LONGEST_TOLD = 300


class Flaw(NamedTuple):
    """What is wrong at one place in a value; the place of the whole is empty."""

    place: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        text = self.text
        if len(text) > _LONGEST_TOLD:
            half = _LONGEST_TOLD // 2
            text = f"{text[:half]} ... {text[-half:]}"
        return f"`{'.'.join(self.place)}`: {text}" if self.place else text


class Misfit(ValueError):
    """A value does not fit its type: `fields` says where, `message` what is wrong there.

    >>> from longrein.tools.shapes import Misfit, Flaw
    >>> Misfit([Flaw(("items", "0"), "too short"), Flaw((), "no end")]).message
    '`items.0`: too short; no end'
    """

    def __init__(self, problems: Sequence[Flaw]) -> None:
        told = [str(problem) for problem in problems[:_MOST_TOLD]]
        if len(problems) > _MOST_TOLD:
            told.append(f"and {len(problems) - _MOST_TOLD} more")
        places = (".".join(problem.place) for problem in problems if problem.place)
        self.fields = tuple(dict.fromkeys(places))
        self.message = "; ".join(told)
        super().__init__(self.message)


class Shape(Generic[T]):
    """What the JSON of a type looks like: its schema, and the way there and back.

    `schema` is the JSON schema as text; `names` has the JSON key of each attribute whose key
    may be another.

    >>> from dataclasses import dataclass
    >>> from longrein.tools.shapes import shape_of
    >>> @dataclass
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> shape = shape_of(Point)
    >>> shape.read('{"x": 1}')
    Point(x=1, y=0)
    >>> shape.values(Point(1, 2))
    {'x': 1, 'y': 2}
    >>> shape.read({"y": "two"})
    Traceback (most recent call last):
    longrein.tools.shapes.Misfit: `x`: required, but missing; `y`: Expected `int`, got `str`
    """

    __slots__ = ("_codec", "kind", "names", "schema")

    def __init__(self, kind: type[T]) -> None:
        self.kind = kind
        try:
            self._codec: _Codec = _Foreign(kind) if _mentions_pydantic(kind) else _Own(kind)
            self.schema = msgspec.json.encode(self._codec.schema()).decode()
        except Exception as error:  # the user's types may raise anything; all of it is told
            raise UsageError(
                f"{name_of(kind)} cannot be made from JSON ({error}); use a Pydantic model, a "
                "dataclass, a msgspec struct, a TypedDict, or what JSON can hold."
            ) from error
        self.names: Mapping[str, str] = self._codec.names()

    def read(self, given: Any) -> T:
        """A new value from JSON text, or from plain JSON values. Raises `Misfit`."""
        text = given if isinstance(given, str | bytes) else _written(given)
        try:
            return self._codec.decode(text)
        except Exception as error:  # the user's validators may raise anything; all of it is told
            raise Misfit(self._problems(text, error)) from error

    def values(self, value: T) -> Any:
        """The value as plain JSON values, which `read` takes. Raises `Misfit`."""
        try:
            return msgspec.json.decode(self._codec.encode(value))
        except Exception as error:  # as in `read`
            raise Misfit([_unwritable(error)]) from error

    def _problems(self, text: str | bytes, error: Exception) -> list[Flaw]:
        try:
            values = msgspec.json.decode(text)
        except (ValueError, RecursionError) as broken:
            return [Flaw((), f"this is not valid JSON: {broken}")]
        return self._codec.problems(values, error)


def shape_of(kind: type[T]) -> Shape[T]:
    """The shape of a type. Raises `UsageError` for one that cannot be made from JSON."""
    try:
        return cast("Shape[T]", _shape(kind))
    except TypeError:  # an annotation in it that cannot be hashed
        return Shape(kind)


@lru_cache(maxsize=256)
def _shape(kind: type[Any]) -> Shape[Any]:
    return Shape(kind)


def plain(value: Any) -> Any:
    """The plain JSON values of anything that can be written as JSON. Raises `Misfit`."""
    return _ANYTHING.values(value)


def name_of(kind: Any) -> str:
    """What a type is called in messages."""
    return kind.__name__ if isinstance(kind, type) and not get_args(kind) else repr(kind)


def _written(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value, enc_hook=_encode)
    except Exception as error:  # the user's serializers may raise anything; all of it is told
        raise Misfit([_unwritable(error)]) from error


def _unwritable(error: Exception) -> Flaw:
    return Flaw((), f"it cannot be written as JSON: {error}")


class _Codec(Protocol):
    def schema(self) -> dict[str, Any]: ...
    def names(self) -> Mapping[str, str]: ...
    def decode(self, text: str | bytes) -> Any: ...
    def encode(self, value: Any) -> bytes: ...
    def problems(self, values: Any, error: Exception) -> list[Flaw]: ...


class _Own:
    """The way of types that msgspec knows; Pydantic's may stand in their fields."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._decoder = msgspec.json.Decoder(kind, strict=False, dec_hook=_decode)

    def schema(self) -> dict[str, Any]:
        hoisted: dict[str, Any] = {}

        def schema_hook(kind: type) -> dict[str, Any]:
            found = foreign.schema(kind)
            hoisted.update(found.pop("$defs", {}))
            return found

        (root,), defs = msgspec.json.schema_components(
            [self._kind], schema_hook=schema_hook, ref_template=_REF
        )
        defs = {**defs, **hoisted}
        return {**root, "$defs": defs} if defs else root

    def names(self) -> Mapping[str, str]:
        if not (isinstance(self._kind, type) and issubclass(self._kind, msgspec.Struct)):
            return {}
        return {field.name: field.encode_name for field in structs.fields(self._kind)}

    def decode(self, text: str | bytes) -> Any:
        return self._decoder.decode(text)

    def encode(self, value: Any) -> bytes:
        return msgspec.json.encode(_spread(value), enc_hook=_encode)

    def problems(self, values: Any, error: Exception) -> list[Flaw]:
        return _all_problems(self._kind, values) or [_first_problem(error, ())]


class _Foreign:
    """The way of Pydantic's models and dataclasses, and of lists, unions and so on of them."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._adapter = _adapter(kind)

    def schema(self) -> dict[str, Any]:
        return self._adapter.json_schema()

    def names(self) -> Mapping[str, str]:
        known: dict[str, Any] = getattr(self._kind, "__pydantic_fields__", {})
        return {name: field.serialization_alias or name for name, field in known.items()}

    def decode(self, text: str | bytes) -> Any:
        return self._adapter.validate_json(text)

    def encode(self, value: Any) -> bytes:
        return _dumped(self._adapter, value)

    def problems(self, values: Any, error: Exception) -> list[Flaw]:
        return _told_by_pydantic(error, values)


def _decode(kind: Any, value: Any) -> Any:
    if not _is_pydantic(kind):
        raise NotImplementedError(f"{name_of(kind)} cannot be made from JSON")
    return _adapter(kind).validate_json(msgspec.json.encode(value))


def _encode(value: object) -> Any:
    kind = type(value)
    if not _is_pydantic(kind):
        raise NotImplementedError(f"{name_of(kind)} is not known to it")
    return msgspec.json.decode(_dumped(_adapter(kind), value))


def _spread(value: Any) -> Any:
    """The value with every field of what is in it.

    msgspec leaves out what `omit_defaults` says, and of dataclasses the defaults that it put in
    itself; a value is to stay what it is when a default in the code changes.
    """
    match value:
        case str() | int() | float() | None:
            return value
        case list() | tuple():
            return [_spread(it) for it in cast("Sequence[Any]", value)]
        case Mapping():
            return {key: _spread(it) for key, it in cast("Mapping[Any, Any]", value).items()}
        case msgspec.Struct(__struct_config__=config) if not config.array_like:
            tag = {config.tag_field: config.tag} if config.tag_field else {}
            keys = value.__struct_encode_fields__
            named = zip(keys, (getattr(value, it) for it in value.__struct_fields__), strict=True)
            return {**tag, **{key: _spread(it) for key, it in named if it is not msgspec.UNSET}}
        case _ if is_dataclass(value) and not _is_pydantic(type(value)):
            return {it.name: _spread(getattr(value, it.name)) for it in fields(value)}
        case _:
            return value


def _dumped(adapter: Any, value: Any) -> bytes:
    # By alias and for the round trip: what is written has to be what validation takes. No warnings:
    # a value of a wrong type is told when it is read again.
    return adapter.dump_json(value, by_alias=True, round_trip=True, warnings=False)


@lru_cache(maxsize=256)
def _adapter(kind: Any) -> Any:
    return sys.modules["pydantic"].TypeAdapter(kind)


def _mentions_pydantic(kind: Any) -> bool:
    return _is_pydantic(kind) or any(map(_mentions_pydantic, get_args(kind)))


def _is_pydantic(kind: Any) -> bool:
    return hasattr(kind, "__pydantic_validator__")


def _told_by_pydantic(error: Any, given: Any) -> list[Flaw]:
    if not hasattr(error, "errors"):
        return [_first_problem(error, ())]
    found: dict[tuple[str, ...], list[str]] = {}
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        place = _place(one["loc"], given, missing=one["type"] == "missing")
        found.setdefault(place, []).append(one["msg"])
    # Of a union every member says at the same place what it would have liked.
    return [Flaw(place, " or ".join(dict.fromkeys(texts))) for place, texts in found.items()]


def _place(loc: Sequence[str | int], given: Any, *, missing: bool) -> tuple[str, ...]:
    """Where in the JSON it is: Pydantic also names the members of unions that it went through."""
    place: list[str] = []
    for part in loc:
        if isinstance(given, dict) and str(part) in given:
            given = cast("dict[str, Any]", given)[str(part)]
        elif isinstance(given, list) and isinstance(part, int):
            given = cast("list[Any]", given)[part]
        elif not (missing and part is loc[-1]):
            continue
        place.append(str(part))
    return tuple(place)


def _all_problems(kind: Any, value: Any, place: tuple[str, ...] = ()) -> list[Flaw]:
    """Everything that is wrong with a value; msgspec itself tells only the first."""
    while get_origin(kind) in (Required, NotRequired):
        (kind,) = get_args(kind)
    try:
        msgspec.convert(value, kind, strict=False, str_keys=True, dec_hook=_decode)
    except Exception as error:  # as in `Shape.read`
        if _is_pydantic(kind):
            told = _told_by_pydantic(error.__cause__ or error, value)
            return [Flaw((*place, *one.place), one.text) for one in told]
        return list(_inner_problems(kind, value, place)) or [_first_problem(error, place)]
    return []


def _inner_problems(kind: Any, value: Any, place: tuple[str, ...]) -> Iterator[Flaw]:
    origin, args = get_origin(kind) or kind, get_args(kind)
    if origin is Annotated:
        yield from _inner_problems(args[0], value, place)
    elif origin in (Union, UnionType):
        members = [one for one in args if one is not NoneType]
        if len(members) == 1 and isinstance(value, dict | list):
            yield from _all_problems(members[0], value, place)
    elif isinstance(value, list) and args:
        items = args if origin is tuple and args[-1] is not ... else repeat(args[0])
        for index, (one, item) in enumerate(zip(items, cast("list[Any]", value), strict=False)):
            yield from _all_problems(one, item, (*place, str(index)))
    elif isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        if origin not in (dict, Mapping, MutableMapping):
            yield from _field_problems(kind, given, place)
        elif args:
            for key, item in given.items():
                yield from _all_problems(args[1], item, (*place, key))


def _field_problems(kind: Any, given: dict[str, Any], place: tuple[str, ...]) -> Iterator[Flaw]:
    info = type_info(kind)
    if not isinstance(info, StructType | DataclassType | TypedDictType):
        return
    hints = get_type_hints(get_origin(kind) or kind, include_extras=True)
    for field in info.fields:
        here = (*place, field.encode_name)
        if field.encode_name in given:
            yield from _all_problems(hints[field.name], given[field.encode_name], here)
        elif field.required:
            yield Flaw(here, "required, but missing")
    if isinstance(info, StructType) and info.forbid_unknown_fields:
        known = {field.encode_name for field in info.fields} | {info.tag_field}
        yield from (Flaw((*place, key), "no such field") for key in given if key not in known)


def _first_problem(error: BaseException, place: tuple[str, ...]) -> Flaw:
    """From a message of msgspec that ends in "at `$.items[0]`", or from anything else."""
    if not isinstance(error, msgspec.ValidationError):
        return Flaw(place, f"{type(error).__name__}: {error}")
    said = re.fullmatch(r"(.*) - at (?:`key` in )?`\$(.*)`", str(error), re.DOTALL)
    if said is None:
        return Flaw(place, str(error))
    return Flaw((*place, *re.findall(r"[^.\[\]]+", said[2])), said[1])


_ANYTHING: Shape[Any] = Shape(cast("type[Any]", Any))
