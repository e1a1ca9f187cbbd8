"""What kind of value each setting takes, read from the types of `Layer`."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TypeAlias, assert_never

from msgspec import Struct, inspect

from longrein.settings.layer import Layer


class Text(Struct, frozen=True):
    """A text, or one of `choices` where there are some."""

    choices: tuple[str, ...] = ()


class Texts(Struct, frozen=True):
    """A list of texts."""

    choices: tuple[str, ...] = ()


class Flag(Struct, frozen=True):
    """Yes or no."""


class Whole(Struct, frozen=True):
    """A whole number."""


class Number(Struct, frozen=True):
    """A number."""


class Table(Struct, frozen=True):
    """Names with a text each."""


Kind: TypeAlias = Text | Texts | Flag | Whole | Number | Table


@cache
def kinds() -> Mapping[str, Kind]:
    """The kind of every setting, by its key; `*` stands for any name, `[]` for any entry.

    >>> kinds()["trust"]
    Text(choices=('ask', 'edits', 'plan', 'yolo'))
    """
    return dict(_leaves(inspect.type_info(Layer), ""))


def in_words(kind: Kind) -> str:
    """What can be written, for people."""
    match kind:
        case Text(choices):
            return f"one of: {', '.join(choices)}" if choices else "a text"
        case Texts(choices):
            return f"a list of: {', '.join(choices)}" if choices else "a list of texts"
        case Flag():
            return "true or false"
        case Whole():
            return "a whole number"
        case Number():
            return "a number"
        case Table():
            return "a table of texts"
        case _:
            assert_never(kind)


def _leaves(info: inspect.Type, path: str) -> Iterator[tuple[str, Kind]]:
    match _one(info):
        case inspect.StructType(fields=fields):
            for field in fields:
                yield from _leaves(field.type, f"{path}.{field.name}" if path else field.name)
        case inspect.DictType(value_type=inspect.StrType()):
            yield path, Table()
        case inspect.DictType(value_type=value):
            yield from _leaves(value, f"{path}.*")
        case inspect.VarTupleType(item_type=inspect.StructType() as item):
            yield from _leaves(item, f"{path}[]")
        case inspect.VarTupleType(item_type=item):
            yield path, Texts(_choices(item))
        case inspect.BoolType():
            yield path, Flag()
        case inspect.IntType():
            yield path, Whole()
        case inspect.FloatType():
            yield path, Number()
        case other:
            yield path, Text(_choices(other))


def _one(info: inspect.Type) -> inspect.Type:
    """The type that a value has where there is one; a number, where a text would do as well."""
    if not isinstance(info, inspect.UnionType):
        return info
    types = [one for one in info.types if not isinstance(one, inspect.NoneType)]
    return next((one for one in types if isinstance(one, inspect.FloatType)), types[0])


def _choices(info: inspect.Type) -> tuple[str, ...]:
    # Sorted by msgspec; the order in which they were written says more, and is lost.
    return tuple(map(str, info.values)) if isinstance(info, inspect.LiteralType) else ()
