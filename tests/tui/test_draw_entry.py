"""Entries of a conversation as lines."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.style import Style

from longrein.core.planning import Todo
from longrein.tui.draw.entry import draw
from longrein.tui.look import DARK, look_of
from longrein.tui.view.entries import (
    Body,
    Called,
    CallState,
    ChildBody,
    DiffBody,
    Entry,
    FieldsBody,
    MarkdownBody,
    OutputBody,
    Said,
    Spoke,
    Thought,
    TodosBody,
    Told,
)

LOOK = look_of(DARK)
SECOND = 1_000_000


def drawn(entry: Entry, width: int = 60, *, opened: bool = False, now: int = 0) -> list[str]:
    return [line.text.rstrip() for line in draw(entry, width, LOOK, opened, now)]


def called(state: CallState = "ok", *bodies: Body, shown: bool = False) -> Called:
    return Called("k", "edit_file", "Edit", "src/app.py", state, bodies=bodies, shown=shown)


def test_what_a_person_said_has_a_bar_and_is_not_markdown() -> None:
    assert drawn(Said("k", "# not *this*\n  kept")) == ["│ # not *this*", "│   kept"]


def test_files_that_came_along_are_named_by_what_they_are() -> None:
    said = Said("k", "look", files=("cat.PNG", "notes.txt"))
    assert drawn(said) == ["│ look", "│ [image: cat.PNG]", "│ [file: notes.txt]"]


def test_a_long_text_is_folded_until_it_is_opened() -> None:
    said = Said("k", "\n".join(map(str, range(312))))
    assert drawn(said)[-2:] == ["│ 11", "│ … 300 more lines"]
    assert drawn(said, opened=True)[-1] == "│ 311"


def test_a_huge_paste_costs_no_more_than_what_is_shown_of_it() -> None:
    assert len(drawn(Said("k", "word " * 400_000))) == 13


def test_what_is_not_before_the_model_yet_says_so_in_words() -> None:
    assert drawn(Said("k", "also this", waits=True)) == ["│ also this", "│ waits to be read"]


def test_what_the_model_said_is_markdown_beside_a_margin() -> None:
    assert drawn(Spoke("k", "a **b**\n\n- c")) == ["  a b", "", "  • c"]


@pytest.mark.parametrize(("mark", "words"), [("interrupted", "interrupted"), ("cut", "too long")])
def test_an_answer_that_is_not_whole_says_so(mark: str, words: str) -> None:
    assert words in drawn(Spoke("k", "a", mark=mark))[-1]  # pyright: ignore[reportArgumentType]


def test_what_the_model_was_told_is_few_words_until_it_is_opened() -> None:
    told = Told("k", "todos: Still open", whole="Still open:\n1. First")
    assert drawn(told) == ["· todos: Still open"]
    assert drawn(told, opened=True)[1:] == ["  Still open:", "  1. First"]


def test_a_thought_is_one_line_until_it_is_opened() -> None:
    thought = Thought("k", "**First this**\nthen that\n")
    assert drawn(thought) == ["▸ Thought · First this"]
    assert drawn(thought, opened=True) == ["▾ Thought", "  **First this**", "  then that"]


def test_while_it_thinks_the_newest_line_is_seen() -> None:
    assert drawn(Thought("k", "first\nthen", open=True)) == ["▸ Thinking · then"]


@pytest.mark.parametrize(
    ("state", "line"),
    [
        ("writing", "○ Edit src/app.py"),
        ("ready", "○ Edit src/app.py"),
        ("asks", "? Edit src/app.py  waits for you"),
        ("ok", "✓ Edit src/app.py"),
        ("failed", "✗ Edit src/app.py  failed"),
        ("declined", "✗ Edit src/app.py  declined"),
        ("stopped", "- Edit src/app.py  stopped"),
        ("unknown", "! Edit src/app.py  may have run"),
    ],
)
def test_the_state_of_a_call_is_told_by_a_sign_and_a_word(state: CallState, line: str) -> None:
    assert drawn(called(state)) == [line]


def test_a_call_says_what_came_of_it_and_how_long_it_took() -> None:
    edit = Called("k", "t", "Edit", "src/app.py", "ok", gist="+3 -1", took=400_000)
    assert drawn(edit) == ["✓ Edit src/app.py  +3 -1  0.4s"]
    [line] = draw(edit, 60, LOOK, False, 0)
    styles = {one.text: one.style for one in line}
    assert (styles["+3"], styles["-1"]) == (LOOK.diff_add, LOOK.diff_del)


@pytest.mark.parametrize(
    ("took", "told"),
    [
        (50_000, ""),
        (9_960_000, "10s"),
        (12 * SECOND, "12s"),
        (185 * SECOND, "3m 05s"),
        (7_800 * SECOND, "2h 10m"),
    ],
)
def test_times_are_told_as_people_tell_them(took: int, told: str) -> None:
    assert drawn(Called("k", "t", "Run", "", "ok", took=took)) == [f"✓ Run  {told}".rstrip()]


def test_a_running_call_blinks_unless_nothing_is_to_move() -> None:
    run = Called("k", "t", "Run", "make", "running", began=SECOND)
    marks = [
        [draw(run, 60, LOOK, False, now * SECOND, still=still)[0].text[0] for now in (2, 3)]
        for still in (False, True)
    ]
    assert marks == [["●", "○"], ["●", "●"]]


def test_a_running_call_counts_seconds_and_moves_nothing_else() -> None:
    run = Called("k", "t", "Run", "make", "running", began=SECOND)
    assert drawn(run, now=4 * SECOND) == ["● Run make  3s"]
    assert drawn(run, now=5 * SECOND) == ["○ Run make  4s"]


def test_a_long_object_gives_way_to_what_came_of_it() -> None:
    run = Called("k", "t", "Run", "a" * 100, "failed", gist="exit 1", took=SECOND)
    assert drawn(run, 40) == [f"✗ Run {'a' * 21}…  exit 1  1s"]


DIFF = """\
--- a/src/app.py
+++ b/src/app.py
@@ -8,3 +8,4 @@ def main():
 a
