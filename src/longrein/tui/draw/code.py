"""Code in colours, in pieces that never change once they are complete."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
from rich.style import Style
from textual.strip import Strip

from longrein.tui.draw.lines import Span, breaks_hard, strip
from longrein.tui.look import Look

FEWEST, MOST = 16, 48
"""Lines of a piece: one ends at a line that begins anew behind a blank one, or when it is full."""

LONGEST, LONGEST_LINE = 3_000, 300
"""Characters of a piece, and of each of its lines, that are coloured: lexers take a time that is
quadratic in what they find no end of."""

_LANGUAGES = frozenset(
    "bash c c# c++ clojure cmake console cpp csharp css dart diff docker dockerfile elixir erlang"
    " go golang graphql haskell hcl html http ini java javascript js json jsx julia kotlin latex"
    " less lua make makefile markdown md nginx nix objective-c perl php powershell protobuf py"
    " python python3 r ruby rb rs rust scala scss sh shell sql swift terraform tex toml ts tsx"
    " typescript vim vue xml yaml yml zig zsh".split()
)
"""Those that were tried with code that is none."""


def code(lines: Sequence[str], language: str, width: int, look: Look) -> list[Strip]:
    """Lines of code, harmless already, in the colours of the language where it is known."""
    drawn, piece = list[Strip](), list[str]()
    for line in lines:
        if complete(piece, line):
            drawn += code_piece(piece, language, width, look)
            piece = []
        piece.append(line)
    return [*drawn, *code_piece(piece, language, width, look)]


def complete(piece: Sequence[str], following: str) -> bool:
    """Whether a piece ends before this line. Pieces are coloured each by itself."""
    if len(piece) >= MOST or sum(map(len, piece)) >= LONGEST:
        return True
    return len(piece) >= FEWEST and not piece[-1].strip() and following[:1].strip() != ""


def code_piece(piece: Sequence[str], language: str, width: int, look: Look) -> list[Strip]:
    """One piece. Lines that are too long go on below, so that nothing is out of sight."""
    return [
        row for spans in _coloured(tuple(piece), language, look) for row in filled(spans, width)
    ]


def filled(spans: Sequence[Span], width: int) -> list[Strip]:
    """The spans on lines that are filled to their ends, as code wants it."""
    text = "".join(part for part, _ in spans)
    if len(text) <= width and text.isascii():
        return [strip(spans)]
    rows, at = list[Strip](), 0
    left = list(spans)[::-1]
    for _, stop in breaks_hard(text, width):
        row = list[Span]()
        while left and at < stop:
            part, style = left.pop()
            if len(part) > stop - at:
                left.append((part[stop - at :], style))
                part = part[: stop - at]
            row.append((part, style))
            at += len(part)
        rows.append(strip(row))
    return rows


@lru_cache(256)  # another width, an opened entry: the same code again
def _coloured(piece: tuple[str, ...], language: str, look: Look) -> Sequence[Sequence[Span]]:
    text = "\n".join(piece)
    short = len(text) <= LONGEST and max(map(len, piece), default=0) <= LONGEST_LINE
    lexer = _lexer(language.lower()) if short else None
    if lexer is None:
        return [[(line, look.text)] for line in piece]
    lines = list[list[Span]]([[]])
    for kind, value in lexer.get_tokens(text):
        style = _role(kind)(look)
        for n, part in enumerate(value.split("\n")):
            if n:
                lines.append([])
            if part and lines[-1] and _joined(lines[-1][-1][0], part):
                before, style = lines[-1].pop()
                part = before + part
            if part:
                lines[-1].append((part, style))
    lines = lines[: len(piece)]
    told = tuple("".join(part for part, _ in line) for line in lines)
    # A lexer that loses or changes something must not decide what is read.
    return lines if told == piece else [[(line, look.text)] for line in piece]


def _joined(before: str, after: str) -> bool:
    """Whether two parts are one sign on the screen, which can have only one style."""
    return before[-1] == "\u200d" or after[0] in "\u200d\ufe0f"


@lru_cache(64)
def _lexer(language: str) -> Lexer | None:
    return get_lexer_by_name(language, stripnl=False) if language in _LANGUAGES else None


@lru_cache(256)
def _role(kind: object) -> Callable[[Look], Style]:
    """Which style of a look a kind of token has; kinds begin with those that they are kinds of."""
    name = str(kind)
    return next((role for start, role in _ROLES if name.startswith(start)), attrgetter("text"))


_ROLES: Sequence[tuple[str, Callable[[Look], Style]]] = (
    ("Token.Comment.Preproc", attrgetter("keyword")),
    ("Token.Comment", attrgetter("comment")),
    ("Token.Keyword", attrgetter("keyword")),
    ("Token.Operator.Word", attrgetter("keyword")),
    ("Token.Literal.String", attrgetter("string")),
    ("Token.Literal.Number", attrgetter("number")),
    ("Token.Name.Function", attrgetter("name")),
    ("Token.Name.Class", attrgetter("name")),
    ("Token.Name.Decorator", attrgetter("name")),
    ("Token.Name.Tag", attrgetter("keyword")),
    ("Token.Name.Attribute", attrgetter("name")),
    ("Token.Name.Builtin", attrgetter("name")),
    ("Token.Generic.Inserted", attrgetter("diff_add")),
    ("Token.Generic.Deleted", attrgetter("diff_del")),
    ("Token.Generic.Subheading", attrgetter("diff_hunk")),
    ("Token.Generic.Heading", attrgetter("strong")),
)
