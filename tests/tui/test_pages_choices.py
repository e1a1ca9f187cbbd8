"""Themes, exports, children, and the table of commands."""

from pathlib import Path

import pytest

from longrein.capabilities.subagents.capability import Subagents
from longrein.client.port import CommandInfo
from longrein.client.saving import Exists, save
from longrein.core.errors import UsageError
from longrein.models.base import Request
from longrein.testing import Reply, call, pause, say
from longrein.tui.commands import BROUGHT, COMMANDS, find, known_commands, unknown
from longrein.tui.keys import KEYS
from longrein.tui.pages.child import ChildPage
from longrein.tui.pages.children import ChildrenPage
from longrein.tui.pages.export import ExportPage
from longrein.tui.pages.theme import ThemePage
from longrein.tui.saving import file_name, target
from longrein.tui.view.header import title_of
from tests.support import run
from tests.tui.apps import using
from tests.tui.host import Host, shown
from tests.tui.kit import client
from tests.tui.screens import lines
from tests.tui.working import settled, talked

PAGE = Path(__file__).parents[2] / "docs" / "terminal-app.md"


def text(app: Host) -> str:
    return "\n".join(lines(app))


def test_a_theme_is_worn_while_the_cursor_is_on_it_and_kept_by_enter() -> None:
    async def main() -> None:
        page = ThemePage("longrein-dark")
        async with shown(page) as (app, person):
            await person.until(lambda: page.listed.row)
            await person.presses("down")
            await person.until(lambda: app.theme == "longrein-light")
            await person.presses("enter")
            await person.until(lambda: app.result)
            assert (app.result, app.theme) == (["longrein-light"], "longrein-light")

    run(main())


def test_esc_brings_the_theme_back() -> None:
    async def main() -> None:
        page = ThemePage("longrein-dark")
        async with shown(page) as (app, person):
            await person.until(lambda: page.listed.row)
            await person.presses("down")
            await person.until(lambda: app.theme == "longrein-light")
            await person.presses("escape")
            await person.until(lambda: app.result)
            assert (app.result, app.theme) == ([None], "longrein-dark")

    run(main())


@pytest.mark.parametrize("size", [(80, 24), (40, 10), (200, 60)])
def test_a_thread_is_written_to_a_file_in_the_folder(tmp_path: Path, size: tuple[int, int]) -> None:
    async def main() -> None:
        async with client([say("Rise, dough.")], tmp_path) as made:
            thread = await talked(made, "Bake bread")
            page = ExportPage(made, thread.thread, title_of(thread.display))
            async with shown(page, size) as (app, person):
                await person.until(lambda: "bake-bread.md" in text(app))
                await person.presses("enter")
                await person.until(lambda: app.result)
                path = tmp_path / "bake-bread.md"
                assert app.result == [str(path)]
                assert "Rise, dough." in path.read_text(encoding="utf-8")
                assert path.stat().st_mode & 0o777 == 0o600

    run(main())


def test_another_format_has_another_ending(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("Rise, dough.")], tmp_path) as made:
            thread = await talked(made, "Bake bread")
            page = ExportPage(made, thread.thread, title_of(thread.display))
            async with shown(page) as (app, person):
                await person.presses("down")
                await person.until(lambda: "bake-bread.json" in text(app))
                await person.presses("enter")
                await person.until(lambda: app.result)
                assert (tmp_path / "bake-bread.json").read_bytes().startswith(b"{")

    run(main())


@pytest.mark.parametrize("over", [False, True])
def test_a_file_that_is_there_is_overwritten_only_after_a_yes(tmp_path: Path, over: bool) -> None:
    async def main() -> None:
        async with client([say("Rise, dough.")], tmp_path) as made:
            thread = await talked(made, "Bake bread")
            there = tmp_path / "bread.md"
            there.write_text("mine", encoding="utf-8")
            page = ExportPage(made, thread.thread, "", path="bread.md")
            async with shown(page) as (app, person):
                await person.presses("enter")
                await person.until(lambda: "Overwrite?" in text(app))
                await person.presses("o" if over else "escape")
                await person.until(lambda: app.result if over else app.screen is page)
                assert (there.read_text(encoding="utf-8") == "mine") != over

    run(main())


def test_a_title_cannot_name_a_file_elsewhere() -> None:
    assert file_name("../../etc/passwd", "thr_1", "json") == "etc-passwd.json"
    assert file_name("\x1b[2J/..", "thr_1", "markdown") == "2j.md"
    assert file_name("///", "thr_1", "markdown") == "thr_1.md"


