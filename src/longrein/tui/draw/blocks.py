"""Blocks of Markdown as lines: the parser, the units that a text is made of, and how each looks."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import table as read_table
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token
from rich.style import Style
from textual.strip import Strip

from longrein.tui.draw.code import code
from longrein.tui.draw.inline import inline
from longrein.tui.draw.lines import PROSE, Span, indented, room, said, said_lines, strip, wrapped
from longrein.tui.draw.table import Align, Cell, Table, table
from longrein.tui.look import Look

DEEPEST = 16
"""Nesting that is drawn as such; the parser would leave out what is deeper."""

LONGEST_LABEL = 24
INDENT = "  "

MOST_COLUMNS = 64
"""A table with more of them is shown as it was written."""


def _bounded_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if start + 1 < end:
        rule = state.src[state.bMarks[start + 1] : state.eMarks[start + 1]]
        if rule.count("|") > MOST_COLUMNS:
            return False
    return read_table(state, start, end, silent)


def _parser() -> MarkdownIt:
    """Links by reference stay as they were written: an address that comes later would change what
    was read already. HTML is shown, never meant."""
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST})
    made.enable(["table", "strikethrough"]).disable("reference")
    made.block.ruler.at("table", _bounded_table, {"alt": ["paragraph", "reference"]})
    return made


PARSER = _parser()

_APART = frozenset({"heading_open", "fence", "code_block", "table_open", "hr"})
"""Blocks with a blank line around them, however they were written."""

_PROSE = frozenset(
    {"paragraph_open", "inline", "paragraph_close", "blockquote_open", "blockquote_close"}
)

_TASK = re.compile(r"\[([ xX])\](?=[ \n]|$)")


@dataclass(frozen=True, slots=True)
class Unit:
    """A block, or one item of a list, with its tokens and its lines in the source."""

    tokens: Sequence[Token]
    start: int
    end: int

    @property
    def kind(self) -> str:
        return self.tokens[0].type


@dataclass(frozen=True, slots=True)
class Above:
    """What stands above a unit: the kind of the one before, and whether a blank line is between."""

    kind: str = ""
    blank: bool = False

    def apart(self, unit: Unit) -> bool:
        """Whether the unit is drawn with a blank line above it."""
        if not self.kind or self.blank:
            return self.blank
        if self.kind == unit.kind == "hr":
            return False
        return unit.kind in _APART or self.kind in _APART - {"heading_open"}


TOP = Above()


def units(text: str) -> list[Unit]:
    """The units of a text in which every control character is written out."""
    tokens = list[Token]()
    PARSER.block.parse(text, PARSER, {}, tokens)
    return list(_units(tokens))


def draw_units(
    found: Sequence[Unit], source: Sequence[str], width: int, look: Look, above: Above = TOP
) -> list[Strip]:
    """The lines of units that follow each other; `source` are the lines that they are made from."""
    lines = list[Strip]()
    for number, unit in enumerate(found):
        if above.apart(unit):
            lines.append(strip([]))
        lines += draw_unit(unit, source, width, look)
        above = below(found, number)
    return lines


def below(found: Sequence[Unit], number: int) -> Above:
    """What the unit behind this one has above it."""
    unit, following = found[number], found[number + 1 : number + 2]
    return Above(unit.kind, any(one.start > unit.end for one in following))


def draw_unit(unit: Unit, source: Sequence[str], width: int, look: Look) -> list[Strip]:
    """The lines of one unit."""
    first = unit.tokens[0]
    if any(token.level >= DEEPEST - 1 for token in unit.tokens):
        return plain("\n".join(source[slice(*first.map or ())]), width, look)
    match first.type:
        case "heading_open":
            style = look.heading if first.tag in ("h1", "h2") else look.strong
            return _paragraph(unit.tokens[1], width, look, style)
        case "hr":
            return [strip([("─" * min(width, 24), look.dim)])]
        case "fence" | "code_block":
            return [*label(first, width, look), *_code(first, width, look)]
        case "table_open":
            return table(table_of(unit.tokens, source, look), width, look)
        case "blockquote_open":
            bar, left = room((("│ ", look.dim),), width)
            return indented(draw_units(_inner(unit), source, left, look), bar)
        case "list_item_open":
            return _item(unit, source, width, look)
        case _:
            return _paragraph(unit.tokens[1], width, look, look.text)


def is_prose(unit: Unit) -> bool:
    """Whether a unit is a paragraph, or quotes some: its lines look the same without each other."""
    return all(token.type in _PROSE for token in unit.tokens)


def language(token: Token) -> str:
    """The name of the language of a block of code, as far as it is told."""
    return (token.info.split() or [""])[0][:LONGEST_LABEL]


def label(token: Token, width: int, look: Look) -> list[Strip]:
    """What was written behind the fence, above its code: the language, and what else there is."""
    words = " ".join(token.info.split())
    return wrapped([said(words, look.dim)], width) if words else []


def plain(text: str, width: int, look: Look) -> list[Strip]:
    """A text as it was written."""
    return [row for line in said_lines(text) for row in wrapped([(line, look.text)], width)]


def _units(tokens: Sequence[Token]) -> Iterator[Unit]:
    """The blocks of one level, lists in their items."""
    at = 0
    while at < len(tokens):
        if tokens[at].nesting < 0 or tokens[at].type in ("bullet_list_open", "ordered_list_open"):
            at += 1
            continue
        stop = _closing(tokens, at) + 1
        yield _unit(tokens[at:stop])
        at = stop


def _closing(tokens: Sequence[Token], at: int) -> int:
    level = tokens[at].level
    if tokens[at].nesting == 0:
        return at
    return next(n for n in range(at + 1, len(tokens)) if tokens[n].level == level)


def _unit(tokens: Sequence[Token]) -> Unit:
    """A unit ends with the last of its blocks: what the parser adds behind that are blank lines."""
    start = (tokens[0].map or [0, 0])[0]
    ends = (token.map[1] for token in tokens if token.map and token.type in _LEAVES)
    return Unit(tokens, start, max(ends, default=start + 1))


_LEAVES = frozenset({"paragraph_open", "heading_open", "fence", "code_block", "hr", "table_open"})


def _inner(unit: Unit) -> list[Unit]:
    return list(_units(unit.tokens[1:-1]))


def _paragraph(token: Token, width: int, look: Look, style: Style) -> list[Strip]:
    lines = inline(token.content, PARSER, look, style)
    return [row for spans in lines for row in wrapped(spans, min(width, PROSE))]


def _code(token: Token, width: int, look: Look) -> list[Strip]:
    indent, left = room(((INDENT, look.text),), width)
    return indented(code(said_lines(token.content), language(token), left, look), indent)


def _item(unit: Unit, source: Sequence[str], width: int, look: Look) -> list[Strip]:
    """An item behind its marks: its number, whether it is done, or a point."""
    head, inner = unit.tokens[0], _inner(unit)
    done = _done(inner[0]) if inner else None
    marks = list[Span]()
    if head.info:
        marks.append((f"{head.info}{head.markup} ", look.dim))
    if done is not None:
        marks.append(("✓ ", look.good) if done else ("○ ", look.dim))
        inner[0] = _without_box(inner[0])
    first, left = room(marks or (("• ", look.dim),), width)
    rest = ((" " * (width - left), look.text),) if first else ()
    return indented(draw_units(inner, source, left, look) or [strip([])], first, rest)


def _done(unit: Unit) -> bool | None:
    """Whether what an item of a list of tasks says is done; None for all other items."""
    found = _TASK.match(unit.tokens[1].content) if unit.kind == "paragraph_open" else None
    return None if found is None else found[1] != " "


def _without_box(unit: Unit) -> Unit:
    opened, text, *others = unit.tokens
    text = text.copy(content=_TASK.sub("", text.content, count=1).lstrip(" "))
    return Unit([opened, text, *others], unit.start, unit.end)


def table_of(tokens: Iterable[Token], source: Sequence[str], look: Look) -> Table:
    """What stands in a table; `source` are the lines that it is made from."""
    rows, aligns = list[tuple[Cell, ...]](), list[Align]()
    row = list[Cell]()
    line = ""
    for token in tokens:
        match token.type:
            case "th_open":
                aligns.append(_align(str(token.attrs.get("style", ""))))
            case "inline":
                lines = inline(token.content, PARSER, look, look.text)
                row.append([span for spans in lines for span in spans])
            case "tr_open":
                line = source[token.map[0]] if token.map else ""
            case "tr_close":
                if rows and (left := _surplus(line, len(aligns))):
                    row[-1] = [*row[-1], said(f" | {left}", look.text)]
                rows.append(tuple(row))
                row = []
            case _:
                pass
    return Table(tuple(aligns), tuple(rows))


def _surplus(line: str, columns: int) -> str:
    """What a row has behind the last column, which the parser leaves out."""
    cells = [cell.strip() for cell in escapedSplit(line.strip())]
    begin = 0 if cells[0].strip("> \t") else 1
    end = len(cells) - 1 if cells[-1] == "" else len(cells)
    return " | ".join(cells[begin + columns : end])


def _align(style: str) -> Align:
    return "right" if style.endswith("right") else "center" if style.endswith("center") else "left"
