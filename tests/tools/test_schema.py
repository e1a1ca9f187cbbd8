"""Schemas: what the model is told about a tool's arguments."""

import enum
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict

import msgspec
import pydantic

from longrein.tools.define import Function, tool


def schema_of(function: Function) -> Any:
    return msgspec.json.decode(tool(function).schema)


def properties_of(function: Function) -> Any:
    return schema_of(function)["properties"]


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Options(TypedDict, total=False):
    deep: bool


class Point(msgspec.Struct):
    x: int
    y: int = 0


@dataclass
class Node:
    """A node of a tree."""

    title: str
    children: "list[Node]" = field(default_factory=list["Node"])


class Item(pydantic.BaseModel):
    name: str = pydantic.Field(description="what it is called", min_length=1)


class Order(pydantic.BaseModel):
    first: Item
    others: list[Item] = []


def test_simple_types_docs_and_defaults() -> None:
    def search(text: str, limit: Annotated[int, msgspec.Meta(ge=1)] = 10) -> None:
        """Search.

        Args:
            text: What to look for.
            limit: How many at most.
        """

    assert schema_of(search) == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to look for."},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "description": "How many at most.",
                "default": 10,
            },
        },
        "required": ["text"],
        "additionalProperties": False,
    }


def test_enums_literals_and_optionals() -> None:
    def paint(colour: Colour, how: Literal["thick", "thin"], note: str | None = None) -> None: ...

    assert properties_of(paint) == {
        "colour": {"enum": ["blue", "red"]},
        "how": {"enum": ["thick", "thin"]},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    }


def test_a_type_that_is_used_once_stands_where_it_is_used() -> None:
    def go(point: Point, options: Options) -> None: ...

    assert "$defs" not in schema_of(go)
    assert properties_of(go)["point"]["required"] == ["x"]
    assert properties_of(go)["options"]["properties"] == {"deep": {"type": "boolean"}}


def test_a_type_that_is_used_twice_is_defined_once() -> None:
    def go(start: Point, end: Point) -> None: ...

    assert properties_of(go)["start"] == {"$ref": "#/$defs/Point"}
    assert list(schema_of(go)["$defs"]) == ["Point"]


def test_a_recursive_type_keeps_its_definition_and_a_property_called_title() -> None:
    def plant(tree: Node) -> None: ...

    node = schema_of(plant)["$defs"]["Node"]
    assert node["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert node["properties"]["title"] == {"type": "string"}
    assert "title" not in node


def test_a_pydantic_model_brings_its_own_schema() -> None:
    def buy(order: Order, gift: Item | None = None) -> None: ...

    schema = schema_of(buy)
    item = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "description": "what it is called"}
        },
        "required": ["name"],
    }
    assert schema["properties"]["order"]["properties"]["first"] == {"$ref": "#/$defs/Order.Item"}
    assert schema["properties"]["gift"]["anyOf"][0] == item
    assert schema["$defs"] == {"Order.Item": item}


def test_a_description_may_stand_in_the_annotation() -> None:
    def go(
        far: Annotated[int, "in metres"],
        fast: Annotated[int, msgspec.Meta(description="in knots")],
        high: Annotated[int, pydantic.Field(description="in feet")] | None = None,
    ) -> None: ...

    said = {name: one["description"] for name, one in properties_of(go).items()}
    assert said == {"far": "in metres", "fast": "in knots", "high": "in feet"}


def test_no_annotation_takes_anything() -> None:
    def echo(value: Any, more: Any = 1) -> None: ...

    echo.__annotations__.clear()
    assert properties_of(echo) == {"value": {}, "more": {"default": 1}}


def test_a_default_that_json_cannot_hold_is_not_shown() -> None:
    marker = object()

    def go(a: Any = marker) -> None: ...

    assert properties_of(go) == {"a": {}}