-b
+c
+d
 e
@@ -90 +91 @@
-x
+y
"""


def test_a_change_has_numbers_signs_and_no_heads() -> None:
    assert drawn(called("ok", DiffBody(DIFF)), opened=True)[1:] == [
        "  └ … def main():",
        "     8   a",
        "     9 - b",
        "     9 + c",
        "    10 + d",
        "    11   e",
        "    …",
        "    90 - x",
        "    91 + y",
    ]


def test_a_change_of_several_files_names_them() -> None:
    two = DIFF + DIFF.replace("app.py", "other.py")
    assert "    +++ b/src/other.py" in drawn(called("ok", DiffBody(two)), opened=True)


def test_a_removed_line_that_looks_like_a_head_is_a_line() -> None:
    diff = "--- a\n+++ a\n@@ -1,2 +1 @@\n--- not a head\n x\n"
    assert "  └ 1 - -- not a head" in drawn(called("ok", DiffBody(diff)), opened=True)


def test_a_change_without_numbers_has_none() -> None:
    assert drawn(called("ok", DiffBody("@@ @@\n a\n-b\n+c")), opened=True)[1:] == [
        "  └   a",
        "    - b",
        "    + c",
    ]


def test_long_lines_of_a_change_go_on_behind_a_mark() -> None:
    assert drawn(called("ok", DiffBody("abcdefghijklmno", whole=True)), 18, opened=True)[1:] == [
        "  └ 1 + abcdefghij",
        "      … klmno",
    ]


def test_a_long_change_ends_with_how_much_more_there_is() -> None:
    lines = drawn(called("ok", DiffBody("x\n" * 600, whole=True)), opened=True)
    assert len(lines) == 202
    assert lines[-1] == "    … 400 more lines · Ctrl+O reads all"


OUTPUT = OutputBody("".join(f"{n}\n" for n in range(600)))


def test_output_that_shows_itself_is_its_tail() -> None:
    lines = drawn(called("running", OUTPUT, shown=True), opened=True)
    assert (len(lines), lines[1], lines[-1]) == (12, "  └ … 590 earlier lines", "    599")


def test_output_that_is_opened_is_longer() -> None:
    lines = drawn(called("ok", OUTPUT), opened=True)
    assert (len(lines), lines[1]) == (502, "  └ … 100 earlier lines · Ctrl+O reads all")


def test_todos_are_ticked() -> None:
    todos = (Todo("a", "completed"), Todo("b", "in_progress", "doing b"), Todo("c"))
    assert drawn(called("ok", TodosBody(todos)), opened=True)[1:] == [
        "  └ ✓ a",
        "    ▸ doing b",
        "    ○ c",
    ]


def test_a_child_says_who_it_is_and_how_to_see_more() -> None:
    child = ChildBody("t", "explorer", "running", "Looking", asks=2)
    assert drawn(called("running", child), opened=True)[1:] == [
        "  └ explorer  running  waits for 2 of your answers",
        "    Looking",
        "    Enter at the cursor opens its conversation",
    ]


def test_arguments_stand_beside_their_names_or_below_them() -> None:
    fields = FieldsBody((("to", "prod"), ("text", "a\nb")))
    assert drawn(called("asks", fields), opened=True)[1:] == [
        "  └ to: prod",
        "    text:",
        "      a",
        "      b",
    ]


MEGABYTE = 1_000_000
LONG = {
    "one line": "x" * MEGABYTE,
    "words": "word " * (MEGABYTE // 5),
    "lines": "x = 1\n" * (MEGABYTE // 6),
    "wide": "\u65e5\u672c " * (MEGABYTE // 3),
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_what_is_opened_has_so_many_rows_however_long_it_is(text: str) -> None:
    bodies: tuple[Body, ...] = (
        DiffBody(text, whole=True),
        OutputBody(text),
        MarkdownBody(text),
        TodosBody((Todo(text),)),
        FieldsBody((("text", text),)),
    )
    entries = (Said("k", text), Thought("k", text), Told("k", text), *map(called_with, bodies))
    for entry in entries:
        # A change has lines of up to 2,000 characters; Markdown some 16,000 characters.
        assert len(drawn(entry, opened=True)) <= 3_500, entry.key


def called_with(body: Body) -> Called:
    return called("ok", body)


def test_a_text_that_is_read_elsewhere_says_how_much_more_there_is() -> None:
    lines = drawn(called("ok", MarkdownBody("A line of it.\n\n" * 2_000)), opened=True)
    assert lines[-1] == "    … 1,868 more lines · Ctrl+O reads all"


def test_of_very_many_arguments_and_todos_the_first_are_shown() -> None:
    fields = FieldsBody(tuple((f"a{n}", "x") for n in range(60)))
    todos = TodosBody(tuple(Todo(f"t{n}") for n in range(51)))
    lines = drawn(called("ok", fields, todos), opened=True)
    more = "… 10 more arguments · Ctrl+O reads all"
    assert [line.strip() for line in lines[50:53]] == ["a49: x", more, "○ t0"]
    assert lines[-1].strip() == "… 1 more todo · Ctrl+O reads all"


def test_what_was_thought_at_length_says_how_much_more_there_is() -> None:
    lines = drawn(Thought("k", "\n".join(map(str, range(600)))), opened=True)
    assert lines[-2:] == ["  499", "  … 100 more lines"]


def test_a_closed_call_is_one_line() -> None:
    assert len(drawn(called("ok", OUTPUT, MarkdownBody("# a")))) == 1


@pytest.mark.parametrize(("tone", "mark"), [("quiet", "·"), ("warn", "!"), ("bad", "✗")])
def test_what_is_told_has_a_sign_by_its_tone(tone: str, mark: str) -> None:
    told = Told("k", "one\ntwo", tone)  # pyright: ignore[reportArgumentType]
    assert drawn(told) == [f"{mark} one", "  two"]


WORDS = st.text(
    st.sampled_from(
        "ab \n\t-+@`*|>#[]()\u65e5\U0001f469\u200d\U0001f4bb\ufe0f\u2600\u0301\x1b\u202e\r9,"
    ),
    max_size=80,
)
BODIES = st.one_of(
    st.builds(DiffBody, WORDS, whole=st.booleans()),
    st.builds(DiffBody, WORDS.map("@@ -1,9 +1,9 @@\n{}".format)),
    st.builds(OutputBody, WORDS),
    st.builds(MarkdownBody, WORDS),
    st.builds(ChildBody, WORDS, WORDS, WORDS, WORDS, st.integers(0, 2)),
    st.builds(FieldsBody, st.tuples(st.tuples(WORDS, WORDS))),
    st.builds(TodosBody, st.tuples(st.builds(Todo, WORDS))),
)
ENTRIES: st.SearchStrategy[Entry] = st.one_of(
    st.builds(Said, st.just("k"), WORDS, st.tuples(WORDS), waits=st.booleans()),
    st.builds(Spoke, st.just("k"), WORDS, mark=st.sampled_from(("", "cut"))),
    st.builds(Thought, st.just("k"), WORDS, st.booleans()),
    st.builds(
        Called,
        st.just("k"),
        WORDS,
        WORDS,
        WORDS,
        st.sampled_from(("running", "ok", "failed", "asks")),
        WORDS,
        st.integers(0, 9),
        st.integers(0, 10**10),
        st.tuples(BODIES),
        st.booleans(),
    ),
    st.builds(Told, st.just("k"), WORDS, st.sampled_from(("quiet", "warn", "bad"))),
)


@settings(max_examples=400, deadline=None)
@given(ENTRIES, st.integers(2, 60), st.booleans())
def test_no_line_of_any_entry_is_wider_than_it_may_be(
    entry: Entry, width: int, opened: bool
) -> None:
    lines = draw(entry, width, LOOK, opened, 10**9)
    assert all(line.cell_length <= width for line in lines)
    assert "\n" not in "".join(line.text for line in lines)


def test_without_colours_signs_and_words_are_the_same() -> None:
    plain = look_of(DARK, colours=False)
    edit = called("failed", DiffBody(DIFF))
    lines = draw(edit, 60, plain, True, 0)
    assert [line.text for line in lines] == [line.text for line in draw(edit, 60, LOOK, True, 0)]
    styles = (one.style or Style() for line in lines for one in line)
    assert not any(style.color or style.bgcolor for style in styles)
