"""What stands on the screen of an app, as text."""

from typing import Any

from textual.app import App


def lines(app: App[Any]) -> list[str]:
    """The lines of the screen from top to bottom, without the blanks at their ends."""
    compositor = app.screen._compositor  # pyright: ignore[reportPrivateUsage]
    return [strip.text.rstrip() for strip in compositor.render_strips()]


def shown(app: App[Any]) -> str:
    """The screen as one text, without the blank lines at its end."""
    return "\n".join(lines(app)).rstrip("\n")
