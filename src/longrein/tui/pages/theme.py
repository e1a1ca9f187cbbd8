"""`/theme`: colours, seen while one goes through them."""

from collections.abc import Sequence

from longrein.tui.around import app_of
from longrein.tui.pages.picker import Picker
from longrein.tui.view.rows import Row

OWN = "longrein-"


class ThemePage(Picker[str]):
    """The themes; ends with the name of the one chosen, which is in use already."""

    def __init__(self, current: str) -> None:
        super().__init__("Theme", "Enter keep", empty="There are no themes.")
        self._before = current

    async def load(self) -> Sequence[Row]:
        themes = app_of(self).available_themes
        ordered = sorted(themes, key=lambda name: (not name.startswith(OWN), name))
        return [
            Row(name, name, "dark" if themes[name].dark else "light", current=name == self._before)
            for name in ordered
        ]

    def at(self, row: Row | None) -> None:
        if row is not None and self.is_current:
            app_of(self).theme = row.key

    def choose(self, row: Row) -> None:
        app_of(self).theme = row.key
        self.end(row.key)

    def action_close(self) -> None:
        app_of(self).theme = self._before
        super().action_close()