def test_a_folder_gets_the_file_into_it(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert target(str(tmp_path), "out", "a.md") == tmp_path / "out" / "a.md"
    assert target(str(tmp_path), "out/b.md", "a.md") == tmp_path / "out" / "b.md"


def test_what_cannot_be_written_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        save(tmp_path / "nowhere" / "a.md", b"x")
    save(tmp_path / "a.md", b"x")
    with pytest.raises(Exists):
        save(tmp_path / "a.md", b"y")
    assert [one.name for one in tmp_path.iterdir()] == ["a.md"]


def test_a_file_that_is_written_anew_stays_what_it_was_to_others(tmp_path: Path) -> None:
    there, link = tmp_path / "a.md", tmp_path / "link.md"
    there.write_text("old", encoding="utf-8")
    there.chmod(0o640)
    link.symlink_to(there)
    save(link, b"new", overwrite=True)
    save(tmp_path / "b.md", b"mine")
    assert link.is_symlink()
    assert there.read_text() == "new"
    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("a.md", "b.md")]
    assert modes == [0o640, 0o600]


def delegates(request: Request) -> Reply:
    """The root gives work away in the background; the child is silent."""
    asked = request.messages[0]
    if "Look around" in getattr(asked, "text", ""):
        return pause()
    if len(request.messages) == 1:
        return call(
            "task",
            agent="general-purpose",
            description="Look around",
            prompt="Look around",
            background=True,
        )
    return say("It is under way.")


def test_a_child_is_listed_opened_and_stopped(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(delegates, tmp_path, capabilities=[Subagents()]) as made:
            thread = await made.open(new=True)
            await thread.say("send", "Go")
            shows = await settled(thread, lambda one: one.children)
            child = shows.children[0]
            page = ChildrenPage(thread)
            async with shown(page) as (app, person):
                await person.until(lambda: "running" in text(app))
                assert "Look around" in text(app)
                await person.presses("ctrl+x")
                await person.until(lambda: "stopped" in text(app))
                await person.presses("enter")
                await person.until(lambda: app.result)
                assert app.result == [child.thread]

    run(main())


def test_esc_leads_from_a_child_back_to_the_list_of_children(tmp_path: Path) -> None:
    async def main() -> None:
        async with (
            client(delegates, tmp_path, capabilities=[Subagents()]) as made,
            using(made) as person,
        ):
            await person.types("Go", "enter")
            await settled(person.app.stage.desk.thread, lambda one: one.children)
            await person.types("/children", "enter")
            for page in (ChildrenPage, ChildPage, ChildrenPage):
                await person.until(lambda page=page: type(person.app.screen) is page, f"{page}")
                if page is ChildrenPage:
                    await person.sees("Enter open its conversation")
                    await person.sees("running")
                    await person.presses("enter")
                else:
                    await person.presses("escape")
            await person.until(lambda: isinstance(person.app.screen, ChildPage), "the child")

    run(main())


def test_the_page_says_that_there_are_no_children(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            thread = await made.open(new=True)
            async with shown(ChildrenPage(thread)) as (app, person):
                await person.until(lambda: "Nobody works for this thread" in text(app))

    run(main())


def test_every_command_has_one_name_and_is_found() -> None:
    names = [one.name for one in COMMANDS]
    assert len(names) == len(set(names))
    assert all(find(name) for name in (*names, *BROUGHT))
    assert find("nonsense") is None


def test_commands_of_the_agent_stand_after_those_of_the_app() -> None:
    brought = [CommandInfo("context", "Theirs"), CommandInfo("changes", "Files that changed")]
    known = known_commands(brought)
    assert len(known) == len(COMMANDS) + 1
    assert known[-1].name == "changes"


@pytest.mark.parametrize(
    ("typed", "near"), [("perm", "/permissions"), ("modl", "/mode or /model"), ("qqq", "")]
)
def test_an_unknown_command_names_the_nearest(typed: str, near: str) -> None:
    said = unknown(typed, known_commands(()))
    assert said.startswith(f"There is no command /{typed}.")
    assert near in said
    assert ("Did you mean" in said) == bool(near)


def test_the_docs_name_every_command_and_every_key() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [one.name for one in COMMANDS if f"`/{one.name}" not in page] == []
    keys = {key for group in KEYS for one in group.keys for key in one.keys.split(", ")}
    assert [key for key in sorted(keys - {"letters"}) if f"`{key}`" not in page] == []
