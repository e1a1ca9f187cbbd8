"""What settings files say about the terminal app."""

from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.core.preferences import Preferences

Notify: TypeAlias = Literal["bell", "desktop", "off"]
ReasoningView: TypeAlias = Literal["folded", "open", "hidden"]


class AppTable(Struct, frozen=True, omit_defaults=True):
    """As in `Preferences`. None, or empty, leaves what an earlier layer says."""

    theme: str = ""
    notify: Notify | None = None
    mouse: bool | None = None
    animations: bool | None = None
    timestamps: bool | None = None
    editor: str = ""
    reasoning: ReasoningView | None = None

    def preferences(self) -> Preferences:
        """All of it, with the defaults where nothing is said."""
        usual = Preferences()
        return Preferences(
            theme=self.theme or usual.theme,
            notify=self.notify or usual.notify,
            mouse=usual.mouse if self.mouse is None else self.mouse,
            animations=usual.animations if self.animations is None else self.animations,
            timestamps=usual.timestamps if self.timestamps is None else self.timestamps,
            editor=self.editor,
            reasoning=self.reasoning or usual.reasoning,
        )
