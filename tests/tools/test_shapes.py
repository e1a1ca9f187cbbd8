"""Shapes: from a user's type to a schema, a check and a value."""

import enum
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NotRequired, TypedDict, TypeVar

import msgspec
import pydantic
import pytest
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass as pydantic_dataclass

from longrein.core.errors import UsageError
from longrein.tools.shapes import Flaw, Misfit, plain, shape_of

T = TypeVar("T")


class Colour(enum.Enum):
    RED = "red"


class PydanticItem(pydantic.BaseModel):
    name: str
    count: int = 1


class PydanticOrder(pydantic.BaseModel):
    items: list[PydanticItem]
    note: str | None = None


@dataclass
class DataItem:
    name: str
    count: int = 1


@dataclass
class DataOrder:
    items: list[DataItem]
    note: str | None = None


class StructItem(msgspec.Struct):
    name: str
    count: int = 1


class StructOrder(msgspec.Struct):
    items: list[StructItem]
    note: str | None = None


class DictItem(TypedDict):
    name: str
    count: NotRequired[int]


class DictOrder(TypedDict):
    items: list[DictItem]
    note: NotRequired[str | None]


@dataclass
class MixedOrder:
    """A dataclass that holds models."""

    items: list[PydanticItem]
    note: str | None = None


ORDERS = (PydanticOrder, DataOrder, StructOrder, DictOrder, MixedOrder)


class Node(pydantic.BaseModel):
    name: str
    children: "list[Node]" = []


class Odd:
    """A class of which nothing is known."""


class Cat(pydantic.BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(pydantic.BaseModel):
    kind: Literal["dog"]
    name: str


class Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True, extra="forbid")

    pair: tuple[int, str] = (1, "a")
    colour: Colour = Colour.RED


class Camel(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(alias_generator=to_camel)

    user_name: str = ""


@pydantic_dataclass
class Bounded:
    size: Annotated[int, pydantic.Field(ge=0)] = 0


class Renamed(msgspec.Struct, rename="camel", omit_defaults=True, tag="renamed"):
    user_name: str = ""


class Closed(msgspec.Struct, forbid_unknown_fields=True):
    size: Annotated[int, msgspec.Meta(ge=0)] = 0


class Box(msgspec.Struct, Generic[T]):
    inside: T


@dataclass
class Range:
    start: int
    end: int

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError("end is before start")


@dataclass
class Lookup:
    key: str

    def __post_init__(self) -> None:
        raise KeyError(self.key)


def misfit(kind: Any, given: Any) -> Misfit:
    with pytest.raises(Misfit) as caught:
        shape_of(kind).read(given)
    return caught.value


@pytest.mark.parametrize("kind", ORDERS)
def test_a_value_goes_to_plain_values_and_comes_back(kind: Any) -> None:
    shape = shape_of(kind)
    value = shape.read('{"items": [{"name": "a", "count": 2}], "note": "b"}')
    assert shape.values(value) == {"items": [{"name": "a", "count": 2}], "note": "b"}
    assert shape.read(shape.values(value)) == value


@pytest.mark.parametrize("kind", [PydanticOrder, DataOrder, StructOrder, MixedOrder])
def test_values_have_what_defaults_put_in_at_any_depth(kind: Any) -> None:
    shape = shape_of(kind)
    assert shape.values(shape.read('{"items": [{"name": "a"}]}')) == {
        "items": [{"name": "a", "count": 1}],
        "note": None,
    }


@pytest.mark.parametrize("kind", ORDERS)
def test_every_problem_is_told_with_its_field(kind: Any) -> None:
    wrong = misfit(kind, {"items": [{"name": 1, "count": "x"}, {"name": "a"}, {}], "note": 3})
    assert set(wrong.fields) == {"items.0.name", "items.0.count", "items.2.name", "note"}
    assert str(wrong) == wrong.message
    assert all(f"`{place}`: " in wrong.message for place in wrong.fields)


@pytest.mark.parametrize("kind", ORDERS)
def test_the_schema_is_compact_json_with_the_fields(kind: Any) -> None:
    text = shape_of(kind).schema
    schema = msgspec.json.decode(text)
    schema = schema["$defs"][schema["$ref"].split("/")[-1]] if "$ref" in schema else schema
    assert list(schema["properties"]) == ["items", "note"]
    assert schema["required"] == ["items"]
    assert text == msgspec.json.encode(msgspec.json.decode(text)).decode()


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (int, "3", 3),
        (list[int], "[1, 2]", [1, 2]),
        (dict[str, float], '{"a": 1}', {"a": 1.0}),
        (list[PydanticItem], '[{"name": "a"}]', [PydanticItem(name="a")]),
        (dict[str, DataItem], '{"x": {"name": "a"}}', {"x": DataItem("a")}),
        (PydanticItem | None, "null", None),
        (Cat | Dog, '{"kind": "dog", "name": "Rex"}', Dog(kind="dog", name="Rex")),
        (Colour, '"red"', Colour.RED),
        (datetime, '"2026-01-02T03:04:05"', datetime(2026, 1, 2, 3, 4, 5)),
        (Any, '{"a": [1]}', {"a": [1]}),
    ],
)
def test_plain_types_and_what_is_made_of_others_have_a_shape(
    kind: Any, text: str, value: Any
) -> None:
    assert shape_of(kind).read(text) == value


