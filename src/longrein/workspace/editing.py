"""Exact replacements in the bytes of a text file, all or none. Pure.

What is not replaced stays as it is, byte for byte: byte order mark, encoding, line ends, the end of
the file. Text is compared with its line ends as `\\n`; what is put in gets the line ends of the
place where it goes.

A text that is found nowhere is looked for once more with spaces at the ends of lines ignored; if
whole lines fit in exactly one place, these are replaced, and a note says so. Nothing else is
guessed.
"""

import codecs
import re
from bisect import bisect_left
from collections.abc import Sequence
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import islice

from msgspec import Struct

from longrein.core.errors import LongreinError

HEAD = 8_000
"""Bytes at the start of a file that tell whether it is text: text has no NUL."""

MOST_LINES_TOLD = 20
_LOOKED_AT = 1_000_000
"""Characters of a file that are looked through for what may have been meant."""
_COMPARED = 400
_CANDIDATES = 5
_ALIKE = 0.5
_SHOWN_LINES, _SHOWN_WIDTH = 12, 200

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NUMBERED = re.compile(r"^ *\d+\t", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_WORD = re.compile(r"\w+")
_TYPED = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014\u00a0", "''\"\"-- ")
"""What is typed for quotes, dashes and spaces that print has."""


class EditProblem(LongreinError):
    """Why nothing was replaced, in words for a model."""


class Replacement(Struct, frozen=True):
    """One text for another; for every place where it is, if `all`."""

    old: str
    new: str
    all: bool = False


class Edited(Struct, frozen=True):
    """What a file becomes, how many places were replaced, and what has to be said about it."""

    data: bytes
    places: int
    notes: tuple[str, ...] = ()


class Written(Struct, frozen=True):
    """A text, and how it is written as bytes."""

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""

    def encoded(self, text: str) -> bytes:
        """Another text, written in the same way. Raises `EditProblem` for what cannot be."""
        try:
            return self.mark + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            letter = text[error.start]
            raise EditProblem(
                f"The file is written in {self.encoding}, which has no {letter!r} "
                f"(U+{ord(letter):04X}). Leave that character out, or write the whole file anew."
            ) from None


