"""Output of commands as text that a model and a terminal can be given.

What is not UTF-8 stands as `\\xe9`. Colours are left out. Every other control is written out and
so controls nothing; a carriage return that ends no line ends one here, so that nothing overwrites
what was said before it.
"""

import codecs
import re

_COLOUR = re.compile(r"\x1b\[[0-9;:]*[mK]")
_UNFINISHED = re.compile(r"(?:\r|\x1b(?:\[[0-9;:]{0,32})?)\Z")
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
WIDEST = 4
"""Characters that one byte can become."""


class Reader:
    """Reads output that comes in pieces, wherever it was cut.

    >>> reader = Reader()
    >>> [reader.read(piece) for piece in (b"caf\\xc3", b"\\xa9 \\x1b[3", b"1mred")]
    ['caf', 'é ', 'red']
    """

    __slots__ = ("_decoder", "_held")

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._held = ""

    def read(self, data: bytes | bytearray) -> str:
        """What more can be read now."""
        text = self._held + self._decoder.decode(bytes(data))
        unfinished = _UNFINISHED.search(text)
        self._held = unfinished[0] if unfinished else ""
        return _harmless(text[: len(text) - len(self._held)])

    def end(self) -> str:
        """What was held back."""
        text = self._held + self._decoder.decode(b"", final=True)
        self._held = ""
        return _harmless(text)


def readable(data: bytes) -> str:
    """All of it as text.

    >>> readable(b"50%\\r100%\\r\\n\\x1b[31mred\\x1b[0m \\xff \\x1b]0;title\\x07")
    '50%\\n100%\\nred \\\\xff \\\\x1b]0;title\\\\x07'
    """
    return _harmless(data.decode("utf-8", "backslashreplace"))


def whole(data: bytes) -> int:
    """How many of these bytes end with a character that is complete.

    >>> whole("café".encode()[:-1]), whole("café".encode())
    (3, 5)
    """
    decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
    decoder.decode(data)
    return len(data) - len(decoder.getstate()[0])


def _harmless(text: str) -> str:
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
