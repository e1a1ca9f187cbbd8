"""Replacements in bytes: exact, all or none, and nothing else changes."""

import time

import pytest

from longrein.workspace.editing import EditProblem, Replacement, edit, like, nearest, read_text

CODE = b"def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"


def edited(data: bytes, *replacements: tuple[str, str]) -> bytes:
    return edit(data, [Replacement(*one) for one in replacements]).data


def problem(data: bytes, *replacements: tuple[str, str]) -> str:
    with pytest.raises(EditProblem) as found:
        edited(data, *replacements)
    return str(found.value)


def test_a_text_that_is_there_once_is_replaced() -> None:
    assert edited(b"one two three", ("two", "2")) == b"one 2 three"


def test_several_edits_are_made_one_after_the_other() -> None:
    assert edited(b"a b", ("a", "b c"), ("c b", "d")) == b"b d"


def test_if_one_edit_fails_none_is_made_and_it_is_told_which() -> None:
    told = problem(b"a b", ("a", "x"), ("zzz", "y"), ("b", "z"))
    assert told.startswith("Edit 2 of 3: ")
    assert "Nothing was changed" in told


def test_all_places_are_replaced_where_that_is_said() -> None:
    done = edit(b"x y x", [Replacement("x", "z", all=True)])
    assert (done.data, done.places) == (b"z y z", 2)


def test_several_places_without_saying_so_are_told_with_their_lines() -> None:
    told = problem(b"x\ny\nx\n", ("x", "z"))
    assert "2 times (lines 1, 3)" in told
    assert "replace_all" in told


@pytest.mark.parametrize(
    ("data", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "1\n2\n3", b"1\r\n2\r\n3\r\nc\r\n"),
        (b"a\r\nb\r\n", "a\r\nb", "1\r\n2", b"1\r\n2\r\n"),
        (b"a\nb\n", "a\r\nb", "1\r\n2", b"1\n2\n"),
        (b"a\r\nb\r\n", "b", "1\n2", b"a\r\n1\r\n2\r\n"),
        (b"a\nb\r\nc\r\n", "a", "1\n2", b"1\n2\nb\r\nc\r\n"),
        (b"a\nb\r\nc\r\n", "b\nc", "1\n2", b"a\n1\r\n2\r\n"),
        (b"a\r\nb", "b", "1\n2", b"a\r\n1\r\n2"),
        (b"a\r\n\r\nb\r\n", "\n\nb", "!", b"a!\r\n"),
        (b"a\rb\n", "b", "c", b"a\rc\n"),
        (b"a", "a", "b", b"b"),
        (b"a\n", "a", "b", b"b\n"),
        (b"", "", "new", b"new"),
        (b"\xef\xbb\xbfa\n", "a", "\u00e9", b"\xef\xbb\xbf\xc3\xa9\n"),
        (b"caf\xe9 x", "caf\u00e9", "th\u00e9", b"th\xe9 x"),
        ("a\r\nb".encode("utf-16"), "a\nb", "c\nd", "c\r\nd".encode("utf-16")),
        (b"\xfe\xff\0a", "a", "b", b"\xfe\xff\0b"),
    ],
)
def test_line_ends_encoding_mark_and_end_of_the_file_stay(
    data: bytes, old: str, new: str, after: bytes
) -> None:
    assert edited(data, (old, new)) == after


def test_a_character_that_the_encoding_has_not_is_refused() -> None:
    assert "U+2192" in problem(b"caf\xe9", ("caf", "\u2192"))


@pytest.mark.parametrize(
    ("data", "old", "new", "told"),
    [
        (b"a", "a", "a", "the same"),
        (b"a\r\nb", "a\nb", "a\r\nb", "the same"),
        (b"a", "", "b", "old text is empty"),
        (b"a\0b", "a", "b", "no text file"),
        (CODE, "frobnicate", "x", "nor anything like it"),
        (b"", "x", "y", "nor anything like it"),
    ],
)
def test_what_cannot_be_done_is_told(data: bytes, old: str, new: str, told: str) -> None:
    assert told in problem(data, (old, new))


def test_edits_that_undo_each_other_are_no_success() -> None:
    assert "stay as it is" in problem(b"a", ("a", "b"), ("b", "a"))


def test_without_edits_nothing_is_done() -> None:
    assert "at least one" in problem(b"a")


