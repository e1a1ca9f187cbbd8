"""What was said before, walked through from the editor and back to the draft."""

from collections.abc import Sequence

from longrein.tui.view.history import Walk, each_once
from longrein.tui.writing.draft import Draft, recalled


class EditorHistory:
    """What was given here, then what the thread knows; the draft stands at the near end."""

    def __init__(self) -> None:
        self._given: tuple[str, ...] = ()
        self._walk = Walk(())
        self._draft = Draft()
        self._here = ""

    @property
    def walking(self) -> bool:
        """Whether something that was said before is shown, or was and has been changed."""
        return self._walk.text is not None

    def draft(self, now: Draft) -> Draft:
        """What is being written, also while something that was said before stands there."""
        return self._draft if self.walking and now.text == self._here else now

    def add(self, text: str) -> None:
        """Remember what was given now; commands too, of which no thread knows."""
        self._given = each_once((text,), self._given)
        self._walk = Walk(())

    def all(self, said: Sequence[str]) -> tuple[str, ...]:
        """Everything that can be looked back at, the newest first."""
        return each_once(self._given, said)

    def step(self, by: int, now: Draft, said: Sequence[str]) -> Draft | None:
        """The draft so many steps further back, from what is written now; None: there is none.

        What was changed since the last step is a new draft, to which the walk leads back.
        """
        if not self.walking or now.text != self._here:
            self._walk, self._draft = Walk(self.all(said)), now
        walk = self._walk.by(by)
        if walk == self._walk:
            return None
        self._walk = walk
        draft = self._draft if walk.text is None else recalled(walk.text)
        self._here = draft.text
        return draft
