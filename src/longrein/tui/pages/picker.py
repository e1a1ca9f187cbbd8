"""A list to choose from, with a field: whoever types sees what fits."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import DescendantFocus
from textual.widgets import Input

from longrein.core.errors import LongreinError
from longrein.tui.attempt import attempt
from longrein.tui.pages.page import OUT, Page, R
from longrein.tui.view.rows import Row, fitting
from longrein.tui.widgets.hints import Hints
from longrein.tui.widgets.rows import Rows

LOADING = "Loading …"
NONE_FITS = "Nothing here fits what you typed."

_CTRL = re.compile(r"Ctrl(\+| with )")
"""What the keys of a list do not need once it has the focus."""


def action_keys(actions: Mapping[str, str]) -> list[BindingType]:
    """Bindings for actions by their letters: with Ctrl everywhere, alone where the list has the
    focus. Letters are typed into the field otherwise."""
    return [
        binding
        for letter, action in actions.items()
        for binding in (
            Binding(f"ctrl+{letter}", action, show=False, priority=True),
            Binding(letter, action, show=False),
        )
    ]


class Picker(Page[R]):
    """A page with rows to choose from. What is shown is loaded behind the first frame."""

    DEFAULT_CSS = """
    Picker .field {
        height: 1;
        padding: 0 2 !important;
        margin-bottom: 1;
        background: $panel;
    }
    Picker .field:blur { background: transparent; }
    Picker.-low .field { margin-bottom: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]

    def __init__(
        self,
        heading: str,
        hints: str,
        *,
        empty: str,
        field: str = "Type to filter",
    ) -> None:
        super().__init__(heading, hints)
        self.whole = True
        """Whether there are no more rows than those that were loaded."""
        self._empty = empty
        self._field = field
        self._rows: list[Row] = []
        self._loading = False

    async def load(self) -> Sequence[Row]:
        """The rows, or the first of them."""
        raise NotImplementedError

    async def more(self) -> Sequence[Row]:
        """The rows that follow, where `whole` is False."""
        return ()

    def choose(self, row: Row) -> None:
        """What becomes of a row that was chosen."""
        raise NotImplementedError

    def at(self, row: Row | None) -> None:
        """The cursor came to this row."""

    def typed(self, text: str) -> None:
        """Something was typed into the field."""
        self.display_rows(self.fitting(text))

    def fitting(self, text: str) -> Sequence[Row]:
        """The rows that fit what was typed."""
        return fitting(self._rows, text)

    def body(self) -> ComposeResult:
        yield Input(placeholder=self._field, compact=True, classes="field")
        yield Rows(LOADING)

    @property
    def listed(self) -> Rows:
        return self.query_one(Rows)

    @property
    def sought(self) -> str:
        """What stands in the field."""
        return self.query_one(".field", Input).value

    def seek(self, text: str) -> None:
        """Have this in the field, to go on with."""
        field = self.query_one(".field", Input)
        field.value, field.cursor_position = text, len(text)
        field.focus()

    def on_mount(self) -> None:
        self.reload()

    def reload(self, key: str | None = None) -> None:
        """Load all again, and stay where it is, or go to the row `key`."""
        attempt(self, self._reload(key))

    async def _reload(self, key: str | None) -> None:
        try:
            rows = await self.load()
        except LongreinError as error:
            if self.is_attached:
                self.listed.show((), str(error))
            return
        self.fill(rows, key)

    def fill(self, rows: Sequence[Row], key: str | None = None) -> None:
        """Show these rows, as far as they fit what is typed."""
        if not self.is_attached:
            return
        self._rows = list(rows)
        if key is None and self.listed.row is None:
            key = next((row.key for row in rows if row.current), None)
        self.display_rows(self.fitting(self.sought), key)

    def display_rows(self, rows: Sequence[Row], key: str | None = None) -> None:
        """Show these of the rows, and how many they are."""
        self.listed.show(rows, NONE_FITS if self.sought.strip() else self._empty, key=key)
        shown, every = (sum(not row.heading for row in some) for some in (rows, self._rows))
        more = "" if self.whole else "+"
        self.tell(f"{shown:,} of {every:,}{more}" if shown != every else f"{every:,}{more}")

    async def _extend(self) -> None:
        if self.whole or self._loading:
            return
        self._loading = True
        try:
            rows = await self.more()
        finally:
            self._loading = False
        if self.is_attached:
            self._rows += rows
            self.display_rows(self.fitting(self.sought))

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        in_list = event.widget is self.listed
        keys = _CTRL.sub("", self._hints) if in_list else self._hints
        self.query_one(Hints).show(f"{keys}{OUT}")

    def on_input_changed(self, event: Input.Changed) -> None:
        self.typed(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.listed.action_choose()

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        self.choose(event.row)

    def on_rows_moved(self, event: Rows.Moved) -> None:
        self.at(event.row)

    def on_rows_near_end(self, event: Rows.NearEnd) -> None:
        attempt(self, self._extend())

    def action_move(self, by: int) -> None:
        self.listed.action_move(by)

    def action_page(self, by: int) -> None:
        self.listed.action_page(by)