def read_text(data: bytes) -> Written | None:
    """The text in some bytes; None for what is no text.

    By its byte order mark it is UTF-8 or UTF-16, else UTF-8, and where it cannot be that, Latin-1.

    >>> read_text(b"caf\\xe9"), read_text(b"\\0")
    (Written(text='café', encoding='latin-1', mark=b''), None)
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return Written(data[len(mark) :].decode(encoding), encoding, mark)
            except UnicodeDecodeError:
                break
    if b"\0" in data[:HEAD]:
        return None
    try:
        return Written(data.decode())
    except UnicodeDecodeError:
        return Written(data.decode("latin-1"), "latin-1")


def edit(data: bytes, replacements: Sequence[Replacement]) -> Edited:
    """The bytes after all replacements, each made in what those before it left.

    Raises `EditProblem`, saying which one cannot be made, why, and what is there instead.

    >>> edit(b"one\\r\\ntwo\\r\\n", [Replacement("one\\ntwo", "1\\n2")]).data
    b'1\\r\\n2\\r\\n'
    """
    written = read_text(data)
    if written is None:
        raise EditProblem("This is no text file. Nothing was changed.")
    if not replacements:
        raise EditProblem("There is nothing to replace: give at least one edit.")
    text, after, places, notes = written.text, data, 0, list[str]()
    for number, one in enumerate(replacements, 1):
        which = f"Edit {number} of {len(replacements)}: " if len(replacements) > 1 else ""
        try:
            spans, note = _spans(text, one)
            text = _replaced(text, spans, one.new)
            after = written.encoded(text)
        except EditProblem as problem:
            text = str(problem)
            space = "" if text.endswith("\n") else " "
            raise EditProblem(f"{which}{text}{space}Nothing was changed.") from None
        places += len(spans)
        notes += [which + note] if note else []
    if after == data:
        raise EditProblem("The edits undo each other: the file would stay as it is.")
    return Edited(after, places, tuple(notes))


def like(before: bytes, text: str) -> bytes:
    """A whole new text for a file, written as its old one was.

    A byte order mark and the encoding stay, the latter if it can hold the text. `\\n` becomes
    `\\r\\n` where every line of the old text ended so, unless the new text has some of its own.

    >>> like(b"a\\r\\nb\\r\\n", "c\\nd\\n")
    b'c\\r\\nd\\r\\n'
    """
    written = read_text(before)
    if written is None:
        return text.encode()
    if "\r\n" not in text and ends_in_crlf(written.text):
        text = text.replace("\n", "\r\n")
    if written.mark:
        text = text.removeprefix("\ufeff")
    try:
        return written.encoded(text)
    except EditProblem:
        return text.encode()


def ends_in_crlf(text: str) -> bool:
    """Whether every line that ends does so with `\\r\\n`; False where none ends."""
    ends = text.count("\n")
    return ends > 0 and text.count("\r\n") == ends


def _spans(text: str, one: Replacement) -> tuple[list[tuple[int, int]], str]:
    """Where the old text stands, and what has to be said about how it was found."""
    old, new = _plain(one.old), _plain(one.new)
    if old == new:
        raise EditProblem("The old and the new text are the same; there is nothing to do.")
    if not old:
        if not text:
            return [(0, 0)], ""
        raise EditProblem("The old text is empty. Give the text that is to be replaced.")
    normal, cuts = _normal(text)
    found, note = _all(normal, old), ""
    if not found:
        found, note = _but_for_spaces(normal, old)
    if not found:
        raise EditProblem(_not_found(normal, old))
    if len(found) > 1 and not one.all:
        raise EditProblem(_several(normal, [start for start, _ in found]))
    return [
        (start + bisect_left(cuts, start), stop + bisect_left(cuts, stop)) for start, stop in found
    ], note


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _normal(text: str) -> tuple[str, list[int]]:
    """The text with `\\n` at the ends of lines, and where in it a `\\r` was left out."""
    if "\r\n" not in text:
        return text, []
    cuts = [found.start() - n for n, found in enumerate(re.finditer("\r\n", text))]
    return _plain(text), cuts


def _all(text: str, old: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = text.find(old)
    while at >= 0:
        found.append((at, at + len(old)))
        at = text.find(old, at + len(old))
    return found


def _but_for_spaces(text: str, old: str) -> tuple[list[tuple[int, int]], str]:
    """The one place whose lines differ from the text only in spaces at their ends."""
    lines = [re.escape(line.rstrip(" \t")) for line in old.split("\n")]
    if not any(lines):
        return [], ""
    end = r"[ \t]*$" if lines[-1] else ""
    found = re.finditer("^" + r"[ \t]*\n".join(lines) + end, text, re.MULTILINE)
    spans = [one.span() for one, _ in zip(found, range(2), strict=False)]
    if len(spans) != 1:
        return [], ""
    note = (
        f"spaces at the ends of lines were ignored to find it, at line {_line(text, spans[0][0])}"
    )
    return spans, note


def _replaced(text: str, spans: Sequence[tuple[int, int]], new: str) -> str:
    new, pieces, at = _plain(new), list[str](), 0
    for start, stop in spans:
        pieces.append(text[at:start])
        pieces.append(new if "\n" not in new else new.replace("\n", _end_at(text, start, stop)))
        at = stop
    return "".join((*pieces, text[at:]))


def _end_at(text: str, start: int, stop: int) -> str:
    """How lines end where something is replaced: in it, else after it, else before it."""
    end = text.find("\n", start, stop)
    end = text.find("\n", stop) if end < 0 else end
    end = text.rfind("\n", 0, start) if end < 0 else end
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _several(text: str, starts: Sequence[int]) -> str:
    told = ", ".join(str(_line(text, start)) for start in starts[:MOST_LINES_TOLD])
    more = ", ..." if len(starts) > MOST_LINES_TOLD else ""
    return (
        f"The old text is there {len(starts):,} times (lines {told}{more}). Give more lines around "
        "the one that you mean, or say that all are meant (replace_all)."
    )


def _not_found(text: str, old: str) -> str:
    """Why it is not there, where that can be told, and what is there instead."""
    bare = _NUMBERED.sub("", old)
    if bare != old and text.count(bare) == 1:
        line = _line(text, text.index(bare))
        return f"The old text is at line {line}, but without line numbers. Leave these out."
    real = old.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
    if real != old and text.count(real) == 1:
        line = _line(text, text.index(real))
        return (
            f"The old text is at line {line}, but with real line ends, tabs and quotes. Leave out "
            "the backslashes before n, t and quotes: they are not in the file."
        )
    plain, wanted = text.translate(_TYPED), old.translate(_TYPED)
    if plain.count(wanted) == 1:
        found = _shown(text, _line(text, plain.index(wanted)), old.count("\n") + 1)
        return (
            "The old text is there only with other quotes, dashes or spaces (typed ones, or those "
            f"of print such as \u201c \u2019 \u2013). Copy these:\n{found}\n"
        )
    if told := _indented_otherwise(text, old):
        return told
    if near := nearest(text, old):
        return f"The old text is not in the file. The nearest lines are:\n{near}\n"
    return "The old text is not in the file, nor anything like it. Read the file again."


def _indented_otherwise(text: str, old: str) -> str:
    """Where whole lines differ only in how they are indented; "" if in none or several places."""
    lines = [line.strip(" \t") for line in old.strip("\n").split("\n")]
    if not any(lines):
        return ""
    wanted = r"[ \t]*+\n".join(rf"[ \t]*+{re.escape(line)}" for line in lines)
    spans = [one.span() for one in islice(re.finditer(f"^{wanted}", text, re.MULTILINE), 2)]
    if len(spans) != 1:
        return ""
    start, stop = spans[0]
    kinds = {one for indent in _INDENT.findall(text, start, stop) for one in indent}
    by = " and ".join(name for one, name in (("\t", "tabs"), (" ", "spaces")) if one in kinds)
    return (
        f"The old text is there, but its lines are indented otherwise ({by or 'not at all'}). "
        f"Copy them as they are:\n{_shown(text, _line(text, start), len(lines))}\n"
    )


def _shown(text: str, first: int, count: int) -> str:
    """Lines of a text with their numbers, a few at most."""
    lines = text.split("\n")[first - 1 : first - 1 + min(count, _SHOWN_LINES)]
    return "\n".join(f"{number}\t{it[:_SHOWN_WIDTH]}" for number, it in enumerate(lines, first))


def nearest(text: str, old: str) -> str:
    """The lines that are most like some text, with their numbers; "" where none are.

    Looks at the first million characters, and closely only at a few places.

    >>> nearest("def add(a, b):\\n    return a + b\\n", "return a+b")
    '2\\t    return a + b'
    """
    lines, wanted = text[:_LOOKED_AT].split("\n"), old.strip("\n").split("\n")[:_SHOWN_LINES]
    place, telling = max(enumerate(wanted), key=lambda one: len(one[1].strip()))
    words = set(_WORD.findall(telling[:_COMPARED]))

    def shared(number: int) -> float:
        found = set(_WORD.findall(lines[number][:_COMPARED]))
        return len(words & found) / (len(words | found) or 1)

    likely = nlargest(_CANDIDATES, range(len(lines)), key=shared)
    starts = {max(number - place, 0) for number in likely if shared(number) > 0}
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2("\n".join(wanted)[:_COMPARED])
    best, start = 0.0, 0
    for one in sorted(starts):
        matcher.set_seq1("\n".join(lines[one : one + len(wanted)])[:_COMPARED])
        best, start = max((best, start), (matcher.ratio(), one), key=lambda found: found[0])
    if best < _ALIKE:
        return ""
    return _shown(text, start + 1, len(wanted))
