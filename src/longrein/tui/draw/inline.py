"""What stands inside a paragraph: emphasis, code, and links that say where they lead."""

import re
from collections.abc import Sequence
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.style import Style

from longrein.core.visible import visible
from longrein.tui.draw.lines import Span, said
from longrein.tui.look import Look

LONGEST = 8_000
"""Characters of one paragraph in which emphasis and links are looked for."""

_MARKED = re.compile(r"[\\`*_~\[\]<&]")
_BOLD, _ITALIC, _STRUCK = Style(bold=True), Style(italic=True), Style(strike=True)
_MARKS = {"strong_open": _BOLD, "em_open": _ITALIC, "s_open": _STRUCK}


def inline(text: str, parser: MarkdownIt, look: Look, style: Style) -> list[list[Span]]:
    """The lines of a paragraph as they were written, each in spans."""
    if len(text) > LONGEST or not _MARKED.search(text):
        lines = (line.strip(" \t") for line in text.split("\n"))
        return [[said(line, style)] if line else [] for line in lines]
    tokens = list[Token]()
    parser.inline.parse(text, parser, {}, tokens)
    return _Lines(look, style, parser).read(tokens)


class _Lines:
    """Spans gathered from tokens, line by line."""

    def __init__(self, look: Look, style: Style, parser: MarkdownIt) -> None:
        self._look, self._parser = look, parser
        self._styles = [style]
        self._links = list[tuple[str, str, int, int]]()
        """Where open links lead, their titles, and where their text begins: line and span."""
        self._lines = list[list[Span]]([[]])

    def read(self, tokens: Sequence[Token]) -> list[list[Span]]:
        for token in tokens:
            self._take(token)
        return self._lines

    def _take(self, token: Token) -> None:
        look = self._look
        match token.type:
            case "softbreak" | "hardbreak":
                self._lines.append([])
            case "code_inline":
                self._add(token.content, look.code)
            case "link_open":
                place = (len(self._lines) - 1, len(self._lines[-1]))
                self._links.append((_attribute(token, "href"), _attribute(token, "title"), *place))
                self._styles.append(self._styles[-1] + look.link)
            case "link_close":
                self._styles.pop()
                self._lead(*self._links.pop())
            case "image":
                self._add(f"[image: {token.content}]", look.text)
                self._address(_attribute(token, "src"), _attribute(token, "title"))
            case kind if kind in _MARKS:
                self._styles.append(self._styles[-1] + _MARKS[kind])
            case "strong_close" | "em_close" | "s_close":
                self._styles.pop()
            case _:
                self._add(token.content, self._styles[-1])

    def _add(self, text: str, style: Style) -> None:
        if text:
            self._lines[-1].append(said(text, style))

    def _lead(self, href: str, title: str, line: int, place: int) -> None:
        """Say where a link leads, where its text does not, and what its title says."""
        first, *others = self._lines[line:]
        text = "".join(part for spans in (first[place:], *others) for part, _ in spans)
        told = text in (href, visible(unquote(href)), href.removeprefix("mailto:"))
        self._address("" if told else href, title)

    def _address(self, href: str, title: str) -> None:
        """Say what a link has beside its text."""
        words = " ".join((*((href,) if href else ()), *((f'"{title}"',) if title else ())))
        if words:
            self._add(f" ({words})", self._look.dim)


def _attribute(token: Token, name: str) -> str:
    return str(token.attrs.get(name, ""))
