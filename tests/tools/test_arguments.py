"""Arguments: forgiving where there is no doubt, exact where there is."""

from dataclasses import dataclass
from typing import Any, Literal

import hypothesis.strategies as st
import msgspec
import pydantic
import pytest
from hypothesis import given

from longrein.core.errors import ToolError
from longrein.tools.define import tool


@dataclass
class Range:
    start: int
    end: int

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError("end is before start")


class Person(pydantic.BaseModel):
    name: str
    age: int = pydantic.Field(ge=0)


@tool
def everything(
    count: int = 0,
    ratio: float = 0.0,
    deep: bool = False,
    tags: list[str] = [],  # noqa: B006
    mode: Literal["fast", "slow"] = "fast",
    where: Range | None = None,
    who: Person | None = None,
    by_number: dict[int, str] | None = None,
) -> None: ...


@tool
def needs(target: str, count: int) -> None: ...


@tool
def nothing() -> None: ...


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("{}", {}),
        ("", {}),
        ("  \n", {}),
        ("null", {}),
        ('{"count": "3"}', {"count": 3}),
        ('{"count": 3.0}', {"count": 3}),
        ('{"ratio": "1.5", "deep": "true"}', {"ratio": 1.5, "deep": True}),
        ('{"tags": "[\\"a\\", \\"b\\"]"}', {"tags": ["a", "b"]}),
        ('{"where": "{\\"start\\": 1, \\"end\\": 2}"}', {"where": Range(1, 2)}),
        ('{"where": null}', {"where": None}),
        ('{"who": {"name": "Ada", "age": 36}}', {"who": Person(name="Ada", age=36)}),
        ('{"by_number": {"1": "one"}}', {"by_number": {1: "one"}}),
    ],
)
def test_what_is_beyond_doubt_is_read(sent: str, read: dict[str, Any]) -> None:
    assert everything.arguments.read(sent) == read


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ('{"count": "many"}', "`count`: Expected `int`, got `str`"),
        ('{"tags": [1]}', "`tags[0]`: Expected `str`, got `int`"),
        ('{"tags": "[1"}', "`tags`: Expected `array`, got `str`"),
        ('{"mode": "medium"}', '`mode`: Invalid enum value \'medium\'; its schema is {"enum":["fa'),
        ('{"where": {"start": 1}}', "`where`: Object missing required field `end`"),
        ('{"where": {"start": 2, "end": 1}}', "`where`: end is before start"),
        ('{"who": {"name": "Ada", "age": -1}}', "`who`: age: Input should be greater than or equ"),
        ('{"colour": 1}', "`colour` is not an argument of it"),
        ('{"colour": 1}', "It takes `count`, `ratio`, `deep`"),
        ('{"count": 1', "not valid JSON (Input data was truncated)"),
        ('{"count": 1,}', "trailing comma in object (byte 12)"),
        ("[1]", "must be one JSON object"),
        ('"text"', "must be one JSON object"),
        ('{"count": ' + "[" * 5000 + "]" * 5000 + "}", "nested too deeply"),
    ],
)
def test_what_is_wrong_is_said_exactly(sent: str, says: str) -> None:
    problem = everything.check(sent)
    assert says in problem
    assert "`everything` was not run" in problem


def test_every_problem_is_told_at_once() -> None:
    problem = needs.check('{"count": "x", "goal": 1}')
    assert "`target` is missing" in problem
    assert "`count`: Expected `int`" in problem
    assert "`goal` is not an argument of it" in problem


def test_what_objects_have_in_them_is_told_in_few_words() -> None:
    @tool
    def walk(ranges: list[Range], who: Person | None = None) -> None: ...

    problem = walk.check('{"range": 1, "from": 2}')
    assert problem == (
        "`walk` was not run, its arguments do not fit:\n- `ranges` is missing\n"
        "- `range`, `from` are not arguments of it\nIt takes `ranges`=[{start, end}], `who`."
    )


def named(given: dict[str, Any]) -> dict[str, Any]:
    return {"target" if name == "goal" else name: value for name, value in given.items()}


@pytest.mark.parametrize(
    ("sent", "mended"),
    [
        ('{"goal": "a", "count": 1}', '{"target":"a","count":1}'),
        ('{"target": "a",  "count": 1}', '{"target": "a",  "count": 1}'),
        ('{"goal": "a"}', '{"goal": "a"}'),
        ('{"goal": "a", "count": 1', '{"goal": "a", "count": 1'),
    ],
)
def test_only_what_does_not_fit_and_would_then_is_mended(sent: str, mended: str) -> None:
    assert needs.arguments.mending(named).mended(sent) == mended


def test_another_form_is_neither_read_nor_shown() -> None:
    known = needs.arguments.mending(named)
    assert known.schema == needs.schema
    with pytest.raises(ToolError, match="`goal` is not an argument"):
        known.read('{"goal": "a", "count": 1}')


def test_a_tool_without_arguments_takes_none() -> None:
    assert nothing.check("") == ""
    assert "It takes no arguments" in nothing.check('{"a": 1}')


def test_lone_surrogates_in_arguments_are_cleaned() -> None:
    assert needs.arguments.read('{"target": "a\ud800", "count": 1}') == {
        "target": "a\ufffd",
        "count": 1,
    }


def test_a_validator_that_raises_anything_is_told_to_the_model() -> None:
    class Odd(msgspec.Struct):
        x: int

        def __post_init__(self) -> None:
            raise KeyError("boom")

    @tool
    def odd(it: Odd) -> None: ...

    assert "`it`: KeyError: 'boom'" in odd.check('{"it": {"x": 1}}')


@given(st.text())
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    problem = everything.check(text)
    assert problem == "" or "`everything` was not run" in problem


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_read_or_refused_in_words(value: Any) -> None:
    problem = needs.check(msgspec.json.encode({"target": value, "count": 1}).decode())
    assert (problem == "") == isinstance(value, str)
