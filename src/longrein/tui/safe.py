"""The last line before the terminal: whatever was drawn, it controls nothing."""

import re

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from longrein.core.visible import visible

_LINE_CONTROLS = str.maketrans({"\n": "\\x0a", "\t": " "})
_LEADS_OUT = re.compile(r"\b(link|open_url)\b")
"""Actions that open an address outside of the app."""


class Harmless(LineFilter):
    """Writes out control characters in what widgets draw, and drops links.

    Whoever draws makes texts harmless where their width is measured; here only what slipped through
    is caught. A line that grows by it is cut to the width that it said it has.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments, where they are harmless."""
        safe = [_harmless(segment) for segment in segments]
        if all(now is was for now, was in zip(safe, segments, strict=True)):
            return segments
        width = Segment.get_line_length(segments)
        return Segment.adjust_line_length(safe, width, pad=False)


def _harmless(segment: Segment) -> Segment:
    text, style, control = segment
    if control:
        return segment
    shown = visible(text).translate(_LINE_CONTROLS)
    plain = _unlinked(style)
    return segment if shown == text and plain is style else Segment(shown, plain)


def _unlinked(style: Style | None) -> Style | None:
    if style is None or not (style.link or style.meta):
        return style
    if style.link:
        style = style.update_link(None)
    acts = (str(value) for key, value in style.meta.items() if key.startswith("@"))
    return style.clear_meta_and_links() if any(map(_LEADS_OUT.search, acts)) else style
