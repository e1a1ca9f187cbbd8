"""What is pasted: shown as it is or as a mark, sent as it was, and never a key."""

from pathlib import Path

import pytest

from longrein.client.port import Attachment
from longrein.core.messages import File
from longrein.tui.writing.draft import (
    CHARACTERS,
    LINES,
    RECALLED,
    Draft,
    image_paths,
    joined,
    recalled,
    sent_before,
)
from tests.support import run
from tests.tui.screens import shown
from tests.tui.typing_app import typing

LONG = "\n".join(f"line {n}" for n in range(312))
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def test_a_short_paste_is_text(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.pastes("one\r\ntwo\rthree")
            assert app.text == "one\ntwo\nthree"
            assert app.told == []

    run(do())


def test_a_long_paste_is_a_mark_and_is_sent_whole(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("see ")
            await person.pastes(LONG)
            await person.types(" there")
            assert app.text == "see [pasted #1, 312 lines] there"
            await person.pastes("x" * (CHARACTERS + 1))
            assert app.text.endswith("there[pasted #2, 1,001 characters]")
            await person.presses("enter")
            assert app.told == [("send", f"see {LONG} there{'x' * (CHARACTERS + 1)}")]

    run(do())


@pytest.mark.parametrize("key", ["\x7f", "\x17", "\x1b[D\x1b[3~"])
def test_a_mark_is_deleted_as_one_thing(tmp_path: Path, key: str) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("a")
            await person.pastes(LONG)
            await person.types(key)
            assert app.text == "a"
            await person.presses("ctrl+z")
            assert app.text == "a[pasted #1, 312 lines]"
            await person.presses("enter")
            assert app.told == [("send", f"a{LONG}")]

    run(do())


def test_the_cursor_passes_a_mark_and_never_stands_in_it(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.pastes(LONG)
            await person.presses("left", "x", "right", "y")
            assert app.text == "x[pasted #1, 312 lines]y"
            await person.types("\nmiddle of it")
            await person.presses("up", "z")
            assert app.text.startswith(("xz[", "x["))
            assert "[pasted #1, 312 lines]" in app.text

    run(do())


def test_control_characters_are_behind_a_mark_and_sent_as_they_were(tmp_path: Path) -> None:
    async def do() -> None:
        text = "\x1b[31mred\x1b]52;c;eA==\x07 \u202eright \x1b\r!touch x\r\x00end"
        async with typing(tmp_path) as (app, person):
            await person.pastes(text)
            assert app.text == "[pasted #1, 3 lines]"
            assert app.told == []
            assert "\x1b" not in shown(app)
            await person.presses("enter")
            sent = text.replace("\r", "\n").replace("\0", "")
            assert app.told == [("send", sent)]

    run(do())


def test_a_paste_that_looks_like_a_mark_stays_what_it_is() -> None:
    draft, first = Draft().with_paste("[pasted #2, 12 lines]\n" * (LINES + 1))
    draft, second = draft.with_paste("b\n" * 12)
    assert second == "[pasted #2, 12 lines]"
    said = Draft(f"{first}|{second}", draft.pasted).said
    assert said == "[pasted #2, 12 lines]\n" * (LINES + 1) + "|" + "b\n" * 12


@pytest.mark.parametrize("begins", ["!touch x\n", "/quit\n"])
def test_nothing_is_run_because_of_how_a_paste_behind_a_mark_begins(
    tmp_path: Path, begins: str
) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.pastes(begins * 20)
            await person.types("\r")
            assert app.told == [("send", begins * 20)]

    run(do())


def test_drafts_are_joined_with_marks_of_their_own() -> None:
    one, mark = Draft().with_paste(LONG)
    two, same = Draft().with_paste(LONG.replace("line", "row"))
    assert mark == same
    both = joined(Draft(mark, one.pasted), Draft(f"and {same}", two.pasted))
    assert both.said == LONG + "\nand " + LONG.replace("line", "row")


def test_what_is_recalled_is_text_unless_it_cannot_be_shown() -> None:
    assert recalled(LONG).text == LONG
    assert recalled("a\x1b[31m").text == "[pasted #1, 1 line]"
    assert recalled("a\x1b[31m").said == "a\x1b[31m"


@pytest.mark.parametrize(
    ("pasted", "paths"),
    [
        ("cat.png", ("cat.png",)),
        ("'/project/a cat.PNG'", ("/project/a cat.PNG",)),
        ("/project/a\\ cat.jpeg ", ("/project/a cat.jpeg",)),
        ("file:///project/a%20cat.webp", ("/project/a cat.webp",)),
        ("a.png b.gif", ("a.png", "b.gif")),
        ("look at cat.png", ()),
        ("it's a cat.png", ()),
        ("a.png\nb.png", ()),
        ("notes.txt", ()),
        ("", ()),
    ],
)
def test_paths_of_pictures_are_recognised(pasted: str, paths: tuple[str, ...]) -> None:
    assert image_paths(pasted) == paths


def test_a_pasted_picture_goes_along(tmp_path: Path) -> None:
    async def do() -> None:
        (tmp_path / "a cat.png").write_bytes(PNG)
        async with typing(tmp_path) as (app, person):
            await person.types("what is ")
            await person.pastes(f"'{tmp_path}/a cat.png'")
            await person.until(lambda: app.text == "what is [image: a cat.png]")
            await person.types("?\r")
            [draft] = app.drafts
            assert draft.said == "what is [image: a cat.png]?"
            assert draft.files == (Attachment("a cat.png", PNG),)

    run(do())


def test_a_picture_without_its_mark_stays_at_home(tmp_path: Path) -> None:
    async def do() -> None:
        (tmp_path / "cat.png").write_bytes(PNG)
        async with typing(tmp_path) as (app, person):
            await person.types("no ")
            await person.pastes("cat.png")
            await person.until(lambda: "[image" in app.text)
            await person.types("\x7f\r")
            assert app.told == [("send", "no ")]
            assert app.drafts[0].files == ()

    run(do())


def test_a_picture_that_is_named_goes_along_when_it_is_sent(tmp_path: Path) -> None:
    async def do() -> None:
        (tmp_path / "a cat.png").write_bytes(PNG)
        async with typing(tmp_path) as (app, person):
            await person.types('see @"a cat.png" and @gone.png\r')
            draft = await app.editor.with_pictures(app.drafts[0])
            assert draft.said == "see [image: a cat.png] and @gone.png"
            assert [file.name for file in draft.files] == ["a cat.png"]

    run(do())


def test_a_picture_of_a_long_message_is_marked_once_however_often_it_is_edited() -> None:
    said, cat = f"{'x' * RECALLED} [image: cat.png]", File("image/png", "f00", name="cat.png")
    draft = sent_before(said, [cat])
    assert (draft.said, [one.kept for one in draft.files]) == (said, [cat])
    both = joined(sent_before("[image: cat.png]", [cat]), draft)
    assert (both.said.count("[image: cat.png"), len(both.files)) == (2, 2)
