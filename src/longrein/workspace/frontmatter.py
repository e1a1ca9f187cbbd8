"""The head of a Markdown file: the part of YAML that people write there, and nothing of the rest.

Mappings, lists and texts, all written in lines; every value is a text, as nobody can tell from `on`
or `1.10` what was meant. What YAML readers disagree about, or few people know (flow style, anchors,
tags, tabs, repeated keys), is refused with what to write instead: a file that is read here is read
in the same way elsewhere.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

Value: TypeAlias = "str | list[Value] | dict[str, Value]"

MOST_DEPTH = 8
_FENCE = "---"
_KEY = re.compile(r"(\w[\w./-]{0,126}) *:(?: +|$)")
_BLOCK = re.compile(r"([|>])(-?)(?: +#.*)?$")
_QUOTED = {'"': re.compile(r'((?:[^"\\]|\\.)*)"'), "'": re.compile(r"((?:[^']|'')*)'(?!')")}
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")
_ESCAPED = {'"': '"', "\\": "\\", "/": "/", "n": "\n", "t": "\t"}
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\ufeff\ufffe\uffff]")
_NOT_PLAIN = {
    "[": "a list in brackets: write each item on a line of its own, after '- '",
    "{": "a mapping in braces: write each 'key: value' on a line of its own",
    "&": "an anchor: put the text in quotes",
    "*": "an alias: put the text in quotes",
    "!": "a tag: put the text in quotes",
}
_SPECIAL = ("=", "<<")


class FrontmatterError(ValueError):
    """The head of a file cannot be read; the text says where and what to write instead."""


def read_frontmatter(text: str) -> tuple[dict[str, Any], str]:
    """What stands between the two `---` lines, and the text after them.

    Values are texts, lists, and mappings from texts. Raises FrontmatterError.

    >>> read_frontmatter("---\\nname: pdf\\ntags:\\n  - a\\n  - b\\n---\\nRead me.")
    ({'name': 'pdf', 'tags': ['a', 'b']}, 'Read me.')
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0].rstrip(" ") != _FENCE:
        raise FrontmatterError("The file does not begin with a line '---', and so has no head.")
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip(" ") == _FENCE), 0)
    if not end:
        raise FrontmatterError("The head is not closed: write a line '---' after it.")
    return _Reader(lines[:end]).whole(), "\n".join(lines[end + 1 :]).strip()


