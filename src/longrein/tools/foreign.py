"""Pydantic models in tools, when the user brings them: told by their attributes, never imported."""

from typing import Any


def decode(kind: Any, value: Any) -> Any:
    """A value of a foreign type from plain JSON values; raises ValueError with what is wrong."""
    if not _is_pydantic(kind):
        raise NotImplementedError(f"{kind.__name__} cannot be made from JSON")
    try:
        return kind.model_validate(value)
    except ValueError as error:
        raise ValueError(_explain(error)) from None


def encode(value: Any) -> Any:
    """Plain JSON values from a foreign value."""
    if not _is_pydantic(type(value)):
        raise NotImplementedError(f"{type(value).__name__} cannot be written as JSON")
    return value.model_dump(mode="json")


def schema(kind: Any) -> dict[str, Any]:
    """The JSON schema of a foreign type; names in its `$defs` begin with the type's own."""
    if not _is_pydantic(kind):
        raise NotImplementedError(f"{kind.__name__} has no JSON schema")
    found: dict[str, Any] = kind.model_json_schema(
        ref_template=f"#/$defs/{kind.__name__}.{{model}}"
    )
    if "$defs" in found:
        found["$defs"] = {f"{kind.__name__}.{name}": it for name, it in found["$defs"].items()}
    return found


def _is_pydantic(kind: Any) -> bool:
    return hasattr(kind, "__pydantic_validator__") and hasattr(kind, "model_validate")


def _explain(error: Any) -> str:
    if not hasattr(error, "errors"):
        return str(error)
    return "; ".join(
        ".".join(map(str, one["loc"])) + (": " if one["loc"] else "") + one["msg"]
        for one in error.errors(include_url=False, include_context=False)
    )
