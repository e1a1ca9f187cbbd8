"""Structured output: finding the JSON in a reply, and telling the model what is wrong with it."""

import time
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import hypothesis.strategies as st
import msgspec
import pydantic
import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from longrein.tools import output
from longrein.tools.output import extract, instruction, read_output, repair
from longrein.tools.shapes import Misfit, shape_of


class Node(pydantic.BaseModel):
    name: str
    children: "list[Node]" = []


class Cat(pydantic.BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(pydantic.BaseModel):
    kind: Literal["dog"]
    tricks: list[str]


class Report(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")

    title: Annotated[str, pydantic.Field(min_length=2)]
    tree: Node | None = None
    pet: Cat | Dog | None = None
    chosen: Annotated[Cat | Dog, pydantic.Field(discriminator="kind")] | None = None
    pair: tuple[int, str] = (1, "a")
    level: Literal["low", "high"] = "low"
    scores: dict[str, float] = {}
    size: Annotated[int, pydantic.Field(ge=0)] = 0


class Circle(msgspec.Struct, tag="circle"):
    radius: float


class Square(msgspec.Struct, tag="square"):
    side: float


@dataclass
class Drawing:
    shapes: list[Circle | Square]
    names: tuple[str, ...] = ()


def check(text: str, kind: Any) -> str:
    return output.check(text, shape_of(kind).schema, Draft202012Validator)


def told(value: Any, kind: Any) -> str:
    return check(msgspec.json.encode(value).decode(), kind)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ("  42\n", "42"),
        ('"text"', '"text"'),
        ("null", "null"),
        ('```json\n{"a": 1}\n```', '{"a": 1}'),
        ('```\n{"a": 1}```', '{"a": 1}'),
        ("```json\n42\n```", "42"),
        ('Here it is:\n\n```json\n{"a": "{"}\n```\nDone.', '{"a": "{"}'),
        ('The answer is {"a": {"b": [1]}}, as asked.', '{"a": {"b": [1]}}'),
        ('See [1] and {x}: {"a": 1, "b": 2}. [2]', '{"a": 1, "b": 2}'),
        ("I found [1, 2, 3] there", "[1, 2, 3]"),
        ('{broken {"a": 1}', '{"a": 1}'),
        ('```python\nf({"a": 1})\n```', '{"a": 1}'),
        ('He said "{" and then {"a": "}"}', '{"a": "}"}'),
        ('{"a": 1}\n\n{"a": 22}', '{"a": 22}'),
        ('{"code": "```json\\n1\\n```"} is it', '{"code": "```json\\n1\\n```"}'),
    ],
)
def test_the_json_of_a_reply_is_found(reply: str, found: str) -> None:
    assert extract(reply) == found


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("I could not do it.", "no JSON value"),
        ('{"a": [1, 2', "not valid JSON"),
        ('{"a": NaN}', "not valid JSON"),
        ("{'a': 1}", "not valid JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_reply_without_json_is_told_why(reply: str, says: str) -> None:
    with pytest.raises(Misfit, match=says):
        extract(reply)
    assert says in check(reply, Report)


@pytest.mark.parametrize(
    "piece", ["[", "{", '{"a":', "[1,", '["', "[1,[2],", "{[", "```\n", "`", "\n"]
)
def test_a_reply_that_is_built_to_take_for_ever_does_not(piece: str) -> None:
    began = time.process_time()
    with pytest.raises(Misfit):
        extract("```so: \n" + piece * (300_000 // len(piece)))
    assert time.process_time() - began < 5


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_any_object_comes_out_of_prose_and_fences_unchanged(value: Any) -> None:
    text = msgspec.json.encode({"value": value}).decode()
    assert extract(text) == text
    assert extract(f"Well, this is it: {text} -- that was it.") == text
    assert extract(f"Look:\n```json\n{text}\n```\nThat was it.") == text


@given(st.text())
def test_any_reply_is_read_or_refused_with_a_reason(reply: str) -> None:
    try:
        found, reason = extract(reply), ""
    except Misfit as misfit:
        found, reason = "", misfit.message
    assert reason or msgspec.json.encode(msgspec.json.decode(found))


GOOD: list[tuple[Any, Any]] = [
    ({"title": "ab"}, Report),
    ({"title": "ab", "tree": {"name": "a", "children": [{"name": "b"}]}}, Report),
    ({"title": "ab", "pet": {"kind": "dog", "tricks": []}}, Report),
    ({"title": "ab", "chosen": {"kind": "cat", "lives": 9}}, Report),
    ({"title": "ab", "pair": [2, "b"], "level": "high", "scores": {"a": 1}}, Report),
    ({"shapes": [{"type": "circle", "radius": 1}], "names": ["a"]}, Drawing),
    ([{"title": "ab"}], list[Report]),
    (3, int),
    (None, int | None),
]


@pytest.mark.parametrize(("value", "kind"), GOOD)
def test_what_fits_is_not_complained_of_and_can_be_read(value: Any, kind: Any) -> None:
    assert told(value, kind) == ""
    shape = shape_of(kind)
    assert shape.read(shape.values(read_output(msgspec.json.encode(value).decode(), shape))) == (
        shape.read(value)
    )


BAD: list[tuple[Any, Any, str]] = [
    ({}, Report, "'title' is a required property"),
    ({"title": "a"}, Report, "`title`: 'a' is too short"),
    ({"title": 3}, Report, "`title`: 3 is not of type 'string'"),
    ({"title": "ab", "more": 1}, Report, "'more' was unexpected"),
    ({"title": "ab", "tree": {"name": "a", "children": [{}]}}, Report, "`tree.children.0`: 'name'"),
    ({"title": "ab", "pair": ["x", "b"]}, Report, "`pair.0`: 'x' is not of type 'integer'"),
    ({"title": "ab", "pair": [1, "b", 3]}, Report, "`pair`: "),
    ({"title": "ab", "level": "mid"}, Report, "`level`: 'mid' is not one of ['low', 'high']"),
    ({"title": "ab", "scores": {"a": "x"}}, Report, "`scores.a`: "),
    ({"title": "ab", "size": -1}, Report, "`size`: "),
    ({"shapes": [{"type": "circle"}]}, Drawing, "`shapes.0`: 'radius' is a required property"),
    ([{"title": "ab"}, 4], list[Report], "`1`: 4 is not of type 'object'"),
    ("x", int, "'x' is not of type 'integer'"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "kind", "says"), BAD)
def test_what_does_not_fit_is_told_with_its_field(value: Any, kind: Any, says: str) -> None:
    assert says in told(value, kind)


def test_every_problem_is_told_at_once() -> None:
    problem = told({"title": "a", "size": -1, "level": "mid"}, Report)
    assert all(f"`{name}`: " in problem for name in ("title", "size", "level"))


@pytest.mark.parametrize("field", ["pet", "chosen"])
def test_of_a_union_the_member_that_was_meant_is_told_about(field: str) -> None:
    problem = told({"title": "ab", field: {"kind": "cat"}}, Report)
    assert problem == f"`{field}`: 'lives' is a required property"


@pytest.mark.parametrize("field", ["pet", "chosen"])
def test_of_a_union_with_no_member_meant_all_are_told_about(field: str) -> None:
    problem = told({"title": "ab", field: {"kind": "cow"}}, Report)
    assert problem.startswith(f"`{field}`: 'cat' was expected or 'dog' was expected")
    assert "'null'" in told({"title": "ab", field: 4}, Report)


def test_formats_and_the_checks_of_a_class_are_left_to_whoever_has_it() -> None:
    class Meeting(pydantic.BaseModel):
        on: pydantic.AwareDatetime

    reply = '{"on": "tomorrow"}'
    assert check(reply, Meeting) == ""
    with pytest.raises(Misfit) as caught:
        read_output(reply, shape_of(Meeting))
    assert caught.value.fields == ("on",)


def test_a_pattern_that_only_another_engine_knows_hides_no_other_problem() -> None:
    class Word(pydantic.BaseModel):
        size: int
        text: Annotated[str, pydantic.Field(pattern=r"^\p{L}+$")]

    assert check('{"size": 1, "text": "a"}', Word) == ""
    assert "`size`" in check('{"size": "x", "text": "a"}', Word)


def test_a_huge_answer_has_a_short_complaint() -> None:
    assert len(told({"title": ["x" * 10_000] * 100}, Report)) < 1000


def test_output_is_read_from_a_reply_with_prose() -> None:
    reply = 'Sure!\n```json\n{"name": "root"}\n```'
    assert read_output(reply, shape_of(Node)) == Node(name="root")


def test_the_model_is_told_the_schema_and_what_was_wrong() -> None:
    schema = shape_of(Node).schema
    assert schema in instruction(schema)
    assert "`title`: too short" in repair("`title`: too short")