class _Reader:
    """Goes through the lines of a head; `at` is the next one."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 1
        for number, line in enumerate(lines[1:], 1):
            if found := _UNSEEN.search(line):
                raise self.wrong(_unseen(found[0]), number)
            if _FENCE in line:  # some readers take the first '---' anywhere for the end of the head
                raise self.wrong("'---' inside the head: leave it out", number)

    def whole(self) -> dict[str, Value]:
        indent = self.next_indent()
        if indent is None:
            raise FrontmatterError("The head is empty: write lines 'key: value' into it.")
        if indent:
            raise self.wrong("a first line that is indented: begin it at its left edge")
        return self.mapping(0, 0)

    def mapping(self, indent: int, depth: int) -> dict[str, Value]:
        found: dict[str, Value] = {}
        inner: int | None = None
        while self.next_indent() == indent:
            number = self.at
            if not (match := _KEY.match(self.lines[number], indent)):
                raise self.wrong("a line that is no 'key: value'")
            if match[1] in found:
                raise self.wrong(f"{match[1]!r} a second time")
            value = self.value(match.end(), indent, depth)
            if isinstance(value, dict):
                width = _indent(self.lines[self.saying(number + 1)])
                if inner not in (None, width):
                    raise self.wrong("a mapping that is indented unlike the one before", number + 1)
                inner = width
            found[match[1]] = value
        self.check_end(indent)
        return found

    def sequence(self, indent: int, depth: int) -> list[Value]:
        found: list[Value] = []
        while self.next_indent() == indent and _is_item(self.lines[self.at], indent):
            line = self.lines[self.at]
            start = len(line) - len(line[indent + 1 :].lstrip(" "))
            if _KEY.match(line, start) or _is_item(line, start):
                self.lines[self.at] = " " * start + line[start:]
                found.append(self.nested(start, depth + 1))
            else:
                found.append(self.item(line[start:].rstrip(" "), indent))
        self.check_end(indent)
        return found

    def item(self, rest: str, indent: int) -> str:
        if not rest or rest[0] == "#":
            raise self.wrong("an item without a text: write it after '- '")
        return self.text(rest, indent)

    def value(self, start: int, indent: int, depth: int) -> Value:
        """What begins at a place of this line and belongs to the key at `indent`."""
        rest = self.lines[self.at][start:].rstrip(" ")
        if rest and rest[0] != "#":
            return self.text(rest, indent)
        self.at += 1
        below = self.next_indent()
        # The list of a key may stand at the indentation of the key itself.
        beside = below == indent and _is_item(self.lines[self.at], indent)
        if below is None or not (below > indent or beside):
            return ""
        return self.nested(below, depth + 1)

    def nested(self, indent: int, depth: int) -> Value:
        if depth > MOST_DEPTH:
            raise self.wrong(f"more than {MOST_DEPTH} levels")
        if _is_item(self.lines[self.at], indent):
            return self.sequence(indent, depth)
        if _KEY.match(self.lines[self.at], indent):
            return self.mapping(indent, depth)
        raise self.wrong(
            "a text below its key: begin it on the line of the key, or write '>' there"
        )

    def text(self, rest: str, indent: int) -> str:
        first = rest[0]
        if first in "|>":
            return self.block(rest, indent)
        if first in _QUOTED:
            return self.quoted(rest, indent)
        if first in _NOT_PLAIN:
            raise self.wrong(_NOT_PLAIN[first])
        if first in ",]}%@`" or (first in "-?:" and rest[1:2] in ("", " ")):
            raise self.wrong(f"a text that begins with {first!r}: put it in quotes")
        text = self.plain(rest, indent)
        if text in _SPECIAL:  # to some readers these are no texts
            raise self.wrong(f"{text!r} as a text: put it in quotes", self.at - 1)
        return text

    def plain(self, rest: str, indent: int) -> str:
        parts = [self.plain_line(rest)]
        self.at += 1
        for line in self.further(indent):
            commented = "#" in (line[:1], rest[len(parts[-1]) :].lstrip(" ")[:1])
            if commented or _is_item(line, 0):
                raise self.wrong("a text of several lines: put it in quotes or begin it with '>'")
            rest = line
            parts.append(self.plain_line(line))
        return _folded(parts)

    def plain_line(self, line: str) -> str:
        text = line.partition(" #")[0].rstrip(" ")
        if ": " in text or text.endswith(":"):
            raise self.wrong("': ' inside a text: put the text in quotes")
        return text

    def quoted(self, rest: str, indent: int) -> str:
        quote, number, parts = rest[0], self.at, [rest[1:]]
        closed = _QUOTED[quote].match(parts[0])
        self.at += 1
        further = self.further(indent)
        while closed is None:
            if (line := next(further, None)) is None:
                raise self.wrong(f"a text without its closing {quote}", number)
            parts.append(line)
            closed = _QUOTED[quote].match(line)
        after = closed.string[closed.end() :]
        if after.strip(" ") and not after.lstrip(" ").startswith("#"):
            raise self.wrong(f"something after the closing {quote}", number)
        # Spaces around a line break are no part of the text; those before the quote are.
        whole = _folded([*(part.rstrip(" ") for part in parts[:-1]), closed[1]])
        if quote == "'":
            return whole.replace("''", "'")
        return _ESCAPE.sub(lambda match: self.unescaped(match[1], number), whole)

    def unescaped(self, code: str, number: int) -> str:
        if code in _ESCAPED:
            return _ESCAPED[code]
        point = int(code[1:] or "0", 16) if code[0] in "xuU" else 0
        if not 0 < point <= 0x10FFFF or _UNSEEN.match(chr(point)):
            raise self.wrong(f"'\\{code}', which cannot stand here: leave it out", number)
        return chr(point)

    def block(self, rest: str, indent: int) -> str:
        if not (header := _BLOCK.match(rest)):
            raise self.wrong(f"{rest!r}: write '|' or '>', with '-' at most, and the text below it")
        folds, strips = header[1] == ">", header[2] == "-"
        self.at += 1
        start = next((n for n in range(self.at, len(self.lines)) if self.lines[n].strip(" ")), 0)
        width = _indent(self.lines[start])
        if not start or width <= indent:
            return ""
        if any(len(line) > width for line in self.lines[self.at : start]):
            raise self.wrong("an empty line that is indented more than the text after it")
        pieces: list[str] = []
        before, breaks = "", 0
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line[:width].strip(" "):
                break
            self.at += 1
            if not (line := line[width:]):
                breaks += 1
                continue
            if not before:
                pieces.append("\n" * breaks)
            elif folds and before[0] != " " and line[0] != " ":
                pieces.append("\n" * breaks or " ")
            else:
                pieces.append("\n" * (breaks + 1))
            pieces.append(line)
            before, breaks = line, 0
        return "".join(pieces) + ("" if strips else "\n")

    def further(self, indent: int) -> Iterator[str]:
        """The lines with which a text goes on, empty ones among them as ""."""
        while True:
            at = self.at
            while at < len(self.lines) and not self.lines[at].strip(" "):
                at += 1
            if at == len(self.lines) or _indent(self.lines[at]) <= indent:
                return
            yield from [""] * (at - self.at)
            self.at = at + 1
            yield self.lines[at].lstrip(" ")

    def next_indent(self) -> int | None:
        """How far the next line is indented that says something; None: there is none."""
        self.at = self.saying(self.at)
        return _indent(self.lines[self.at]) if self.at < len(self.lines) else None

    def saying(self, at: int) -> int:
        while at < len(self.lines) and self.lines[at].lstrip(" ")[:1] in ("", "#"):
            at += 1
        return at

    def check_end(self, indent: int) -> None:
        after = self.next_indent()
        if after is not None and after > indent:
            raise self.wrong("a line that is indented unlike those before")

    def wrong(self, what: str, number: int | None = None) -> FrontmatterError:
        return FrontmatterError(f"Line {(self.at if number is None else number) + 1} has {what}.")


def _unseen(letter: str) -> str:
    if letter == "\t":
        return "a tab: use spaces"
    return f"the character U+{ord(letter):04X}, which cannot be seen: remove it"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _is_item(line: str, at: int) -> bool:
    return line[at : at + 1] == "-" and line[at + 1 : at + 2] in ("", " ")


def _folded(parts: Sequence[str]) -> str:
    """Lines as one text: a line break is a space, and each empty line between two a line break."""
    text, breaks = [parts[0]], 0
    for part in parts[1:-1]:
        if part:
            text += ["\n" * breaks or " ", part]
            breaks = 0
        else:
            breaks += 1
    return "".join([*text, "\n" * breaks or " ", parts[-1]]) if len(parts) > 1 else parts[0]
