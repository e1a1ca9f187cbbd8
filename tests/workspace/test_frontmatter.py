"""The head of a Markdown file, with the reader of the Agent Skills project as the judge."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.workspace.frontmatter import FrontmatterError, read_frontmatter
from tests.capabilities.skills.judge import judged

GOOD = {
    "a: b": {"a": "b"},
    "a: b  # said": {"a": "b"},
    "a:\nb: c": {"a": "", "b": "c"},
    "a: on\nb: 1.10\nc: ~": {"a": "on", "b": "1.10", "c": "~"},
    "a: 'it''s: so'": {"a": "it's: so"},
    'a: "tab\\tline\\n\\u00e9 \\"x\\""': {"a": 'tab\tline\né "x"'},
    "a: one\n  two\n\n  three": {"a": "one two\nthree"},
    'a: "one\n  two\n\n  three "': {"a": "one two\nthree "},
    "a: >\n  one\n  two\n\n  three\nb: c": {"a": "one two\nthree\n", "b": "c"},
    "a: >-\n  one\n    more\n  two": {"a": "one\n  more\ntwo"},
    "a: |\n  # one\n\n    two\n": {"a": "# one\n\n  two\n"},
    "a:\n  b: c\n  d: e": {"a": {"b": "c", "d": "e"}},
    "a:\n  - b\n  - 'c: d'": {"a": ["b", "c: d"]},
    "a:\n- b\n- c\nd: e": {"a": ["b", "c"], "d": "e"},
    "a:\n  - b: c\n    d: e\n  - f: g": {"a": [{"b": "c", "d": "e"}, {"f": "g"}]},
    "a:\n  - - b\n    - c": {"a": [["b", "c"]]},
    "# first\na: b\n\n# last": {"a": "b"},
    "a: x:y#z": {"a": "x:y#z"},
    "名前: 値\u3000": {"名前": "値\u3000"},
}


@pytest.mark.parametrize("head", GOOD)
def test_what_people_write_is_read_as_it_was_meant(head: str) -> None:
    assert read_frontmatter(f"---\n{head}\n---\nbody") == (GOOD[head], "body")


@pytest.mark.parametrize("head", GOOD)
def test_the_judge_reads_the_same(head: str) -> None:
    assert judged(f"---\n{head}\n---\nbody") == (GOOD[head], "body")


BAD = {
    "a: b: c": "quotes",
    "a: [b, c]": "line of its own",
    "a: {b: c}": "line of its own",
    "a: &x b": "anchor",
    "a: *x": "alias",
    "a: !!str b": "tag",
    "a:\tb": "tab",
    "a: b\na: c": "second time",
    "a: 'b": "closing",
    "a: 'b' c": "after the closing",
    'a: "\\q"': "cannot stand here",
    'a: "\\ud800"': "cannot stand here",
    "a: @b": "quotes",
    "a: - b": "quotes",
    "a: =": "quotes",
    "a: |2\n  b": "text below it",
    "a:\n  b": "below its key",
    "a:\n    b: c\n  d: e": "indented",
    "a:\n  b: c\nd:\n   e: f": "indented",
    "  a: b": "indented",
    "a: b --- c": "inside the head",
    "just text": "key: value",
    "- a": "key: value",
    "<<: a": "key: value",
    "a: b\x07": r"U\+0007, which cannot be seen: remove it",
    "a: b\u2028c": r"U\+2028, which cannot be seen: remove it",
    "a:\n  -\n  - b": "item without a text",
    "": "empty",
    "a:" + "".join(f"\n{' ' * n}a:" for n in range(1, 12)): "levels",
}


@pytest.mark.parametrize("head", BAD)
def test_what_could_be_read_in_two_ways_is_refused_with_what_to_do(head: str) -> None:
    with pytest.raises(FrontmatterError, match=BAD[head]):
        read_frontmatter(f"---\n{head}\n---\nbody")


def test_the_line_is_named() -> None:
    with pytest.raises(FrontmatterError, match="Line 3 "):
        read_frontmatter("---\na: b\nc: d: e\n---\n")


@pytest.mark.parametrize("text", ["", "# Title\n", "--- a: b\n---\n", "\ufeff---\na: b\n---\n"])
def test_a_file_without_a_head_says_so(text: str) -> None:
    with pytest.raises(FrontmatterError, match="no head"):
        read_frontmatter(text)


def test_a_head_that_is_not_closed_says_so() -> None:
    with pytest.raises(FrontmatterError, match="not closed"):
        read_frontmatter("---\na: b\n")


def test_line_ends_of_any_kind_are_the_same() -> None:
    text = "---\na: >\n  b\n  c\n---\nd"
    for end in ("\r\n", "\r"):
        assert read_frontmatter(text.replace("\n", end)) == ({"a": "b c\n"}, "d")


PIECES = """name|description|a|b|: |:| |  |\n|\n  |\n    |\n\n|- |-|'|"|''|\\n|\\|\\u00e9|#| #|>|\
>-|x|1|~|null|é|\u3000|\xa0|[|{|&|*|!|%|@|?|? |,|<<|=|...|\n  - |\n- |name: |\na: |\n  b: |\nc: |\
some text"""
HEADS = st.lists(st.sampled_from([*PIECES.split("|"), "|", "|-"]), max_size=14).map("".join)


@settings(max_examples=1_000, deadline=None)
@given(HEADS, st.booleans())
def test_the_judge_reads_whatever_is_read_here_and_in_the_same_way(head: str, begun: bool) -> None:
    text = f"---\n{'name: x' if begun else ''}\n{head}\n---\nbody"
    try:
        read = read_frontmatter(text)
    except FrontmatterError:
        return
    assert judged(text) == read


LINES = ("name: x", "a:", "a: >", "a: |-", "  b: c", "  b", "    d", "- e", "  - f: g", "", "  ")


def test_the_judge_agrees_about_every_head_of_three_lines() -> None:
    read = 0
    for lines in product(LINES, repeat=3):
        text = "\n".join(("---", *lines, "---", "body"))
        try:
            ours = read_frontmatter(text)
        except FrontmatterError:
            continue
        assert judged(text) == ours
        read += 1
    assert read > 150
