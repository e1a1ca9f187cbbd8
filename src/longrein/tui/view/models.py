"""Models as rows: by provider, those that can be used first."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from longrein.client.figures import short_tokens
from longrein.core.words import dollars
from longrein.tui.view.rows import Row, heading
from longrein.tui.view.tones import Line, Toned

if TYPE_CHECKING:
    from longrein.client.port import ModelInfo

CONFIGURED = "configured"
"""The key of the row for the model that the settings name."""

NAME_ONE = "type the name of a model behind it"

EFFORTS = ("", "none", "minimal", "low", "medium", "high", "xhigh", "max")
"""How hard a model can be asked to think; empty: as configured."""


def model_rows(models: Sequence["ModelInfo"], current: str) -> list[Row]:
    """All models, each below its provider, those that can be used first.

    `current` is the one in use; empty: there is none, so that none can be configured either.
    """
    rows: list[Row] = []
    if current and any(one.source != "listed" for one in models):
        rows.append(Row(CONFIGURED, "As configured", "the model of the settings, or of --model"))
    if current and all(one.name != current for one in models):
        rows.append(Row(current, current, "in use, and in no list", current=True))
    ordered = sorted(models, key=_place)
    for (usable, provider), group in groupby(ordered, key=lambda one: (one.usable, one.provider)):
        every = list(group)
        rows.append(heading(provider, _key(every[0]) if not usable else every[0].key))
        rows += _below(every, current)
    return rows


def unlisted(typed: str, listed: Collection[str]) -> list[Row]:
    """A row for the model that somebody typed in full and that is in no list.

    >>> [row.title for row in unlisted("house:new", ["house:large"])]
    ['house:new']
    """
    name = typed.strip()
    who, _, model = name.partition(":")
    if not who or not model or name in listed or " " in name:
        return []
    return [Row(name, name, "not in the list, but can be tried")]


def is_nameless(model: "ModelInfo") -> bool:
    """Whether this stands for a provider that did not say which models it has."""
    return model.name.endswith(":")


def newness(name: str) -> tuple[int, ...]:
    """The numbers in the name of a model that are its version; a larger one is newer.

    >>> newness("claude-opus-4-5"), newness("gpt-4.1-mini"), newness("gpt-4-0613")
    ((4, 5), (4, 1), (4,))
    """
    return tuple(int(number) for number in re.findall(r"(?<![\da-z])\d{1,2}(?![\da-z])", name))[:2]


def _place(model: "ModelInfo") -> tuple[object, ...]:
    newest = tuple(-number for number in (*newness(model.name), 0, 0)[:2])
    other = not model.usable and not is_nameless(model)
    return other, model.provider, model.source == "listed", newest, model.name


def _below(models: Sequence["ModelInfo"], current: str) -> Iterator[Row]:
    for one in models:
        if is_nameless(one):  # without columns, so that its note has their room
            yield Row(one.name, one.name, NAME_ONE, tone="" if one.usable else "dim")
            continue
        yield Row(
            one.name,
            one.name.partition(":")[2] or one.name,
            "" if one.source == "listed" else "configured",
            (_price(one), f"holds {short_tokens(one.window)}" if one.window else ""),
            current=one.name == current,
            tone="" if one.usable else "dim",
            words=one.name,
        )


def _key(model: "ModelInfo") -> str:
    """What is missing, in few words where it is only the key."""
    return model.key if model.key.startswith("no key") else model.problem or model.key


def _price(model: "ModelInfo") -> str:
    if model.input is None or model.output is None:
        return ""
    return f"{dollars(model.input, '.4g')} in, {dollars(model.output, '.4g')} out"


def why_not(model: "ModelInfo") -> str:
    """What to do before an unusable model can be chosen."""
    return f"{model.name} cannot be used yet: {_key(model) or 'its provider is not set up'}"


def effort_line(effort: str) -> Line:
    """The levels of effort, with the one that is chosen."""
    return (("Effort ", ""), *(_level(level, chosen=level == effort) for level in EFFORTS))


def _level(level: str, *, chosen: bool) -> Toned:
    words = level or "as configured"
    return (f"[{words}]", "accent") if chosen else (f" {words} ", "dim")
