"""Long answers in pieces: the same ones however the text comes, and together the whole text."""

from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from longrein.core.display import Writing, display
from longrein.core.growing import Trail
from longrein.core.messages import Assistant, Text
from longrein.core.state import State
from longrein.tui.draw.markdown import markdown
from longrein.tui.look import DARK, look_of
from longrein.tui.scroll.column import Column
from longrein.tui.scroll.pen import Pen
from longrein.tui.view.entries import Spoke
from longrein.tui.view.pieces import LEAST, MOST, MOST_LINES, Pieces, cut
from longrein.tui.view.transcript import NOTHING, transcript

PARAGRAPH = "Some words of a paragraph, one line after the other.\n" * 20
BLOCKS = st.sampled_from(
    [
        f"{PARAGRAPH}\n",
        "- one\n- two\n\n" * 30,
        "1. first\n\n2. second\n\n" * 30,
        "# Title\n\n",
        "```python\n" + "x = 1\n\ny = 2\n" * 60 + "```\n\n",
        "~~~\n```\n\nno end\n~~~\n\n",
        "> said\n> so\n\n" * 20,
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
        "    indented\n\n    code\n\n",
    ]
)
TEXTS = st.lists(BLOCKS, max_size=14).map("".join)


def test_a_short_text_is_one_piece() -> None:
    assert cut(PARAGRAPH).texts == [PARAGRAPH]


def test_a_long_text_is_cut_between_its_blocks() -> None:
    text = f"{PARAGRAPH}\n" * 30
    pieces = cut(text).texts
    assert len(pieces) > 3
    assert all(piece.startswith("Some words") and len(piece) >= LEAST for piece in pieces[:-1])


def test_code_is_not_cut_unless_it_is_very_long() -> None:
    code = "```\n" + "line\n\nafter a blank one\n" * 300 + "```\n\n"
    assert len(cut(f"{code}The end.\n").texts) == 2
    assert len(cut(code).texts) == 1
    assert len(cut(f"```\n{'x' * 80}\n" + f"{'y' * 80}\n" * 1_000).texts) == 6


@pytest.mark.parametrize(
    "text",
    [
        "x" * 100_000,
        "word " * 20_000,
        "line\n" * 20_000,
        f"```python\n{'x = 1' * 20_000}",
        "\n" * MOST,
    ],
)
def test_no_piece_is_very_long(text: str) -> None:
    pieces = cut(text).texts
    assert "".join(pieces) == text
    assert all(len(one) <= MOST and one.count("\n") <= MOST_LINES for one in pieces)


def test_code_in_pieces_goes_on_as_code() -> None:
    text = "```python\n" + "x = [1, 2]  # _no_ emphasis\n" * 2_000 + "```\nThe *end*.\n"
    pieces = list(cut(text))
    assert [(one.joined, one.within) for one, _ in pieces[1:]] == [(True, "```python")] * 3
    look = look_of(DARK)
    apart = [
        row.text for one, part in pieces for row in markdown(part, 60, look, within=one.within)
    ]
    assert apart == [row.text for row in markdown(text, 60, look)]


def test_a_table_in_pieces_goes_on_as_a_table() -> None:
    head = "| name | price |\n|------|------:|"
    text = f"Words above:\n{head}\n" + "| a | 1 |\n" * 4_000 + "\nThe end.\n"
    _, *others = cut(text)
    assert len(others) > 2
    assert {(one.joined, one.within) for one, _ in others} == {(True, head)}
    look = look_of(DARK)
    for one, part in others:
        rows = [row.text for row in markdown(part, 60, look, within=one.within)]
        assert rows[:3] == ["name  price", "────  ─────", "a         1"]


def test_what_stands_below_a_long_table_is_not_taken_for_it() -> None:
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 10
    pieces = list(cut(f"{table}\n" + "A | line of words.\n" * 2_000))
    assert [one.within for one, _ in pieces[1:]] == [""] * (len(pieces) - 1)


def test_what_goes_on_in_the_middle_of_a_block_has_no_gap_before_it() -> None:
    said = Assistant((Text("word " * 20_000),))
    shown = replace(display(State(thread="thr_1")), messages=Trail([said]))
    column = Column(Pen(look_of(DARK)))
    column.resize(60, 4_000)
    column.show(transcript(shown, NOTHING))
    rows = [row.strip.text for index in range(len(column.entries)) for row in column.rows(index)]
    assert len(column.entries) > 5
    assert all(row.strip() for row in rows)


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.lists(st.integers(1, 3_000), max_size=20))
def test_pieces_of_a_text_that_grows_are_those_of_the_whole(text: str, steps: list[int]) -> None:
    grown = Pieces()
    for length in accumulate(steps):
        grown = cut(text[:length], grown)
    assert cut(text, grown) == cut(text)
    assert "".join(cut(text).texts) == text


@settings(max_examples=12, deadline=None)
@given(TEXTS)
def test_pieces_drawn_one_by_one_look_like_the_whole(text: str) -> None:
    look = look_of(DARK)

    def drawn(part: str) -> list[str]:
        return [line.text.rstrip() for line in markdown(part, 60, look)]

    apart: list[str] = []
    for piece, part in cut(text):
        lines = [line.text.rstrip() for line in markdown(part, 60, look, within=piece.within)]
        apart += ["", *lines] if apart and lines and not piece.joined else lines
    assert apart == drawn(text)


def test_what_is_being_written_is_open_only_in_its_last_piece() -> None:
    empty = display(State(thread="thr_1"))
    text = f"{PARAGRAPH}\n" * 10
    writing = transcript(replace(empty, writing=Writing(text)), NOTHING)
    assert [one.open for one in writing.entries if isinstance(one, Spoke)] == [False, False, True]
    said = Assistant((Text(f"{text}The end."),), interrupted=True)
    settled = transcript(replace(empty, messages=Trail([said])), writing)
    spoken = [one for one in settled.entries if isinstance(one, Spoke)]
    assert [one.mark for one in spoken] == ["", "", "interrupted"]
    assert [one.key for one in spoken] == [one.key for one in writing.entries]
    assert settled.since == 2
