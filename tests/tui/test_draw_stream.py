"""Markdown that grows: however it came it ends as the whole, and costs what its last block does."""

from statistics import median
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.segment import Segment

from longrein.tui.draw.markdown import StreamedMarkdown, markdown
from longrein.tui.look import DARK, LIGHT, look_of

LOOK = look_of(DARK)
BITS = (
    "# h",
    "para",
    "text **b**",
    "\n",
    "\n",
    "\n\n",
    "- ",
    "* ",
    "1. ",
    "2) ",
    "  ",
    "    ",
    "> ",
    "```",
    "```py",
    "~~~",
    "| a | b |",
    "|---|---|",
    "---",
    "===",
    "***",
    "`c`",
    "[x](y)",
    "<div>",
    "\t",
    "\r\n",
    "\r",
    "\u65e5\u672c",
    "\\",
    "&#27;",
    "[r]: u",
    "- [x] ",
    "|",
    "-",
    "+",
    "\x1b[0m",
    "\U0001f469\u200d\U0001f4bb",
    "  \n",
    "def f():",
    "word " * 60 + "\n",
    "- a\n" * 30,
    "x = 1\n\n" * 30,
    "\n| a | b |\n|---|:-:|\n" + "| c | **d** |\n" * 45,
    "| wide " + "cell " * 12 + "|\n",
)
TEXTS = st.lists(st.sampled_from(BITS), max_size=40).map("".join)
PARAGRAPH = (
    "The *quick* brown fox **jumps** over the `lazy` dog to its [home](https://x.example).\n" * 4
)
CODE = "```python\n" + "def f(x):\n    return x + 1  # why\n\n" * 15 + "```\n"
DOCUMENT = f"## Part\n\n{PARAGRAPH}\n{CODE}\n" + "- an item with **words**\n" * 20 + "\n"


def _segments(text: str, *, width: int = 40) -> list[list[Segment]]:
    return [list(line) for line in markdown(text, width, LOOK, margin=2)]


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.lists(st.integers(1, 60), min_size=1, max_size=10), st.integers(2, 60))
def test_the_end_is_the_same_in_whatever_pieces_it_came(
    text: str, steps: list[int], width: int
) -> None:
    growing, at, turn = StreamedMarkdown(width, LOOK, margin=2), 0, 0
    while at < len(text):
        at += steps[turn % len(steps)]
        turn += 1
        growing.show(text[:at])
    lines = [list(line) for line in growing.show(text)]
    assert lines == _segments(text, width=width)
    assert all(Segment.get_line_length(line) <= width for line in lines)


@pytest.mark.parametrize("line", ["a long line of words ", "x" * 70, "\u65e5\u672c"])
def test_a_block_without_an_end_is_the_same_in_whatever_pieces_it_came(line: str) -> None:
    text = f"begin\n\n{line * (40_000 // len(line))}\n\nend"
    growing = StreamedMarkdown(40, LOOK, margin=2)
    for at in range(0, len(text), 7_001):
        growing.show(text[:at])
    assert [list(one) for one in growing.show(text)] == _segments(text)


def test_complete_blocks_are_not_drawn_again() -> None:
    growing = StreamedMarkdown(60, LOOK)
    before = list(growing.show("# a\n\nb\n\n```py\n" + "c = 1\n" * 100))
    after = growing.show("# a\n\nb\n\n```py\n" + "c = 1\n" * 101)
    assert all(one is other for one, other in zip(before[:50], after[:50], strict=True))


def test_rows_of_a_long_table_are_not_drawn_again() -> None:
    growing = StreamedMarkdown(60, LOOK)
    table = "| a | b |\n|---|---|\n" + "| one | two |\n" * 100
    before = list(growing.show(table))
    after = growing.show(f"{table}| one | a cell that is wider |\n| o")
    assert all(one is other for one, other in zip(before, after, strict=False))
    assert [line.text for line in before[:3]] == ["a    b", "───  ───", "one  two"]
    assert [line.text for line in after[-3:]] == ["one  two", "one  a cell that is wider", "o"]


def test_a_long_table_ends_where_another_block_begins() -> None:
    table = "| a | b |\n|---|---|\n" + "| one | two |\n" * 60
    lines = [line.text for line in markdown(f"{table}# Title\n\nwords", 60, LOOK)]
    assert lines[-5:] == ["one  two", "", "Title", "", "words"]


def test_a_text_that_begins_within_a_table_has_its_head_above_it() -> None:
    drawn = markdown("| 1 | 2 |\n| 3 | 4 |\n\nend", 60, LOOK, within="| a | b |\n|---|---|")
    assert [line.text for line in drawn] == ["a  b", "─  ─", "1  2", "3  4", "", "end"]


def test_items_of_a_list_keep_their_place_when_a_blank_line_comes_between_later_ones() -> None:
    growing = StreamedMarkdown(60, LOOK)
    assert [line.text for line in growing.show("- a\n- b\n")] == ["• a", "• b"]
    assert [line.text for line in growing.show("- a\n- b\n\n- c")] == ["• a", "• b", "", "• c"]


def test_the_end_of_code_is_not_seen_while_it_is_written() -> None:
    growing = StreamedMarkdown(60, LOOK)
    for more in ("", "`", "``", "```", "```\n"):
        assert [line.text for line in growing.show(f"```\na\n{more}")] == ["  a"]


def test_another_text_is_drawn_from_its_beginning() -> None:
    growing = StreamedMarkdown(60, LOOK)
    growing.show("# a\n\nb\n\nc")
    assert [line.text for line in growing.show("d")] == ["d"]


def test_an_update_costs_the_same_at_any_length() -> None:
    def cost(length: int) -> float:
        text = DOCUMENT * (length // len(DOCUMENT))
        growing = StreamedMarkdown(80, LOOK)
        growing.show(text)
        costs: list[float] = []
        for at in range(0, len(DOCUMENT), 50):
            begun = process_time()
            growing.show(text + DOCUMENT[:at])
            costs.append(process_time() - begun)
        return median(costs)

    short, long = cost(5_000), cost(80_000)
    assert long < 5 * short + 0.005


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("| a | b |\n|---|---|\n", "| cell | **cell** |\n"),
        ("", "- an item with **words**\n"),
        ("```python\n", "def f(x): return x + 1  # why\n"),
        ("", "A *line* of a paragraph that goes on and on.\n"),
        ("", "A *sentence* of a paragraph in one line. "),
        ("", "> A *line* of what is quoted.\n"),
        ("", "\u65e5\u672c"),
    ],
)
def test_an_update_costs_the_same_however_long_its_block_is(head: str, line: str) -> None:
    def cost(length: int) -> float:
        text = head + line * (length // len(line))
        growing = StreamedMarkdown(80, LOOK)
        growing.show(text)
        begun = process_time()
        for number in range(20):
            growing.show(text + line * number)
        return process_time() - begun

    short, long = (min(cost(length) for _ in range(3)) for length in (3_000, 15_000))
    assert long < 3 * short + 0.03


def test_a_look_of_its_own_has_lines_of_its_own() -> None:
    assert _segments("**a**") != [
        list(line) for line in markdown("**a**", 40, look_of(LIGHT), margin=2)
    ]
