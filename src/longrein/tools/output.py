"""Structured output: what the model is told, the JSON in what it answers, and whether that fits."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any, Protocol, TypeVar, cast

import msgspec

from longrein.core.text import clean
from longrein.tools.shapes import Flaw, Misfit, Shape

T = TypeVar("T")
_FENCED = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_OPENING = re.compile(r"""\{(?=\s*["}])|\[(?=\s*["{\[\]\d\-tfn])""")
_WORK = 2_000_000
"""How many characters are read at most in search of JSON: a reply may be built to take for ever."""
_ATTEMPT = 50
_COUNTED = 32
"""What a failed attempt costs besides, in characters, and how many are as dear as one when they are
only counted, as an error of `json` does with all that stand before it."""


class Finding(Protocol):
    """An error as jsonschema tells it; `context` is what each member of a union complains of."""

    @property
    def absolute_path(self) -> Iterable[str | int]: ...
    @property
    def path(self) -> Sequence[str | int]: ...
    @property
    def schema_path(self) -> Sequence[str | int]: ...
    @property
    def validator(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def context(self) -> "Sequence[Finding]": ...


class Validator(Protocol):
    """A JSON schema that values can be held against."""

    def check_schema(self, schema: Any, format_checker: Any) -> None: ...
    def iter_errors(self, instance: Any) -> Iterable[Finding]: ...


def instruction(schema: str) -> str:
    """What tells the model to answer with JSON.

    >>> from longrein.tools.output import instruction
    >>> print(instruction('{"type":"integer"}'))
    When you are done, answer with one JSON value that fits the JSON schema below and with nothing \
else: no words before or after it, no code fence. Until then you may use your tools as usual.
    <BLANKLINE>
    {"type":"integer"}
    """
    return (
        "When you are done, answer with one JSON value that fits the JSON schema below and with "
        "nothing else: no words before or after it, no code fence. Until then you may use your "
        f"tools as usual.\n\n{schema}"
    )


def repair(problem: str) -> str:
    """What tells the model that its answer does not fit."""
    return (
        f"Your answer does not fit the JSON schema that was asked for. {problem}\n"
        "Answer again with the whole JSON value, put right, and with nothing else: no words before "
        "or after it, no code fence."
    )


def extract(text: str) -> str:
    """The JSON in a reply: all of it, else the longest in a code fence, else anywhere in the text.

    Raises `Misfit`, in words for the model, if there is none.

    >>> from longrein.tools.output import extract
    >>> extract('Here you are: {"x": [1, 2]}. Anything else?')
    '{"x": [1, 2]}'
    """
    text = clean(text).strip()
    if _is_json(text):
        return text
    fenced = (found[1].strip() for found in _FENCED.finditer(text))
    for candidates in (filter(_is_json, fenced), _values_in(text)):
        if longest := max(candidates, key=len, default=""):
            return longest
    raise Misfit([Flaw((), _nothing_in(text))])


def check_schema(schema: str, validator: Callable[[Any], Validator]) -> str:
    """What is wrong with a text that should be a JSON schema; nothing if it is one.

    `validator` as in `check`.
    """
    try:
        value = msgspec.json.decode(schema, type=dict[str, Any] | bool)
        # Formats are not looked at: a pattern may be in the language of another engine.
        validator(value).check_schema(value, None)
        # Where a part has a name of its own, only that part says what its references mean.
        for reference in () if '"$id"' in schema else _references(value):
            _resolve(reference, value, validator)
    except Exception as error:  # jsonschema has one for each thing that can be wrong
        return str(getattr(error, "message", "") or error)
    return ""


def _resolve(reference: str, schema: Any, validator: Callable[[Any], Validator]) -> None:
    """Raise what jsonschema raises for a reference that leads nowhere."""
    rest = {key: value for key, value in schema.items() if key != "$ref"}
    with suppress(RecursionError):  # it leads back to where it began, which is somewhere
        any(validator({"$ref": reference, **rest}).iter_errors(None))


def _references(value: Any) -> Iterator[str]:
    """Every reference in a schema to a part of it."""
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _references(item)
    elif isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            if key == "$ref" and isinstance(item, str) and item.startswith("#"):
                yield item
            yield from _references(item)


def check(text: str, schema: str, validator: Callable[[Any], Validator]) -> str:
    """What is wrong with a reply that should fit a JSON schema; nothing if it does.

    `validator` is jsonschema's `Draft202012Validator`: handed in, as it is slow to import. What a
    schema cannot say (formats, the checks of a user's class) is up to `read_output`.
    """
    try:
        value = msgspec.json.decode(extract(text))
    except Misfit as none:
        return none.message
    problems: list[Flaw] = []
    try:
        for finding in validator(msgspec.json.decode(schema)).iter_errors(value):
            problems += _told(finding)
    except RecursionError:
        problems = [Flaw((), "It is nested too deeply.")]
    except Exception:
        # The schema is at fault, such as with a pattern in the language of another engine, and not
        # the reply: whoever has the type checks it.
        pass
    return Misfit(problems).message


def read_output(text: str, shape: Shape[T]) -> T:
    """The value in a reply. Raises `Misfit`."""
    return shape.read(extract(text))


def misfit_of(text: str, shape: Shape[Any]) -> str:
    """Why a reply is not a value of this shape; empty: it is."""
    try:
        read_output(text, shape)
    except Misfit as misfit:
        return misfit.message
    return ""


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _values_in(text: str) -> Iterator[str]:
    """The objects and arrays in a text that stand in no other."""
    decoder = json.JSONDecoder()
    work, position = _WORK, 0
    while work > 0 and (opening := _OPENING.search(text, position)):
        start = opening.start()
        try:
            _, position = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            position = start + 1
            work -= error.pos - start + error.pos // _COUNTED + _ATTEMPT
        except RecursionError:
            return
        else:
            if _is_json(text[start:position]):
                yield text[start:position]


def _nothing_in(text: str) -> str:
    if not text:
        return "The answer is empty; it must be a JSON value."
    try:
        msgspec.json.decode(text)
    except RecursionError:
        return "It is nested too deeply."
    except msgspec.DecodeError as error:
        if text[0] in "{[":
            return f"It is not valid JSON ({error}). It ends with: {text[-80:]!r}"
    return "There is no JSON value in it."


def _told(finding: Finding) -> list[Flaw]:
    if not finding.context:
        return [_problem(finding)]
    members = _members(finding)
    meant = [member for member in members if not any(map(_is_another, member))]
    if len(meant) == 1:
        return [problem for one in meant[0] for problem in _told(one)]
    wanted = (_told(member[0])[0].text for member in meant or members)
    return [Flaw(_problem(finding).place, " or ".join(dict.fromkeys(wanted)))]


def _members(finding: Finding) -> list[list[Finding]]:
    """What is wrong for each member of a union."""
    by_member = groupby(finding.context, key=lambda one: one.schema_path[0])
    return [list(findings) for _, findings in by_member]


def _is_another(finding: Finding) -> bool:
    """Whether it says that quite another member of a union is meant, by type or by tag."""
    if finding.context:
        return all(any(map(_is_another, member)) for member in _members(finding))
    depth = len(finding.path)
    return (finding.validator == "type" and depth == 0) or (
        finding.validator in ("const", "enum") and depth <= 1
    )


def _problem(finding: Finding) -> Flaw:
    return Flaw(tuple(map(str, finding.absolute_path)), finding.message)
