"""`/permissions`: what is allowed, asked about and denied; to take back and to ask about."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual.binding import BindingType

from longrein.client.port import ThreadClient
from longrein.core.commands import RemoveRule, RevokeGrant
from longrein.tui.around import app_of
from longrein.tui.attempt import attempt, tell
from longrein.tui.pages.explain import ExplainPage
from longrein.tui.pages.picker import Picker, action_keys
from longrein.tui.view.permissions import FIXED, GRANT, RULE, permission_rows
from longrein.tui.view.rows import Row

FIXED_WORDS = "This rule is from {source}: change it there."


class PermissionsPage(Picker[None]):
    """Grants and rules, to take back; Enter explains what would become of a call."""

    BINDINGS: ClassVar[list[BindingType]] = action_keys({"x": "revoke", "e": "explain"})

    def __init__(self, thread: ThreadClient, place: str = "") -> None:
        super().__init__(
            "Permissions",
            "Ctrl+X take back · Ctrl+E explain a call or a file",
            empty="There are no rules.",
        )
        self._client = thread
        self._place = place

    async def load(self) -> Sequence[Row]:
        client = self._client
        return permission_rows(
            await client.grants(),
            await client.rules(),
            await client.file_rules(),
            self._place,
            str(Path.home()),
        )

    def choose(self, row: Row) -> None:
        self.action_explain()

    def action_explain(self) -> None:
        """Ask what would become of a call."""
        app_of(self).push_screen(ExplainPage(self._client))

    def action_revoke(self) -> None:
        """Take a yes back, or remove a rule of the thread."""
        if row := self.listed.row:
            attempt(self, self._revoke(row))

    async def _revoke(self, row: Row) -> None:
        if row.key.startswith(GRANT):
            await self._client.submit(RevokeGrant(row.key.removeprefix(GRANT)))
            tell(self, "Taken back: you will be asked again.")
        elif row.key.startswith(RULE):
            await self._client.submit(RemoveRule(row.key.removeprefix(RULE)))
            tell(self, "The rule is removed.")
        elif row.key.startswith(FIXED):
            tell(self, FIXED_WORDS.format(source=row.cells[0]))
        self.reload()
