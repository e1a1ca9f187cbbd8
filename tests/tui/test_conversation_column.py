"""The column: whatever happens to it, what is seen is what drawing all of it would show there."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.segment import Segment
from textual.strip import Strip

from longrein.tui.scroll.column import Column
from longrein.tui.scroll.drawn import Drawn, Opening
from longrein.tui.scroll.heights import Heights
from longrein.tui.view.entries import Called, Entry, OutputBody, Said, Spoke, Told
from longrein.tui.view.transcript import Transcript

Op = tuple[str, int]


def plainly(entry: Entry, width: int, opening: Opening, now: int) -> Sequence[Strip]:
    """An entry as text, cut to lines; an open one with its bodies."""
    text = entry.object if isinstance(entry, Called) else entry.text
    lines = [text[n : n + width] for n in range(0, max(len(text), 1), width)]
    if isinstance(entry, Called) and opening != "closed":
        lines += [
            line for body in entry.bodies if isinstance(body, OutputBody) for line in body.text
        ]
    return [Strip.blank(0) if not line else _strip(line) for line in lines]


def _strip(text: str) -> Strip:
    return Strip([Segment(text)])


def texts(column: Column) -> list[str]:
    return [line.strip.text for line in column.page()]


def shown(*entries: Entry) -> Transcript:
    """A transcript that says nothing of how it differs from the one before."""
    return Transcript(entries, mark=object(), after=object())


def spoken(*numbers: int) -> list[Entry]:
    return [Spoke(f"{n}", f"text {n}") for n in numbers]


def window(entries: Sequence[Entry], *, width: int = 20, height: int = 5) -> Column:
    column = Column(plainly)
    column.resize(width, height)
    column.show(shown(*entries))
    return column


def test_heights_know_their_sums_after_any_change() -> None:
    heights = Heights([3, 1, 4])
    heights.append(5)
    heights[1] = 7
    heights.cut(3)
    heights.append(2)
    assert [heights.top(n) for n in range(5)] == [0, 3, 10, 14, 16]
    assert [heights.find(y) for y in (0, 2, 3, 9, 10, 13, 14, 15, 99)] == [
        0,
        0,
        1,
        1,
        2,
        2,
        3,
        3,
        3,
    ]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=70))
def test_heights_find_what_a_walk_would_find(heights: list[int]) -> None:
    found = Heights(heights)
    walked = [n for n, height in enumerate(heights) for _ in range(height)]
    assert [found.find(y) for y in range(sum(heights))] == walked
    assert found.total == sum(heights)


def test_a_window_at_the_end_stays_at_the_end() -> None:
    column = window(spoken(*range(10)))
    column.show(shown(*spoken(*range(11))))
    assert texts(column)[-1] == "text 10"
    assert not column.unseen


def test_a_window_further_up_does_not_move_when_something_comes_below() -> None:
    column = window(spoken(*range(10)))
    column.move(-4)
    before = texts(column)
    column.show(shown(*spoken(*range(30))))
    assert texts(column) == before
    assert column.unseen


def test_what_changes_above_the_window_does_not_move_it() -> None:
    entries = spoken(*range(10))
    column = window(entries)
    column.move(-2)
    before = texts(column)
    column.show(shown(Spoke("0", "much longer " * 30), *entries[1:]))
    assert texts(column) == before


def test_going_down_to_the_end_follows_what_comes_again() -> None:
    column = window(spoken(*range(10)))
    column.move(-4)
    column.show(shown(*spoken(*range(11))))
    column.move(99)
    assert column.at_end
    assert not column.unseen
    column.show(shown(*spoken(*range(12))))
    assert texts(column)[-1] == "text 11"


def test_scrolling_up_by_a_line_shows_exactly_one_more_line() -> None:
    column = window([Spoke(f"{n}", f"{n} " + "long words " * n) for n in range(12)])
    for _ in range(30):
        before = texts(column)
        column.move(-1)
        assert texts(column)[1:] == before[:-1]


def making(output: str) -> Called:
    return Called("c", "execute", "Run", "make", "ok", bodies=(OutputBody(output),))


def test_opening_an_entry_leaves_its_first_line_where_it_is() -> None:
    column = window([*spoken(1, 2, 3), making("ab"), *spoken(4, 5)])
    column.move(-2)
    row = texts(column).index("make")
    column.toggle(3)
    assert texts(column)[row:] == ["make", "a", "b"]
    column.toggle(3)
    assert texts(column)[row] == "make"


def test_an_entry_that_opens_below_the_window_is_moved_into_it() -> None:
    column = window([*spoken(1, 2, 3), making("ab"), *spoken(4, 5)])
    column.move(-4)
    assert texts(column)[-1] == "make"
    column.toggle(3)
    assert texts(column)[2:] == ["make", "a", "b"]


def test_an_entry_that_is_higher_than_the_window_opens_at_its_top() -> None:
    column = window([*spoken(1, 2, 3), making("abcdefghij")])
    column.toggle(3)
    assert texts(column) == ["make", "a", "b", "c", "d"]
    column.toggle(3)
    assert texts(column)[-1] == "make"
    assert column.at_end


def test_the_end_is_followed_on_where_what_opens_is_seen_with_it() -> None:
    column = window([*spoken(1, 2, 3), making("ab")])
    column.toggle(3)
    assert column.at_end
    assert texts(column)[-3:] == ["make", "a", "b"]
    column.show(shown(*spoken(1, 2, 3), making("abc"), *spoken(4)))
    assert texts(column)[-1] == "text 4"


def test_a_note_opens_where_there_is_more_of_it() -> None:
    column = window([Told("1", "told"), Told("2", "told", whole="All of it.")])
    assert [column.opens(0), column.opens(1)] == [False, True]


def test_another_width_keeps_the_entry_at_the_top() -> None:
    column = window([Spoke(f"{n}", f"{n} " + "long words " * 6) for n in range(40)])
    column.jump(60)
    index = column.page()[0].index
    column.resize(11, 5)
    assert column.page()[0].index == index


def test_another_thread_is_seen_from_its_end() -> None:
    column = window(spoken(*range(10)))
    column.move(-6)
    column.show(Transcript(tuple(spoken(*range(50, 70))), mark=object()))
    assert texts(column)[-1] == "text 69"


def test_no_more_lines_are_kept_than_may_be() -> None:
    drawn: list[str] = []

    def counting(entry: Entry, width: int, opening: Opening, now: int) -> Sequence[Strip]:
        drawn.append(entry.key)
        return plainly(entry, width, opening, now)

    kept = Drawn(counting, most=10)
    entries = spoken(*range(20))
    for entry in (*entries, *entries[-10:], *entries[:1]):
        kept.lines(entry, 20, "closed", 0)
    assert len(drawn) == 21


def test_only_what_is_seen_is_drawn() -> None:
    drawn: list[str] = []

    def counting(entry: Entry, width: int, opening: Opening, now: int) -> Sequence[Strip]:
        drawn.append(entry.key)
        return plainly(entry, width, opening, now)

    column = Column(counting)
    column.resize(40, 20)
    column.show(shown(*spoken(*range(10_000))))
    column.page()
    column.jump(3_000)
    column.page()
    assert len(drawn) < 60


OPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["append", "call", "stream", "rewind", "resize", "toggle", "move", "jump", "end"]
        ),
        st.integers(-40, 40),
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(OPS)
def test_the_window_shows_what_drawing_everything_would_show_there(ops: list[Op]) -> None:
    entries: list[Entry] = []
    column = window(entries, width=10, height=6)
    width, height = 10, 6
    for number, (op, by) in enumerate(ops):
        match op:
            case "append":
                entries.append(Said(f"k{number}", "x" * abs(by)))
            case "call":
                body = OutputBody("y" * abs(by))
                entries.append(Called(f"k{number}", "t", "v", "object", "ok", bodies=(body,)))
            case "stream" if entries:
                entries[-1] = Spoke(entries[-1].key, "z" * abs(by) * 2)
            case "rewind":
                del entries[max(by, 0) :]
            case "resize":
                width, height = max(abs(by), 1), abs(by) % 9 + 1
                column.resize(width, height)
            case "toggle" if entries:
                column.toggle(by % len(entries))
            case "move":
                column.move(by)
            case "jump":
                column.jump(by * 3)
            case "end":
                column.end()
            case _:
                pass
        column.show(shown(*entries))
        _check(column, width, height)


def _check(column: Column, width: int, height: int) -> None:
    every = [
        (line.index, line.number, line.strip.text)
        for index in range(len(column.entries))
        for line in column.rows(index)
    ]
    page = [(line.index, line.number, line.strip.text) for line in column.page()]
    assert len(page) == min(height, len(every))
    if page:
        start = every.index(page[0])
        assert page == every[start : start + height]
    if column.at_end:
        assert page == every[-height:]
    fresh = window(list(column.entries), width=width, height=height)
    for index in range(len(column.entries)):
        if column.opening(index) != fresh.opening(index):
            fresh.toggle(index)
    assert every == [
        (line.index, line.number, line.strip.text)
        for index in range(len(column.entries))
        for line in fresh.rows(index)
    ]
