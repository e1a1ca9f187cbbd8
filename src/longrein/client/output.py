"""A part of what a command put out, as a person is shown it."""

from longrein.capabilities.shell_tools.readable import readable
from longrein.core.redact import Redactor

MOST = 8_000_000
"""Bytes that are read of what a command put out."""

_CHARACTER = 4
"""Bytes of the longest character."""


def margin(redactor: Redactor) -> int:
    """Bytes to read beyond a cut, so that a secret that is cut there is known."""
    return redactor.longest * _CHARACTER


def shown(
    data: bytes, redactor: Redactor, *, before: int = 0, after: int = 0, growing: bool = True
) -> str:
    """The bytes as text without any part of a secret. The first and the last of them, `before` and
    `after` the part, are not shown; `growing`: more may follow."""
    text = readable(data)
    end = len(text) - len(readable(data[len(data) - after :]))
    return redactor.part(text, len(readable(data[:before])), end, growing=growing)