def test_the_nearest_lines_are_told_with_their_numbers() -> None:
    told = problem(CODE, ("def sub(a, b):\n    return a-b", "x"))
    assert "5\tdef sub(a, b):\n6\t    return a - b" in told


def test_spaces_at_the_ends_of_lines_are_ignored_if_only_one_place_fits_and_that_is_told() -> None:
    done = edit(b"if x:  \n    y\nz\n", [Replacement("if x:\n    y  \n", "w\n")])
    assert done.data == b"w\nz\n"
    assert "spaces at the ends of lines were ignored to find it, at line 1" in done.notes[0]


def test_spaces_are_not_ignored_where_two_places_fit() -> None:
    assert "not in the file" in problem(b"a\nb \na\nb \n", ("a\nb\t", "c"))


def test_spaces_inside_lines_are_never_ignored() -> None:
    assert "not in the file" in problem(b"return a  + b\n", ("return a + b", "x"))


def test_line_numbers_that_were_copied_along_are_told() -> None:
    told = problem(CODE, ("5\tdef sub(a, b):\n6\t    return a - b", "x"))
    assert "at line 5, but without line numbers" in told


def test_looking_for_the_nearest_lines_in_a_large_file_takes_little_time() -> None:
    text = "".join(f"value_{n} = compute(alpha, beta, {n})\n" for n in range(200_000))
    began = time.process_time()
    assert nearest(text, "value_77 = compute(alpha, gamma, 77)").startswith("78\t")
    nearest("a a a a\n" * 100_000, "a a b a " * 100)
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        (b"a\r\nb\r\n", "c\nd\n", b"c\r\nd\r\n"),
        (b"a\r\nb\r\n", "c\r\nd\n", b"c\r\nd\n"),
        (b"a\r\nb\n", "c\nd\n", b"c\nd\n"),
        (b"\xef\xbb\xbfa", "b", b"\xef\xbb\xbfb"),
        (b"\xef\xbb\xbfa", "\ufeffb", b"\xef\xbb\xbfb"),
        (b"\xe9", "\u00e8", b"\xe8"),
        (b"\xe9", "\u2192", "\u2192".encode()),
        (b"\0\1", "a\n", b"a\n"),
        (b"", "a\n", b"a\n"),
    ],
)
def test_a_whole_new_text_is_written_as_the_old_one_was(
    before: bytes, text: str, after: bytes
) -> None:
    assert like(before, text) == after


def test_broken_utf_16_is_no_text() -> None:
    assert read_text(b"\xff\xfea\0b") is None


@pytest.mark.parametrize(
    ("data", "old", "told"),
    [
        (
            b"def f():\n\treturn 1\n",
            "def f():\n    return 1",
            "indented otherwise (tabs). Copy them as they are:\n1\tdef f():\n2\t\treturn 1\n",
        ),
        (b"if a:\n    b\n", "\tb", "indented otherwise (spaces)"),
        (b"if a:\nb\n", "if a:\n  b", "indented otherwise (not at all)"),
        (b'x = "a"\n', "x = \u201ca\u201d", "other quotes, dashes or spaces"),
        ("it\u2019s \u2013 so\n".encode(), "it's - so", "Copy these:\n1\tit\u2019s \u2013 so\n"),
        (b"a\n\tb\n", r"a\n\tb", "at line 1, but with real line ends, tabs and quotes"),
        (b'say "x"\n', r"say \"x\"", "Leave out the backslashes"),
    ],
)
def test_why_a_text_is_not_found_is_told_where_it_can_be(data: bytes, old: str, told: str) -> None:
    with pytest.raises(EditProblem) as problem:
        edit(data, [Replacement(old, "new")])
    assert told in str(problem.value)


def test_no_line_of_a_problem_begins_with_a_blank() -> None:
    with pytest.raises(EditProblem, match=r"\nNothing was changed\.$"):
        edit(b"def add(a, b): return a\n", [Replacement("def add(a, b): return b", "")])


def test_looking_for_another_indentation_takes_little_time() -> None:
    began = time.process_time()
    with pytest.raises(EditProblem):
        edit(b" " * 1_000_000 + b"x\n", [Replacement("\n" * 200 + "\t\ty\n\n z", "")])
    assert time.process_time() - began < 5
