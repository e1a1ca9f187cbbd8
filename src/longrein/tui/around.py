"""The app around a widget, and how it looks."""

from typing import Any

from textual.app import App
from textual.message_pump import MessagePump

from longrein.tui.look import Look, look_of


def app_of(node: MessagePump) -> App[Any]:
    """The app that shows a widget or a page. Textual's own `app` has a type nobody can check."""
    return node.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def look_for(node: MessagePump) -> Look:
    """The styles of the theme that is worn now; plain where there are no colours."""
    app = app_of(node)
    return look_of(app.current_theme, colours=not app.no_color)