def test_text_is_json_and_anything_else_is_values() -> None:
    assert shape_of(str).read('"a"') == "a"
    assert shape_of(list[str]).read(["a"]) == ["a"]


def test_what_is_not_json_is_told_so() -> None:
    for kind in ORDERS:
        wrong = misfit(kind, '{"items": [')
        assert wrong.fields == ()
        assert "not valid JSON" in wrong.message


def test_a_recursive_model_is_read_and_described() -> None:
    assert "#/$defs/Node" in shape_of(Node).schema
    assert misfit(Node, {"name": "a", "children": [{"name": 1}]}).fields == ("children.0.name",)


def test_the_members_of_a_union_are_not_part_of_the_field() -> None:
    wrong = misfit(list[Cat | Dog], [{"kind": "cat"}])
    assert "0.lives" in wrong.fields
    assert not any("Cat" in place for place in wrong.fields)


def test_what_the_members_of_a_union_want_is_told_together() -> None:
    class Either(pydantic.BaseModel):
        value: int | bool

    wrong = misfit(Either, {"value": "x"})
    assert wrong.fields == ("value",)
    assert " or " in wrong.message


def test_a_strict_model_takes_what_json_can_say() -> None:
    shape = shape_of(Strict)
    assert shape.read({"pair": [2, "b"], "colour": "red"}) == Strict(pair=(2, "b"))


def test_a_field_that_a_model_forbids_is_named() -> None:
    assert misfit(Strict, {"other": 1}).fields == ("other",)
    assert misfit(Closed, {"other": 1, "size": -1}).fields == ("size", "other")


@pytest.mark.parametrize("kind", [Camel, Renamed])
def test_values_have_the_keys_of_json_and_names_tells_them(kind: Any) -> None:
    shape = shape_of(kind)
    value = shape.read({"userName": "a", **({"type": "renamed"} if kind is Renamed else {})})
    assert value.user_name == "a"
    assert shape.values(value)["userName"] == "a"
    assert shape.names == {"user_name": "userName"}
    assert shape.read(shape.values(value)) == value


def test_values_of_a_struct_have_what_it_would_omit() -> None:
    assert shape_of(Renamed).values(Renamed()) == {"type": "renamed", "userName": ""}


def test_values_leave_out_what_is_unset() -> None:
    class Sparse(msgspec.Struct):
        a: int | msgspec.UnsetType = msgspec.UNSET

    assert shape_of(Sparse).values(Sparse()) == {}


