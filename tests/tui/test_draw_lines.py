"""Lines are never wider than they may be, and nothing is lost between them."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from longrein.tui.draw.excerpt import head, tail
from longrein.tui.draw.lines import cropped, said, said_lines, wrapped

PLAIN = Style()
TEXT = st.text(
    st.sampled_from(
        "ab  c\t\u65e5\u672c\u3002\U0001f469\u200d\U0001f4bb\ufe0f\u2600\u0301\x1b\u202e-"
    ),
    max_size=60,
)


def _wrapped(text: str, width: int) -> list[str]:
    return [line.text for line in wrapped([said(text, PLAIN)], width)]


def test_lines_are_broken_between_words() -> None:
    assert _wrapped("the quick brown fox", 10) == ["the quick", "brown fox"]


def test_a_word_that_is_longer_than_a_line_is_broken() -> None:
    assert _wrapped("a abcdefghijkl b", 5) == ["a", "abcde", "fghij", "kl b"]


def test_between_wide_letters_a_line_may_end_but_not_before_their_full_stop() -> None:
    text = "\u65e5\u672c\u8a9e\u3067\u3059\u3002"
    assert _wrapped(text, 10) == [text[:4], text[4:]]


def test_what_goes_on_stands_below_what_it_belongs_to() -> None:
    lines = wrapped([said("one two three", PLAIN)], 12, [("1. ", PLAIN)], [("   ", PLAIN)])
    assert [line.text for line in lines] == ["1. one two", "   three"]


def test_where_room_is_short_nothing_is_indented() -> None:
    assert [line.text for line in wrapped([said("abcdef", PLAIN)], 6, [("1. ", PLAIN)])] == [
        "abcdef"
    ]


@settings(max_examples=300)
@given(st.lists(TEXT, max_size=4), st.integers(2, 30))
def test_no_line_is_wider_than_its_width_and_nothing_is_lost(parts: list[str], width: int) -> None:
    spans = [said(part, PLAIN) for part in parts]
    lines = wrapped(spans, width)
    assert all(line.cell_length <= width for line in lines)
    told = "".join(text for text, _ in spans)
    assert "".join(line.text for line in lines).replace(" ", "") == told.replace(" ", "")


@given(st.lists(TEXT, max_size=4), st.integers(0, 30))
def test_what_is_cut_fits(parts: list[str], width: int) -> None:
    kept = cropped([said(part, PLAIN) for part in parts], width, PLAIN)
    assert sum(cell_len(text) for text, _ in kept) <= width


@given(st.lists(TEXT, min_size=1, max_size=8).map("\n".join), st.integers(2, 30), st.integers(1, 9))
def test_an_excerpt_has_no_more_rows_than_asked_for(text: str, width: int, most: int) -> None:
    for shown in (head(text, width, PLAIN, most), tail(text, width, PLAIN, most)):
        assert 1 <= len(shown.rows) <= most
        assert all(row.cell_length <= width for row in shown.rows)


def test_an_excerpt_says_how_many_lines_it_leaves_out() -> None:
    text = "\n".join(map(str, range(20)))
    assert [row.text for row in head(text, 10, PLAIN, 2).rows] == ["0", "1"]
    assert head(text, 10, PLAIN, 2).left == tail(text, 10, PLAIN, 2).left == 18
    assert [row.text for row in tail(text, 10, PLAIN, 2).rows] == ["18", "19"]
    assert head(text, 10, PLAIN, 20).left == tail(text, 10, PLAIN, 20).left == 0


def test_tabs_become_blanks() -> None:
    assert said_lines("a\tb\n\tc\n") == ["a   b", "    c"]
