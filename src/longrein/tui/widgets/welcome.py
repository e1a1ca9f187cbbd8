"""What stands where nothing was said yet: what one should know, and how to begin."""

from textual.content import Content
from textual.widgets import Static

from longrein._version import __version__
from longrein.client.port import About
from longrein.core.visible import visible
from longrein.tui.draw.paper import STYLES

DIM = STYLES["dim"]
FIRST_KEYS = (
    ("Enter", "says it"),
    ("@", "names a file"),
    ("!", "runs your own command"),
    ("/", "has all commands"),
    ("Shift+Tab", "changes the mode"),
)


class Welcome(Static):
    """Takes the place of a conversation that is still empty."""

    DEFAULT_CSS = """
    Welcome { height: 1fr; padding: 1 2; display: none; overflow: hidden; }
    Welcome.-shown { display: block; }
    """

    def show(self, about: About | None) -> None:
        """Show it, or nothing more of it once there is a conversation."""
        self.set_class(about is not None, "-shown")
        if about is not None:
            self.update(_words(about))


def _words(about: About) -> Content:
    lines = [
        Content.assemble(("Longrein", "bold $text-accent"), (f"  {__version__}", DIM)),
        Content(""),
    ]
    for notice in about.notices:
        lines += [Content(visible(notice)), Content("")]
    wide = max(len(key) for key, _ in FIRST_KEYS)
    for key, does in FIRST_KEYS:
        lines.append(Content.assemble((key.ljust(wide + 2), "bold"), (does, DIM)))
    return Content("\n").join(lines)