def test_the_checks_of_a_pydantic_dataclass_count() -> None:
    assert shape_of(Bounded).read("{}") == Bounded(0)
    assert misfit(Bounded, {"size": -1}).fields == ("size",)


def test_a_generic_struct_is_read() -> None:
    assert shape_of(Box[int]).read({"inside": 1}) == Box(1)
    assert misfit(Box[int], {"inside": "x"}).fields == ("inside",)


def test_what_a_class_checks_itself_is_told_at_its_place() -> None:
    wrong = misfit(list[Range], [{"start": 2, "end": 1}])
    assert wrong.fields == ("0",)
    assert "end is before start" in wrong.message


def test_a_validator_may_raise_anything() -> None:
    class Broken(pydantic.BaseModel):
        key: str

        @pydantic.field_validator("key")
        @classmethod
        def _find(cls, key: str) -> str:
            raise KeyError(key)

    assert "KeyError: 'a'" in misfit(Broken, {"key": "a"}).message
    assert "KeyError: 'a'" in misfit(Lookup, {"key": "a"}).message


def test_problems_inside_tuples_and_mappings_have_their_place() -> None:
    @dataclass
    class Held:
        pair: tuple[int, str]
        by_name: dict[str, list[int]]
        maybe: DataItem | None = None

    given = {"pair": [1, 2], "by_name": {"a": [1], "b": ["x"]}, "maybe": {"name": 1}}
    assert misfit(Held, given).fields == ("pair.1", "by_name.b.0", "maybe.name")


def test_a_message_stays_short_however_much_is_wrong() -> None:
    wrong = misfit(list[int], ["x"] * 5000)
    assert len(wrong.message) < 2000
    assert wrong.message.endswith("and 4980 more")
    assert len(Misfit([Flaw(("a",), "x" * 10_000)]).message) < 400


def test_a_changed_value_of_a_wrong_type_is_told_when_it_is_read_again() -> None:
    order = PydanticItem(name="a")
    order.name = 3  # pyright: ignore[reportAttributeAccessIssue]
    shape = shape_of(PydanticItem)
    assert misfit(PydanticItem, shape.values(order)).fields == ("name",)


def test_a_value_that_json_cannot_hold_is_a_misfit() -> None:
    @dataclass
    class Holder:
        anything: Any = field(default_factory=object)

    with pytest.raises(Misfit, match="cannot be written as JSON"):
        shape_of(Holder).values(Holder())
    with pytest.raises(Misfit, match="cannot be written as JSON"):
        plain({"a": object()})


def test_plain_values_are_made_of_anything_that_json_can_hold() -> None:
    given = {
        "who": PydanticItem(name="a"),
        "at": datetime(2026, 1, 2),
        "camel": Camel.model_validate({"userName": "b"}),
    }
    assert plain(given) == {
        "who": {"name": "a", "count": 1},
        "at": "2026-01-02T00:00:00",
        "camel": {"userName": "b"},
    }


@pytest.mark.parametrize("kind", [object, Path, list[object], Cat | Odd, 3])
def test_a_type_that_json_cannot_be_made_into_is_refused_by_name(kind: Any) -> None:
    with pytest.raises(UsageError) as caught:
        shape_of(kind)
    assert getattr(kind, "__name__", repr(kind)) in str(caught.value)


def test_a_type_is_looked_at_once() -> None:
    assert shape_of(PydanticOrder) is shape_of(PydanticOrder)


def test_a_type_that_cannot_be_hashed_has_a_shape_too() -> None:
    kind: Any = Annotated[list[int], ["of", "anything"]]
    assert shape_of(kind).read("[1]") == [1]


def test_types_that_are_not_pydantics_do_not_load_it() -> None:
    code = (
        "import sys; from longrein.tools.shapes import shape_of; "
        "from longrein.session.user_state import UserState; "
        "shape_of(list[int]); UserState({'a': 1}); import longrein.tools.output; "
        "print({'pydantic', 'jsonschema'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
