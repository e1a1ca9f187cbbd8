"""The JSON schema of a tool's arguments, as short as it can be said."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias, cast

import msgspec

from longrein.tools import foreign
from longrein.tools.signature import REQUIRED, Parameter

Schema: TypeAlias = dict[str, Any]
_REF = "#/$defs/"
_BY_NAME = ("properties", "patternProperties", "$defs")
_VALUES = ("default", "const", "enum", "examples")


def arguments_schema(struct: type[msgspec.Struct], parameters: tuple[Parameter, ...]) -> bytes:
    """The schema of `struct`, whose fields are `parameters`, encoded.

    Titles are left out; a type that is used once stands where it is used, others in `$defs`.
    Raises TypeError or NotImplementedError on a type that has no schema.
    """
    hoisted: Schema = {}

    def schema_hook(kind: type) -> Schema:
        found = foreign.schema(kind)
        hoisted.update(found.pop("$defs", {}))
        return found

    (root,), defs = msgspec.json.schema_components(
        [struct], schema_hook=schema_hook, ref_template=_REF + "{name}"
    )
    defs = {name: _without_titles(one) for name, one in {**defs, **hoisted}.items()}
    top = defs.pop(root["$ref"].removeprefix(_REF))
    top.pop("description", None)
    for parameter in parameters:
        top["properties"][parameter.name] |= _said_about(parameter)
    if not top["required"]:
        del top["required"]
    return msgspec.json.encode(_inline(top, defs))


def _said_about(parameter: Parameter) -> Schema:
    said: Schema = {}
    if parameter.description:
        said["description"] = parameter.description
    if parameter.default is not REQUIRED and parameter.default is not None:
        try:
            said["default"] = msgspec.to_builtins(parameter.default, enc_hook=foreign.encode)
        except Exception:  # a default that JSON cannot hold is the function's own business
            pass
    return said


def _without_titles(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_titles(one) for one in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    known = cast(Schema, schema)
    tidy: Schema = {}
    for key, value in known.items():
        if key in _BY_NAME:
            tidy[key] = {name: _without_titles(one) for name, one in value.items()}
        elif key in _VALUES:
            tidy[key] = value
        elif key != "title":
            tidy[key] = _without_titles(value)
    return tidy


def _inline(top: Schema, defs: Schema) -> Schema:
    """Put each definition that is used once in its place. What is recursive is used twice."""
    uses = Counter(_refs([top, *defs.values()]))
    once = {name for name in defs if uses[name] == 1}

    def fill(schema: Any) -> Any:
        if isinstance(schema, list):
            return [fill(one) for one in cast(list[Any], schema)]
        if not isinstance(schema, dict):
            return schema
        known = cast(Schema, schema)
        name = str(known.get("$ref", "")).removeprefix(_REF)
        if name in once:
            known = {**defs[name], **{key: one for key, one in known.items() if key != "$ref"}}
        return {key: fill(one) for key, one in known.items()}

    filled: Schema = fill(top)
    kept = {name: fill(one) for name, one in defs.items() if uses[name] > 1}
    return {**filled, "$defs": kept} if kept else filled


def _refs(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for one in cast(list[Any], schema):
            yield from _refs(one)
    elif isinstance(schema, dict):
        known = cast(Schema, schema)
        if isinstance(known.get("$ref"), str):
            yield known["$ref"].removeprefix(_REF)
        yield from _refs(list(known.values()))
