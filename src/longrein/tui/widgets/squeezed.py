"""A layout for screens that are too low for all that is on them."""

from textual.geometry import Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.layouts.vertical import VerticalLayout
from textual.widget import Widget

UNLIMITED = 100_000
"""Rows of which there are always enough. With none, Textual leaves some limits out of account."""


class Squeezed(VerticalLayout):
    """From top to bottom. Where rows are missing, widgets with a `min-height` give theirs up, down
    to that, from the first on; all others stay as they are."""

    name = "squeezed"

    def get_content_height(
        self, widget: Widget, container: Size, viewport: Size, width: int
    ) -> int:
        return widget.arrange(Size(width, UNLIMITED)).total_region.height

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        placements = super().arrange(parent, children, size, greedy)
        in_line = [one for one in placements if not one.overlay]
        end = max((one.region.bottom + one.margin.bottom for one in in_line), default=0)
        return _shorter(placements, end - size.height) if end > size.height else placements


_LAYOUT = Squeezed()


class Squeezing:
    """A widget that is laid out so; styles know only the layouts of Textual."""

    @property
    def layout(self) -> Layout:
        return _LAYOUT


def _shorter(placements: ArrangeResult, missing: int) -> list[WidgetPlacement]:
    given, shorter = 0, list[WidgetPlacement]()
    for one in placements:
        gives = 0 if one.overlay else min(missing - given, _spare(one))
        moved = one.region.translate((0, -given))
        shorter.append(one._replace(region=moved._replace(height=moved.height - gives)))
        given += gives
    return shorter


def _spare(placement: WidgetPlacement) -> int:
    least = placement.widget.styles.min_height
    return 0 if least is None else max(placement.region.height - (least.cells or 0), 0)
