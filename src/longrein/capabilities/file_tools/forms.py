"""Other forms of arguments: how models know these tools from elsewhere."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from longrein.tools.define import Tool

_FIELDS = ("old_string", "new_string", "replace_all")


def with_other_forms(tool: Tool) -> Tool:
    """The same tool, which also knows `file_path` for `path`, and an edit that is not in a list."""
    return replace(tool, arguments=tool.arguments.mending(_mend))


def _mend(given: Mapping[str, Any]) -> dict[str, Any]:
    mended = dict(given)
    if "file_path" in mended and "path" not in mended:
        mended["path"] = mended.pop("file_path")
    if isinstance(mended.get("edits"), dict):
        mended["edits"] = [mended["edits"]]
    if "old_string" in mended and "edits" not in mended:
        mended["edits"] = [{name: mended.pop(name) for name in _FIELDS if name in mended}]
    return mended
