"""A JSON schema that the user brings for the answer of a run."""

from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

import msgspec

from longrein.core.errors import UsageError
from longrein.harness import load

MOST_BYTES = 100_000


def read_schema(path: Path) -> str:
    """The JSON schema in a file, as text. Raises `UsageError` for anything else."""
    try:
        data = path.read_bytes()
        schema = msgspec.json.decode(data)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}.") from None
    if not isinstance(schema, dict):
        raise UsageError(f"{path} is not a JSON schema: that is a JSON object.")
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path} has {len(data):,} bytes; a schema has at most {MOST_BYTES:,}.")
    if problem := _problem(schema):
        raise UsageError(f"{path} is not a JSON schema: {problem}.")
    return msgspec.json.encode(schema).decode()


def _problem(schema: Any) -> str:
    validator = load("json_schema")
    if error := next(iter(validator(validator.META_SCHEMA).iter_errors(schema)), None):
        return f"{'.'.join(map(str, error.absolute_path)) or 'it'}: {error.message}"
    if missing := next((ref for ref in _references(schema) if not _leads(schema, ref)), ""):
        return f"it refers to {missing}; bring what is referred to into the file, under $defs"
    return ""


def _references(value: Any) -> list[str]:
    if isinstance(value, list):
        return [ref for one in cast("list[Any]", value) for ref in _references(one)]
    if not isinstance(value, dict):
        return []
    table = cast("dict[str, Any]", value)
    own = [ref] if isinstance(ref := table.get("$ref"), str) else []
    return own + [ref for one in table.values() for ref in _references(one)]


def _leads(schema: Any, ref: str) -> bool:
    """Whether a reference leads to a place in the schema itself; an anchor is taken at its word."""
    if not ref.startswith("#/"):
        return ref.startswith("#")
    place = schema
    for part in unquote(ref).split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(place, list) and key.isdecimal():
            place = dict(enumerate(cast("list[Any]", place))).get(int(key))
        elif isinstance(place, dict):
            place = cast("dict[str, Any]", place).get(key)
        else:
            return False
    return place is not None
