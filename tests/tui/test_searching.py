"""Words that are looked for on a page with a long text."""

import asyncio
from collections.abc import Sequence
from typing import Any

from rich.segment import Segment
from textual.strip import Strip

from longrein.tui.draw.whole import WholeDrawing
from longrein.tui.look import Look
from longrein.tui.pages.whole import WholePage
from longrein.tui.view.whole import Section
from tests.support import run
from tests.tui.host import shown


class Rows(Sequence[Strip]):
    """So many rows that nobody sees the end of a search in them."""

    def __len__(self) -> int:
        return 20_000_000

    def __getitem__(self, at: Any) -> Any:
        return Strip([Segment("row")])


class Endless(WholeDrawing):
    def __call__(self, width: int, look: Look) -> Sequence[Strip]:
        return Rows()


class EndlessPage(WholePage):
    def __init__(self) -> None:
        super().__init__("Endless")
        self._drawing = Endless(())

    async def load(self) -> tuple[Sequence[Section], str]:
        await asyncio.Event().wait()
        raise AssertionError


def test_only_what_was_looked_for_last_is_looked_for_and_nothing_once_the_page_is_closed() -> None:
    async def body() -> None:
        page = EndlessPage()
        async with shown(page) as (app, person):

            def at_work() -> int:
                return sum(worker.is_running for worker in app.workers)

            loading = at_work()
            await person.types("/nowhere\r")
            await person.until(lambda: at_work() == loading + 1, "a search")
            await person.presses("n", "n", "n")
            await person.until(lambda: at_work() == loading + 1, "one search")
            await person.presses("q")
            await person.until(lambda: app.result and at_work() == loading, "no search")

    run(body())
