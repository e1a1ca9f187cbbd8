"""Markdown as lines of a terminal."""

import pytest
from rich.style import Style

from longrein.tui.draw.markdown import markdown
from longrein.tui.look import DARK, look_of

LOOK = look_of(DARK)


def drawn(text: str, width: int = 60) -> list[str]:
    return [line.text.rstrip() for line in markdown(text, width, LOOK)]


def styles(text: str) -> dict[str, Style | None]:
    return {one.text: one.style for line in markdown(text, 60, LOOK) for one in line}


def test_paragraphs_keep_the_lines_they_were_written_in() -> None:
    assert drawn("one\ntwo\n\nthree") == ["one", "two", "", "three"]


def test_a_list_stands_right_below_the_line_that_it_belongs_to() -> None:
    assert drawn("Steps:\n- a\n- b\n\nThen") == ["Steps:", "• a", "• b", "", "Then"]


def test_lists_are_nested_numbered_and_ticked() -> None:
    text = "- a\n  - b\n    c\n7. d\n8. e\n\n- [ ] f\n- [x] g"
    assert drawn(text) == ["• a", "  • b", "    c", "7. d", "8. e", "", "○ f", "✓ g"]


def test_long_items_go_on_below_their_text() -> None:
    assert drawn("1. one two three four", 12) == ["1. one two", "   three", "   four"]


def test_quotes_have_a_bar() -> None:
    assert drawn("> a\n>\n> - b") == ["│ a", "│", "│ • b"]


def test_code_has_the_name_of_its_language_above_it_and_nothing_around_it() -> None:
    assert drawn("```python title=x\nif a:\n\tb\n```\nc") == [
        "python title=x",
        "  if a:",
        "      b",
        "",
        "c",
    ]


def test_what_the_parser_leaves_out_is_drawn() -> None:
    assert drawn('[a](http://x "one") ![b](http://y "two")', 80) == [
        'a (http://x "one") [image: b] (http://y "two")'
    ]
    head = "| a | b |\n|---|---|\n"
    assert drawn(f"{head}| 1 | 2 | 3 | 4 |\n| 5 | 6 |")[2:] == ["1  2 | 3 | 4", "5  6"]
    quoted = "".join(f"> {line}\n" for line in f"{head}| 1 | 2 | 3".split("\n"))
    assert drawn(quoted)[-1] == "│ 1  2 | 3"


def test_code_is_coloured() -> None:
    found = styles("```python\ndef f(): return 1 # why\n```")
    assert (found["def"], found["1"], found["# why"]) == (LOOK.keyword, LOOK.number, LOOK.comment)


def test_code_in_a_language_that_nobody_knows_is_plain() -> None:
    assert styles("```klingon\nqapla 1\n```")["qapla 1"] == LOOK.text


def test_long_lines_of_code_are_not_cut() -> None:
    assert drawn("```\nabcdefghij\n```", 8) == ["abcdefgh", "ij"]


def test_marks_are_styles() -> None:
    found = styles("*a* **b** ~~c~~ `d`")
    assert found["a"] == LOOK.text + Style(italic=True)
    assert found["b"] == LOOK.text + Style(bold=True)
    assert found["c"] == LOOK.text + Style(strike=True)
    assert found["d"] == LOOK.code


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[a](https://b.example/c)", "a (https://b.example/c)"),
        ("<https://b.example>", "https://b.example"),
        ("[https://b.example](https://b.example)", "https://b.example"),
        ("<a@b.example>", "a@b.example"),
        ("[**a**](b.md)", "a (b.md)"),
        ("![cat](https://b.example/c.png)", "[image: cat] (https://b.example/c.png)"),
        ("[a][b]\n\n[b]: https://c.example", "[a][b]\n\n[b]: https://c.example"),
        ("<b>a</b> &amp; c", "<b>a</b> & c"),
        ("<div>\n*a*\n</div>", "<div>\na\n</div>"),
    ],
)
def test_links_say_where_they_lead_and_html_is_text(text: str, shown: str) -> None:
    assert "\n".join(drawn(text)) == shown


TABLE = "| Name | Size |\n|:--|--:|\n| a | 1 |\n| long name | 1000 |"


def test_a_table_is_aligned() -> None:
    assert drawn(TABLE) == [
        "Name       Size",
        "─────────  ────",
        "a             1",
        "long name  1000",
    ]


def test_a_table_that_is_too_wide_has_wrapped_cells() -> None:
    table = "| Name | What |\n|---|---|\n| a | one two three |\n| b | four |"
    assert drawn(table, 16) == [
        "Name  What",
        "────  ──────────",
        "a     one two",
        "      three",
        "",
        "b     four",
    ]


def test_a_table_with_no_room_for_its_columns_is_told_field_by_field() -> None:
    table = (
        "| Name | Size | Other |\n|---|---|---|\n| aaaaaaaaa | bbbbbbbbb | |\n| ccccccccc | d | e |"
    )
    assert drawn(table, 18) == [
        "Name: aaaaaaaaa",
        "Size: bbbbbbbbb",
        "",
        "Name: ccccccccc",
        "Size: d",
        "Other: e",
    ]


def test_headings_and_rules_stand_apart() -> None:
    assert drawn("a\n# b\nc\n***\nd") == ["a", "", "b", "c", "", "─" * 24, "", "d"]


def test_what_is_nested_too_deeply_is_shown_as_it_was_written() -> None:
    text = "> " * 100 + "deep"
    assert "".join(drawn(text, 40)).replace(" ", "") == text.replace(" ", "")


HARD = {
    "quotes": ">" * 20_000,
    "brackets": "[" * 20_000,
    "links": "[a](b" * 5_000,
    "images": "![[" * 5_000,
    "stars": "*a _b " * 5_000,
    "ticks": "`a``b```c" * 3_000,
    "one line": "x" * 300_000,
    "wide line": "\u65e5" * 50_000,
    "columns": "a|" * 1_000 + "\n" + "-|" * 1_000 + "\n" + "b|" * 1_000,
    "empty cells": "|" + "a|" * 64 + "\n|" + "-|" * 64 + "\n" + "b\n" * 300,
    "deep list": "".join(" " * (2 * n) + "- x\n" for n in range(200)),
    "lazy lines": ">" * 12 + "a\n" + "b\n" * 2_000,
    "marks": "a" + "\u0301" * 20_000,
    "blank lines": "\n" * 100_000,
    "entities": "&#x202e;" * 10_000,
    "open code": "```python\n" + "'" * 50_000,
    "no code": ("```java\n" + ("a " * 150 + "\n") * 10),
    "many lines of code": "```html\n" + "<a b='c'>\n" * 1_000,
}


@pytest.mark.parametrize("name", HARD)
def test_hard_texts_are_drawn_in_bounded_time(name: str) -> None:
    assert all(line.cell_length <= 80 for line in markdown(HARD[name], 80, LOOK))
