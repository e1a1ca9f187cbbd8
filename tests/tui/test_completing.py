"""Completion: what is offered where the cursor stands, and what choosing makes of it."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Static

from longrein.capabilities.workspace.workspace import Workspace
from longrein.client.port import CommandInfo
from longrein.testing import say
from longrein.tui.app import LongreinApp
from longrein.tui.look import CURSOR
from longrein.tui.view.completing import (
    Completion,
    command_completions,
    file_completions,
    part_at,
)
from longrein.tui.widgets.completions import Completions
from longrein.tui.writing.sources import NOTHING, Sources
from longrein.workspace.rules import FileRule
from tests.support import run
from tests.tui.apps import User, using
from tests.tui.kit import client
from tests.tui.screens import lines
from tests.tui.typing_app import Typing, typing


def offered(app: Typing | LongreinApp) -> list[str]:
    """The rows that are offered, the chosen one with its sign."""
    rows = app.screen.query_one(Completions)
    if not rows.display:
        return []
    return [line.strip() for line in lines(app)[rows.region.y : rows.region.bottom]]


@pytest.mark.parametrize(
    ("text", "kind", "typed"),
    [
        ("@", "file", ""),
        ("see @src/a", "file", "src/a"),
        ('see @"a b', "file", "a b"),
        ("two\nlines @x", "file", "x"),
        ("/", "command", ""),
        ("/mo", "command", "mo"),
        ("/mode ", "argument", ""),
        ("/mode pl", "argument", "pl"),
    ],
)
def test_a_part_is_known_by_how_it_begins(text: str, kind: str, typed: str) -> None:
    part = part_at(text)
    assert part is not None
    assert (part.kind, part.typed) == (kind, typed)


@pytest.mark.parametrize("text", ["", "me@example.org", "a /mode", " /mode", '@"a b" ', "/x y\nz"])
def test_nothing_is_completed_in_other_texts(text: str) -> None:
    assert part_at(text) is None


def test_a_name_comes_first_then_those_that_begin_so_then_those_that_hold_it() -> None:
    commands = [CommandInfo(name, "") for name in ("model", "rename", "mode", "theme")]
    labels = [one.label for one in command_completions(commands, "mode")]
    assert labels == ["/mode", "/model"]
    assert [one.label for one in command_completions(commands, "me")] == ["/rename", "/theme"]


def test_paths_with_blanks_are_quoted_and_folders_left_open() -> None:
    assert [one.insert for one in file_completions(["a.md", "b c.md", "d/", "e f/"])] == [
        "@a.md ",
        '@"b c.md" ',
        "@d/",
        '@"e f/',
    ]


def test_commands_are_offered_with_what_they_do_and_enter_runs_one(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("/h")
            assert offered(app) == [f"{CURSOR} /help  Keys and commands"]
            await person.presses("enter")
            assert app.told == [("command", "help", "")]
            assert offered(app) == []

    run(do())


def test_a_command_that_is_given_something_waits_for_it(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("/mo")
            await person.presses("down", "enter")
            assert app.text == "/mode "
            await person.until(lambda: len(offered(app)) == 3)
            await person.types("pla")
            await person.until(lambda: offered(app) == [f"{CURSOR} plan"])
            await person.presses("enter")
            assert app.told == [("command", "mode", "plan")]

    run(do())


def test_a_whole_name_runs_without_an_argument(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("/mode")
            assert offered(app)[0].startswith(f"{CURSOR} /mode ")
            await person.presses("enter")
            assert app.told == [("command", "mode", "")]

    run(do())


def test_what_is_typed_faster_than_it_is_offered_is_what_is_run(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("/compact\r/mode plan\r")
            assert app.told == [("command", "compact", ""), ("command", "mode", "plan")]

    run(do())


def test_tab_completes_a_file_and_goes_on_in_a_folder(tmp_path: Path) -> None:
    async def do() -> None:
        (tmp_path / "src").mkdir()
        (tmp_path / "src" / "my app.py").write_text("")
        (tmp_path / "sr.txt").write_text("")
        async with typing(tmp_path) as (app, person):
            await person.types("fix @sr")
            await person.until(lambda: offered(app)[:1] == [f"{CURSOR} src/"])
            await person.presses("tab")
            assert app.text == "fix @src/"
            await person.until(lambda: len(offered(app)) == 2)
            await person.presses("down", "tab")
            assert app.text == 'fix @"src/my app.py" '
            assert offered(app) == []
            await person.types("now\r")
            assert app.told == [("send", 'fix @"src/my app.py" now')]

    run(do())


def test_esc_closes_the_list_until_something_else_is_begun(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("/m")
            await person.presses("escape")
            await person.types("o")
            assert offered(app) == []
            assert app.told == []
            await person.types("\x15")
            await person.types("/m")
            assert len(offered(app)) == 3

    run(do())


def test_a_click_chooses(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("/")
            row = next(n for n, line in enumerate(offered(app)) if "/help" in line)
            await person.pilot.click(Completions, offset=(4, row))
            assert app.told == [("command", "help", "")]

    run(do())


def test_the_list_lies_over_what_is_above_and_moves_nothing(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            before = app.query_one("#above", Static).region, app.editor.region
            await person.types("/")
            assert len(offered(app)) == 4
            assert (app.query_one("#above", Static).region, app.editor.region) == before

    run(do())


@pytest.mark.parametrize("size", [(80, 24), (40, 10)])
def test_many_are_shown_in_few_rows_with_the_chosen_one_among_them(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def do() -> None:
        for n in range(30):
            (tmp_path / f"file{n:02}.py").write_text("")
        async with typing(tmp_path, size=size) as (app, person):
            await person.types("@file")
            await person.until(lambda: offered(app))
            await person.presses(*["down"] * 15)
            rows = offered(app)
            assert 0 < len(rows) <= 8
            assert any(row.startswith(CURSOR) for row in rows)

    run(do())


def test_an_answer_that_comes_too_late_is_dropped(tmp_path: Path) -> None:
    async def do() -> None:
        slow, asked = asyncio.Event(), list[str]()

        async def files(part: str) -> Sequence[str]:
            asked.append(part)
            if part == "a":
                try:
                    await slow.wait()
                except asyncio.CancelledError:
                    return ("late",)
            return (f"{part}.py",)

        async with typing(tmp_path) as (app, person):
            app.editor.use(Sources(files, NOTHING.attachment, NOTHING.arguments, tuple))
            await person.types("@a")
            await person.until(lambda: asked[-1:] == ["a"])
            await person.types("b")
            await person.until(lambda: offered(app) == [f"{CURSOR} ab.py"])
            slow.set()
            await person.settles()
            assert offered(app) == [f"{CURSOR} ab.py"]

    run(do())


def test_files_are_not_looked_for_at_each_letter_of_what_is_typed_in_one_go(tmp_path: Path) -> None:
    async def do() -> None:
        asked = list[str]()

        async def files(part: str) -> Sequence[str]:
            asked.append(part)
            return ()

        async with typing(tmp_path) as (app, person):
            app.editor.use(Sources(files, NOTHING.attachment, NOTHING.arguments, tuple))
            await person.types("@abcdefghijkl")
            await person.until(lambda: asked[-1:] == ["abcdefghijkl"])
            assert len(asked) < 4  # one more for each time that the machine stops on the way

    run(do())


def test_names_cannot_steer_the_terminal() -> None:
    async def do() -> None:
        async with typing(Path("/")) as (app, person):
            rows = app.query_one(Completions)
            rows.show((Completion("a\x1b[31m[b]x[/b]\nb", "", "\x1b]0;t\x07\u202e"),))
            await person.settles()
            assert offered(app) == [f"{CURSOR} a\\x1b[31m[b]x[/b] b  \\x1b]0;t\\x07\\u202e"]

    run(do())


@asynccontextmanager
async def secretive(folder: Path) -> AsyncGenerator[User, None]:
    """Somebody before an app whose agent may not read what is secret."""
    rules = [FileRule("deny", ("**/secret*",)), FileRule("ask", ("**/*.key",))]
    workspace = Workspace(folder, shell=None, rules=rules)
    async with client([say("Done.")], folder, workspace=workspace) as made, using(made) as person:
        yield person


def test_a_file_that_the_agent_may_not_read_is_offered_as_such(tmp_path: Path) -> None:
    async def do() -> None:
        for name in ("secret.txt", "set.key", "setup.py"):
            (tmp_path / name).write_text("x")
        async with secretive(tmp_path) as person:
            await person.types("see @se")
            await person.until(lambda: "may not read" in person.screen)
            rows = [" ".join(row.split()) for row in offered(person.app)]
            assert sorted(row.removeprefix(f"{CURSOR} ") for row in rows) == [
                "secret.txt the agent may not read it",
                "set.key the agent asks before it reads it",
                "setup.py",
            ]

    run(do())


def test_naming_a_file_that_the_agent_may_not_read_says_what_it_gets(tmp_path: Path) -> None:
    async def do() -> None:
        (tmp_path / "secret.txt").write_text("x")
        async with secretive(tmp_path) as person:
            await person.types("Look at @secret.txt, please ", "escape", "enter")
            words = "The agent may not read secret.txt: it was given the name, not what is in it."
            await person.until(lambda: words in person.notes)

    run(do())


def test_sending_a_picture_that_the_agent_may_not_read_says_so(tmp_path: Path) -> None:
    async def do() -> None:
        (tmp_path / "secret.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(16))
        async with secretive(tmp_path) as person:
            await person.pastes(str(tmp_path / "secret.png"))
            await person.until(lambda: "[image: secret.png]" in person.screen)
            await person.until(lambda: person.notes, "a note")
            assert "goes along because you send it" in person.notes[0]

    run(do())
