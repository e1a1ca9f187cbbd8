"""Rows of lists: which fit what was typed, and how they stand on a line."""

import time

import pytest
from rich.cells import cell_len

from longrein.tui.draw.rows import columns, draw_row
from longrein.tui.view.rows import Row, fitting, heading

HOSTILE = (
    "red \x1b[31m",
    "\u202eleft",
    "a\nb\tc",
    "\u65e5\u672c" * 40,
    "\x9b2J",
    "e" + "\u0301" * 9,
)


def titles(rows: list[Row]) -> list[str]:
    return [row.title for row in rows]


def test_rows_that_hold_every_word_fit() -> None:
    rows = [Row("1", "Fix the parser", "#urgent"), Row("2", "Fix the build")]
    assert titles(fitting(rows, "urg FIX")) == ["Fix the parser"]


def test_letters_in_order_fit_where_no_word_does() -> None:
    rows = [Row("1", "claude-opus"), Row("2", "gpt-5")]
    assert titles(fitting(rows, "clop")) == ["claude-opus"]


def test_a_heading_over_nothing_is_left_out() -> None:
    rows = [heading("one"), Row("1", "apple"), heading("two"), Row("2", "pear")]
    assert titles(fitting(rows, "pear")) == ["two", "pear"]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("width", [1, 9, 38, 75, 190])
def test_a_row_is_exactly_as_wide_as_its_place_and_harmless(text: str, width: int) -> None:
    row = Row("1", text, text, (text[:12], "now"), current=True)
    pieces = draw_row(row, width, columns([row]), marks=True, at_cursor=True)
    line = "".join(piece for piece, _ in pieces)
    assert cell_len(line) == width
    assert not any(sign in line for sign in "\x1b\x9b\u202e\n\t")


def test_columns_go_before_the_title_does() -> None:
    row = Row("1", "A title of twenty-four ab", "", ("waits for you", "2 h ago", "$0.42"))
    narrow = draw_row(row, 40, columns([row]), marks=False, at_cursor=False)
    wide = draw_row(row, 80, columns([row]), marks=False, at_cursor=False)
    assert "".join(text for text, _ in narrow).rstrip() == "  A title of twenty-four ab"
    assert "".join(text for text, _ in wide).endswith("waits for you  2 h ago  $0.42")


def test_a_row_without_cells_has_the_room_of_the_columns_beside_it() -> None:
    rows = [
        Row("a", "model", cells=("$3 in, $15 out", "holds 200k")),
        Row("b", "As it is", "x" * 50),
    ]
    pieces = draw_row(rows[1], 80, columns(rows), marks=False, at_cursor=False)
    assert "x" * 50 in "".join(text for text, _ in pieces)


def test_ten_thousand_rows_are_filtered_within_a_blink() -> None:
    rows = [Row(str(n), f"thread number {n}", f"#tag{n % 7}") for n in range(10_000)]

    def cost() -> float:
        began = time.process_time()
        assert len(fitting(rows, "9999")) == 1
        return time.process_time() - began

    assert min(cost() for _ in range(3)) < 0.2
