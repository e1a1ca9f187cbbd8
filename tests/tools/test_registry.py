"""Registries: tools by name, in their order."""

import msgspec
import pytest

from longrein.core.errors import UsageError
from longrein.models.base import ToolSpec
from longrein.tools.define import tool
from longrein.tools.registry import Registry


def read_file(path: str) -> str:
    """Read a file."""
    return path


@tool
def write_file(path: str) -> str:
    """Write a file."""
    return path


def test_tools_and_bare_functions_are_found_by_name() -> None:
    registry = Registry([write_file, read_file])
    assert list(registry) == ["write_file", "read_file"]
    assert registry["write_file"] is write_file
    assert registry.get("nothing") is None


def test_specs_are_in_the_order_of_the_tools() -> None:
    first, second = Registry([write_file, read_file]).specs()
    assert (first.name, second.name) == ("write_file", "read_file")
    assert first == ToolSpec("write_file", "Write a file.", msgspec.Raw(write_file.schema))


def test_the_same_tool_twice_is_one() -> None:
    assert len(Registry([write_file, write_file])) == 1


def test_two_tools_of_one_name_are_refused_by_both_names() -> None:
    other = tool(name="read_file")(write_file.function)
    with pytest.raises(UsageError) as caught:
        Registry([read_file, other])
    assert "two tools are called 'read_file'" in str(caught.value)
    assert ".read_file and" in str(caught.value)
    assert ".write_file;" in str(caught.value)


def test_an_unknown_tool_is_answered_with_the_nearest_and_the_list() -> None:
    said = Registry([read_file, write_file]).unknown("readfile")
    assert "There is no tool `readfile`. Did you mean `read_file`?" in said
    assert "There are: `read_file`, `write_file`." in said


def test_an_unknown_tool_where_there_are_none() -> None:
    assert "no tools are offered" in Registry().unknown("anything")
