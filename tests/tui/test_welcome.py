"""What stands on the screen before anything was said."""

from textual.app import App, ComposeResult

from longrein.client.port import About
from longrein.tui.look import DARK, THEMES
from longrein.tui.widgets.welcome import Welcome
from tests.support import run
from tests.tui.host import Host, before

ABOUT = About("/project", (), notices=("What one should know before the first word. " * 3,))


class Begun(App[None]):
    """An app whose welcome comes behind its first frame; `bars` are what became of its bar."""

    def __init__(self) -> None:
        super().__init__()
        for one in THEMES:
            self.register_theme(one)
        self.theme = DARK.name
        self.welcome = Welcome()
        self.bars: list[bool] = []

    def compose(self) -> ComposeResult:
        yield self.welcome

    def on_mount(self) -> None:
        self.watch(self.welcome, "show_vertical_scrollbar", self._seen)

    def _seen(self, shown: bool) -> None:
        self.bars.append(shown)


def test_a_welcome_that_fits_has_no_scroll_bar_in_any_frame() -> None:
    async def main() -> None:
        app = Begun()
        async with app.run_test(size=(80, 24)) as pilot:
            app.welcome.greet(ABOUT)
            await pilot.pause()
            assert app.welcome.virtual_size.height < app.welcome.size.height
            assert app.bars == [False]

    run(main())


def test_code_in_what_one_should_know_stands_there_without_backticks() -> None:
    async def main() -> None:
        page = Welcome()
        async with before(Host(page), (80, 24)) as person:
            page.greet(About("/project", (), notices=("For a model: `longrein login NAME`.",)))
            await person.sees("For a model: longrein login NAME.")

    run(main())
