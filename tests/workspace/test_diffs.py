"""Diffs: right, short, and quick whatever the files are."""

import random
import time

import pytest

from longrein.workspace.diffs import Change, diff, find_changes


def rebuilt(was: list[str], now: list[str], changes: list[Change]) -> list[str]:
    """The new lines, made of the old ones and the changes alone."""
    made: list[str] = []
    at = 0
    for one in changes:
        made += was[at : one.start] + now[one.first : one.last]
        at = one.stop
    return made + was[at:]


def test_a_change_is_shown_with_the_lines_around_it() -> None:
    before = b"".join(b"%d\n" % n for n in range(1, 21))
    found = diff(before, before.replace(b"10\n", b"ten\n10.5\n"), "/n.txt")
    assert found.names == "--- /n.txt\n+++ /n.txt"
    assert found.body.split("\n") == [
        "@@ -7,7 +7,8 @@", " 7", " 8", " 9", "-10", "+ten", "+10.5", " 11", " 12", " 13",
    ]  # fmt: skip
    assert (found.added, found.removed) == (2, 1)


def test_changes_far_from_each_other_are_shown_apart() -> None:
    before = b"".join(b"%d\n" % n for n in range(1, 41))
    found = diff(before, before.replace(b"5\n", b"V\n", 1).replace(b"39\n", b""), "/n")
    assert found.body.count("@@ -") == 2


@pytest.mark.parametrize(
    ("before", "after", "body"),
    [
        (None, b"a\n", "@@ -0,0 +1 @@\n+a"),
        (b"a\n", None, "@@ -1 +0,0 @@\n-a"),
        (b"a", b"a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a"),
        (b"a\r\n", b"a\n", "@@ -1 +1 @@\n-a\\r\n+a"),
        (b"a\r\n", b"b\r\n", "@@ -1 +1 @@\n-a\n+b"),
        (b"a\n", b"\xef\xbb\xbfa\n", "(encoding: utf-8 before, utf-8 with byte order mark after)"),
    ],
)
def test_what_begins_or_ends_or_only_looks_the_same_is_shown(
    before: bytes | None, after: bytes | None, body: str
) -> None:
    assert diff(before, after, "/a").body == body


def test_a_new_and_a_removed_file_are_told_by_their_names() -> None:
    assert diff(None, b"a\n", "/a").names == "--- /dev/null\n+++ /a"
    assert diff(b"a\n", None, "/a").names == "--- /a\n+++ /dev/null"


def test_what_is_the_same_has_no_diff() -> None:
    assert diff(b"a", b"a", "/a").text == ""


def test_what_is_no_text_or_large_is_one_line_with_sizes() -> None:
    assert diff(b"\0", b"a", "/a").text == "/a: not text; 1 byte before, 1 byte after"
    assert diff(None, b"\0\0", "/a").text == "/a: not text; nothing before, 2 bytes after"
    large = b"x" * (4 * 1024 * 1024 + 1)
    assert (
        "too large to compare; 1 byte before, 4,194,305 bytes after" in diff(b"a", large, "").text
    )


def test_a_long_diff_and_long_lines_are_cut_and_all_is_counted() -> None:
    found = diff(b"", b"x" * 1_000 + b"\n" + b"y\n" * 999, "/a", lines=10)
    assert len(found.body.split("\n")) == 11
    assert found.body.endswith("(cut; 1,000 lines added and 0 removed in all)")
    assert max(map(len, found.body.split("\n"))) < 500
    assert found.added == 1_000


def test_any_lines_become_any_others_by_their_changes() -> None:
    draw = random.Random(7)
    for _ in range(3_000):
        was = [draw.choice("abcd") for _ in range(draw.randrange(10))]
        now = [draw.choice("abcd") for _ in range(draw.randrange(10))]
        assert rebuilt(was, now, find_changes(was, now)) == now


def test_few_differences_in_many_lines_are_found_exactly() -> None:
    was = [str(n) for n in range(20_000)]
    now = [line for line in was if line not in ("7", "19990")]
    now.insert(9_000, "new")
    assert [(one.stop - one.start, one.last - one.first) for one in find_changes(was, now)] == [
        (1, 0), (0, 1), (1, 0),
    ]  # fmt: skip


def test_large_files_that_have_nothing_in_common_take_little_time() -> None:
    draw = random.Random(7)
    was = b"".join(b"%d\n" % draw.randrange(1_000) for _ in range(300_000))
    now = b"".join(b"%d\n" % draw.randrange(1_000) for _ in range(300_000))
    began = time.process_time()
    diff(was, now, "/a")
    diff(b"a\n" * 1_000_000, b"b\na\n" * 1_000_000, "/a")
    assert time.process_time() - began < 5
