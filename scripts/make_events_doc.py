"""Write docs/events.md from the code: every event, its fields, and the values inside them."""

from collections.abc import Iterable, Iterator
from inspect import cleandoc
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from longrein.core import events, live
from scripts.beside_mastra import BESIDE, LATER

PAGE = Path(__file__).parents[1] / "docs" / "events.md"

INTRODUCTION = """# Events

<!-- Generated from src/longrein/core by `make docs`. Do not edit. -->

Everything that happens in a thread is an event. Durable events are the thread: they are numbered
from 1 without gaps and never changed. Live events are fragments of what is not complete yet; they
are never stored, and each of their streams ends in a durable event that holds the whole value.
Whoever only reads durable events misses nothing.

In JSON an event is an object whose `type` is the name in the heading; fields that have their
default may be left out.
"""


def render() -> str:
    """The whole page."""
    durable, fragments = list(get_args(events.Event)), list(get_args(live.LiveEvent))
    values = _values_in([*durable, *fragments]) - {*durable, *fragments}
    return "\n".join(
        [
            INTRODUCTION,
            *_common("Durable events", events.Durable),
            *(line for kind in durable for line in _entry(kind, events.Durable)),
            *_common("Live events", live.Live),
            *(line for kind in fragments for line in _entry(kind, live.Live)),
            "## Values inside events\n",
            *(line for kind in _by_name(values) for line in _entry(kind, msgspec.Struct)),
            *_beside_mastra(),
        ]
    )


def _beside_mastra() -> Iterator[str]:
    yield "## Beside Mastra's events\n"
    yield (
        "For those who come from Mastra's AgentController: each kind of its events (51, and since\n"
        "then `thread_title_updated`), and what stands for it here. `later`: the feature is not\n"
        "built yet.\n"
    )
    yield "| Mastra | Longrein | note |"
    yield "|---|---|---|"
    for theirs, ours, note in BESIDE:
        shown = ours if ours == LATER else ", ".join(f"`{name}`" for name in ours.split())
        yield f"| `{theirs}` | {shown} | {note} |"
    yield ""


def _common(title: str, base: type[msgspec.Struct]) -> Iterator[str]:
    yield f"## {title}\n"
    yield "Each has:\n"
    yield from map(_field, fields(base))
    yield ""


def _entry(kind: type[msgspec.Struct], base: type[msgspec.Struct]) -> Iterator[str]:
    tag = kind.__struct_config__.tag
    yield f"### {kind.__name__}" + (f" (`{tag}`)" if tag else "") + "\n"
    yield cleandoc(kind.__doc__ or "") + "\n"
    inherited = base.__struct_fields__ if base is not msgspec.Struct else ()
    own = [field for field in fields(kind) if field.name not in inherited]
    yield from map(_field, own)
    if own:
        yield ""


def _field(field: FieldInfo) -> str:
    line = f"- `{field.name}`: `{_type(field.type)}`"
    if field.required:
        return line
    default = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    return f"{line}, default `{default!r}`"


def _type(kind: Any) -> str:
    origin, arguments = get_origin(kind), get_args(kind)
    if set(get_args(events.Event)) <= set(arguments):
        return "any event"
    if origin in (Union, UnionType):
        return " | ".join(map(_type, arguments))
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in arguments)
    if kind in (None, NoneType):
        return "None"
    if kind is Ellipsis:
        return "..."
    if origin is not None:
        return f"{origin.__name__}[{', '.join(map(_type, arguments))}]"
    return "JSON" if kind is msgspec.Raw else kind.__name__


def _by_name(kinds: Iterable[type[msgspec.Struct]]) -> list[type[msgspec.Struct]]:
    return sorted(kinds, key=lambda kind: kind.__name__)


def _values_in(kinds: Iterable[Any]) -> set[type[msgspec.Struct]]:
    """Every struct in the fields of these, and in the fields of those."""
    found: set[type[msgspec.Struct]] = set()
    waiting = [field.type for kind in kinds for field in fields(kind)]
    while waiting:
        kind = waiting.pop()
        waiting += get_args(kind)
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind not in found:
            found.add(kind)
            waiting += [field.type for field in fields(kind)]
    return found


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(Path.cwd())}" if PAGE.is_relative_to(Path.cwd()) else PAGE)
