"""Where an agent finds the whole of what it is shown only in part: paths below `/offload`.

The texts themselves are in the log or are blobs of it. Nothing is copied: a file system over the
thread serves them under these names.
"""

import re
from hashlib import sha256
from typing import Literal

OFFLOAD = "/offload"
HISTORY = "/history"
READER = "read_file"
"""The tool without which a model can read neither."""

_LEFT_OUT = re.compile(
    r"^\[\.\.\. ([\d,]+ (?:of [\d,]+ )?[a-z]+) left out(.*) \.\.\.\]$", re.MULTILINE
)
_ALL_IN, _READ_BY = ". All of it is in ", "; use grep or read_file."
_MADE_HERE = {
    "call": re.compile(r"call_\w{1,64}", re.ASCII),
    "input": re.compile(r"cmd_\w{1,64}", re.ASCII),
}


def result_path(call: str) -> str:
    """The path of all that a tool call returned.

    >>> result_path("call_0190d3a1f0e87c5b9a4d6e2f1b3c5d7e")
    '/offload/call_0190d3a1f0e87c5b9a4d6e2f1b3c5d7e.txt'
    """
    return f"{OFFLOAD}/{_name(call, 'call')}.txt"


def arguments_path(call: str) -> str:
    """The path of all arguments of a tool call."""
    return f"{OFFLOAD}/{_name(call, 'call')}-input.json"


def input_path(input: str) -> str:
    """The path of all that a person said in one input.

    >>> input_path("../../etc/passwd")
    '/offload/input-3754d6cb3a38e118.txt'
    """
    return f"{OFFLOAD}/{_name(input, 'input')}.txt"


def left_out(count: int, unit: str, path: str = "", *, kept: bool = False) -> str:
    """The line in place of what is left out; `path` is where a model can read all of it. `kept`:
    people can, though the model cannot.

    >>> left_out(1_200, "bytes", "/offload/call_1.txt")
    '[... 1,200 bytes left out. All of it is in /offload/call_1.txt; use grep or read_file. ...]'
    """
    where = "; all of it is kept, for people" if kept else ""
    where = f"{_ALL_IN}{path}{_READ_BY}" if path else where
    return f"[... {count:,} {unit} left out{where} ...]"


def what_left_out(text: str) -> str:
    """How much was left out of a text, by the line that `left_out` put in its place; empty:
    nothing.

    >>> what_left_out(f"1\\n{left_out(1_200, 'bytes')}\\n9")
    '1,200 bytes'
    """
    found = _LEFT_OUT.search(text) if " left out" in text else None
    return found[1] if found else ""


def where_left_out(text: str) -> str:
    """Where all of a text is, by the last line of `left_out` that says so; empty: none does.

    >>> where_left_out(left_out(1_200, "bytes", "/offload/call_1.txt"))
    '/offload/call_1.txt'
    """
    for _, where in reversed(_LEFT_OUT.findall(text) if _ALL_IN in text else ()):
        if where.startswith(_ALL_IN) and where.endswith(_READ_BY):
            return where[len(_ALL_IN) : -len(_READ_BY)]
    return ""


def _name(id: str, kind: Literal["call", "input"]) -> str:
    """An id as the name of a file. One that was not made here may be any text."""
    if _MADE_HERE[kind].fullmatch(id):
        return id
    return f"{kind}-{sha256(id.encode('utf-8', 'replace')).hexdigest()[:16]}"
