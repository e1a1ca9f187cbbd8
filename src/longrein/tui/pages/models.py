"""`/model`: the models that can be used, and how hard the one chosen should think."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from longrein.client.port import Client
from longrein.core.commands import SwitchModel
from longrein.tui.attempt import tell
from longrein.tui.draw.paper import on_paper
from longrein.tui.pages.picker import Picker
from longrein.tui.view.models import (
    CONFIGURED,
    EFFORTS,
    effort_line,
    is_nameless,
    model_rows,
    unlisted,
    why_not,
)
from longrein.tui.view.rows import Row

if TYPE_CHECKING:
    from longrein.client.port import ModelInfo


class ModelsPage(Picker[SwitchModel]):
    """Every model by its provider; ends with the switch to the one chosen."""

    DEFAULT_CSS = """
    ModelsPage .effort { height: 1; width: 1fr; margin-top: 1; padding: 0 2; }
    ModelsPage.-low .effort { margin-top: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "effort(-1)", show=False, priority=True),
        Binding("right", "effort(1)", show=False, priority=True),
    ]

    def __init__(self, client: Client, model: str, effort: str) -> None:
        super().__init__("Model", "Enter use · Left Right effort", empty="No model is known here.")
        self._client = client
        self._model = model
        self._effort = effort if effort in EFFORTS else ""
        self._models: dict[str, ModelInfo] = {}

    def body(self) -> ComposeResult:
        yield from super().body()
        yield Static(on_paper(effort_line(self._effort)), classes="effort")

    async def load(self) -> Sequence[Row]:
        models = await self._client.models()
        self._models = {one.name: one for one in models}
        return model_rows(models, self._model)

    def fitting(self, text: str) -> Sequence[Row]:
        return [*super().fitting(text), *unlisted(text, {*self._models, self._model})]

    def choose(self, row: Row) -> None:
        known = self._models.get(row.key)
        if known is None or known.usable:
            self.end(SwitchModel("" if row.key == CONFIGURED else row.key, self._effort))
        elif is_nameless(known):
            self.seek(known.name)
        else:
            tell(self, why_not(known), "warning")

    def action_effort(self, by: int) -> None:
        """Ask for more thinking, or less."""
        at = EFFORTS.index(self._effort) + by
        self._effort = EFFORTS[max(0, min(at, len(EFFORTS) - 1))]
        self.query_one(".effort", Static).update(on_paper(effort_line(self._effort)))
