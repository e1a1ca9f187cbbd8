"""What stands where nothing was said yet: what one should know, and how to begin."""

from longrein._version import __version__
from longrein.client.port import About
from longrein.tui.view.tones import EMPTY, Line, line
from longrein.tui.widgets.reading import Reading

FIRST_KEYS = (
    ("Enter", "says it"),
    ("@", "names a file"),
    ("!", "runs your own command"),
    ("/", "has all commands"),
    ("Shift+Tab", "changes the mode"),
)


class Welcome(Reading):
    """Takes the place of a conversation that is still empty, and scrolls as it does."""

    DEFAULT_CSS = """
    Welcome {
        padding: 1 2;
        display: none;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
    }
    Welcome.-shown { display: block; }
    """

    def greet(self, about: About | None) -> None:
        """Show it, or nothing more of it once there is a conversation."""
        self.set_class(about is not None, "-shown")
        if about is not None:
            self.show(_words(about))

    def page(self, pages: int) -> bool:
        """Scroll by so many windows, less a line; whether it is there to be scrolled."""
        self.scroll_relative(y=pages * max(self.size.height - 1, 1), animate=False)
        return self.display


def _words(about: About) -> list[Line]:
    lines: list[Line] = [(("Longrein", "accent"), (f"  {__version__}", "dim")), EMPTY]
    for notice in about.notices:
        lines += [*(line(one, "prose") for one in notice.split("\n")), EMPTY]
    wide = max(len(key) for key, _ in FIRST_KEYS)
    for key, does in FIRST_KEYS:
        lines.append(((key.ljust(wide + 2), "strong"), (does, "dim")))
    return lines
