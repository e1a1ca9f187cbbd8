"""The list to choose from: typing, moving, choosing, closing."""

from collections.abc import Sequence

import pytest

from longrein.core.errors import UsageError
from longrein.tui.pages.picker import Picker
from longrein.tui.view.rows import Row, heading
from tests.support import run
from tests.tui.host import shown
from tests.tui.screens import lines


class Fruits(Picker[str]):
    """Rows that are at hand; in pages where `pages` says so."""

    def __init__(self, rows: Sequence[Row], pages: int = 0) -> None:
        super().__init__("Fruits", "Enter eat", empty="There is no fruit.")
        self._given = rows
        self._step = pages
        self._upto = pages or len(rows)

    async def load(self) -> Sequence[Row]:
        self.whole = self._upto >= len(self._given)
        return self._given[: self._upto]

    async def more(self) -> Sequence[Row]:
        page = self._given[self._upto : self._upto + self._step]
        self._upto += self._step
        self.whole = self._upto >= len(self._given)
        return page

    def choose(self, row: Row) -> None:
        self.end(row.key)


ROWS = (
    heading("Round"),
    Row("apple", "Apple", cells=("red",)),
    Row("cherry", "Cherry", cells=("red",), current=True),
    heading("Long"),
    Row("banana", "Banana", cells=("yellow",)),
)


def test_the_cursor_begins_at_what_is_in_use() -> None:
    async def main() -> None:
        page = Fruits(ROWS)
        async with shown(page) as (app, person):
            await person.until(lambda: page.listed.row)
            await person.presses("enter")
            await person.until(lambda: app.result)
            assert app.result == ["cherry"]

    run(main())


def test_typing_filters_and_enter_chooses_the_first() -> None:
    async def main() -> None:
        page = Fruits(ROWS)
        async with shown(page) as (app, person):
            await person.until(lambda: page.listed.row)
            await person.presses(*"ban")
            assert "1 of 3" in lines(app)[1]
            await person.presses("enter")
            await person.until(lambda: app.result)
            assert app.result == ["banana"]

    run(main())


def test_arrows_go_over_headings() -> None:
    async def main() -> None:
        page = Fruits(ROWS)
        async with shown(page) as (_, person):
            await person.until(lambda: page.listed.row)
            await person.presses("down")
            assert page.listed.row == ROWS[4]
            await person.presses("up", "up")
            assert page.listed.row == ROWS[1]

    run(main())


def test_esc_closes_without_a_choice() -> None:
    async def main() -> None:
        page = Fruits(ROWS)
        async with shown(page) as (app, person):
            await person.presses("escape")
            await person.until(lambda: app.result)
            assert app.result == [None]

    run(main())


def test_a_click_chooses() -> None:
    async def main() -> None:
        page = Fruits(ROWS)
        async with shown(page) as (app, person):
            await person.until(lambda: page.listed.row)
            await person.pilot.click(page.listed, offset=(6, 4))
            await person.until(lambda: app.result)
            assert app.result == ["banana"]

    run(main())


def test_what_is_empty_says_so() -> None:
    async def main() -> None:
        page = Fruits(())
        async with shown(page) as (app, person):
            await person.until(lambda: any("There is no fruit." in line for line in lines(app)))
            await person.presses("x")
            assert any("Nothing here fits" in line for line in lines(app))

    run(main())


def test_more_is_loaded_when_the_end_comes_near() -> None:
    async def main() -> None:
        page = Fruits([Row(str(n), f"fruit {n}") for n in range(120)], pages=50)
        async with shown(page) as (app, person):
            await person.until(lambda: page.listed.row)
            assert "50+" in lines(app)[1]
            await person.presses("tab", "end")
            await person.until(lambda: "100+" in lines(app)[1])
            await person.presses("end")
            await person.until(lambda: lines(app)[1].endswith("120"))

    run(main())


def test_ten_thousand_rows_are_gone_through_to_the_end() -> None:
    async def main() -> None:
        page = Fruits([Row(str(n), f"fruit {n}") for n in range(10_000)])
        async with shown(page) as (app, person):
            await person.until(lambda: page.listed.row)
            await person.presses("tab", "end", "enter")
            await person.until(lambda: app.result)
            assert app.result == ["9999"]

    run(main())


def test_what_cannot_be_loaded_is_said_in_its_place() -> None:
    class Broken(Fruits):
        async def load(self) -> Sequence[Row]:
            raise UsageError("The basket is closed.")

    async def main() -> None:
        async with shown(Broken(())) as (app, person):
            await person.until(lambda: any("The basket is closed." in line for line in lines(app)))

    run(main())


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (200, 60), (20, 6)])
def test_the_cursor_is_in_view_at_every_size(size: tuple[int, int]) -> None:
    async def main() -> None:
        page = Fruits([Row(str(n), f"fruit {n}") for n in range(100)])
        async with shown(page, size) as (app, person):
            await person.until(lambda: page.listed.row)
            await person.presses(*["down"] * 30)
            assert page.listed.row == Row("30", "fruit 30")
            assert any("fruit 30" in line for line in lines(app))

    run(main())
