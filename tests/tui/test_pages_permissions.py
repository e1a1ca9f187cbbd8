"""The page of permissions: what holds, taking it back, asking why."""

from pathlib import Path

import pytest

from longrein.capabilities.workspace.workspace import Workspace
from longrein.client.arguments import json_object
from longrein.core.commands import AddRule, Approve, SwitchMode
from longrein.core.policy import Rule
from longrein.models.base import Request
from longrein.testing import Reply, call, say
from longrein.tui.pages.explain import ExplainPage
from longrein.tui.pages.permissions import PermissionsPage
from longrein.workspace.rules import FileRule
from tests.support import run
from tests.tui.host import Host, shown
from tests.tui.kit import client
from tests.tui.screens import lines
from tests.tui.working import settled


def text(app: Host) -> str:
    return "\n".join(lines(app))


def says(request: Request) -> Reply:
    return say("Done.") if len(request.messages) > 1 else call("execute", command="git push")


def test_a_rule_of_the_thread_is_removed(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            thread = await made.open(new=True)
            await thread.submit(AddRule(Rule("deny", category="edit", path="/project/**/.env")))
            page = PermissionsPage(thread)
            async with shown(page) as (app, person):
                words = "deny   any tool that edits files, path /project/**/.env"
                await person.until(lambda: words in text(app))
                await person.presses(*"env", "ctrl+x")
                await person.until(lambda: words not in text(app))
                assert all(source != "thread" for source, _ in await thread.rules())

    run(main())


def test_a_remembered_yes_is_taken_back(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            thread = await made.open(new=True)
            await thread.say("send", "Push")
            waits = await settled(thread, lambda one: one.approvals)
            await thread.submit(Approve(waits.approvals[0].id, remember="tool"))
            await settled(thread)
            page = PermissionsPage(thread)
            async with shown(page) as (app, person):
                await person.until(lambda: "Always allowed" in text(app))
                assert "execute  where no rule asks" in text(app)
                assert "this thread" in text(app)
                await person.presses("tab", "x")
                await person.until(lambda: "Always allowed" not in text(app))
                assert not await thread.grants()

    run(main())


def test_a_rule_of_somewhere_else_says_where_it_is_from(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            thread = await made.open(new=True)
            await thread.submit(SwitchMode("plan"))
            page = PermissionsPage(thread)
            async with shown(page) as (_, person):
                await person.until(lambda: page.listed.row)
                await person.presses("ctrl+x")
                await person.until(lambda: person.notes)
                assert person.notes[0] == "This rule is from mode: change it there."

    run(main())


@pytest.mark.parametrize("size", [(80, 24), (40, 16)])
def test_why_a_call_would_be_asked_about_is_explained(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            thread = await made.open(new=True)
            page = PermissionsPage(thread)
            async with shown(page, size) as (app, person):
                await person.presses("ctrl+e")
                await person.until(lambda: isinstance(app.screen, ExplainPage))
                await person.presses(*"execute", "tab", *'{"command": "git push"}', "enter")
                await person.until(lambda: "ask" in text(app) and "waits for" in text(app))
                await person.presses("escape")
                await person.until(lambda: app.screen is page)

    run(main())


@pytest.mark.parametrize(
    ("typed", "words"), [("{", "not JSON"), ("[1]", "one JSON object"), ("[" * 5000, "not JSON")]
)
def test_arguments_that_are_no_object_are_refused(typed: str, words: str) -> None:
    with pytest.raises(Exception, match=words):
        json_object(typed)


def test_a_tool_that_there_is_not_is_said_so(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            thread = await made.open(new=True)
            async with shown(ExplainPage(thread)) as (app, person):
                await person.presses(*"nonsense", "enter")
                await person.until(lambda: "nonsense" in text(app).split("Arguments")[1])

    run(main())


def guarded(folder: Path) -> Workspace:
    rule = FileRule("deny", ("**/.env",), source="/project/settings.toml")
    return Workspace(folder, shell=None, rules=[rule])


def test_file_rules_are_listed_with_where_they_are_from(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path, workspace=guarded(tmp_path)) as made:
            page = PermissionsPage(await made.open(new=True), str(tmp_path))
            async with shown(page, (120, 30)) as (app, person):
                await person.until(lambda: "deny   read and write **/.env" in text(app))
                rows = text(app).splitlines()
                own = next(row for row in rows if "**/.env" in row)
                guard = next(row for row in rows if "**/.git" in row)
                assert own.rstrip().endswith("/project/settings.toml")
                assert "ask    always write **/.git" in guard
                assert guard.rstrip().endswith("protected places")

    run(main())


def test_a_path_is_explained_for_reading_and_for_writing(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path, workspace=guarded(tmp_path)) as made:
            page = ExplainPage(await made.open(new=True))
            async with shown(page, (120, 30)) as (app, person):
                await person.presses(*"@.git/config", "enter")
                await person.until(lambda: "To write .git/config" in text(app))
                read, write = text(app).split("To write .git/config")
                assert "To read .git/config" in read
                assert "allow" in read
                words = " ".join(write.split())
                assert words.startswith("ask write_file")
                assert "✓ ask file rule: always ask write" in words

    run(main())


def test_a_path_that_may_not_be_read_names_the_rule(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path, workspace=guarded(tmp_path)) as made:
            page = ExplainPage(await made.open(new=True))
            async with shown(page, (120, 30)) as (app, person):
                await person.presses(*"conf/.env", "enter")
                await person.until(lambda: "To write conf/.env" in text(app))
                assert "✓ deny  file rule: deny read+write **/.env" in text(app)

    run(main())


def test_a_path_outside_of_the_workspace_is_explained_as_the_tools_refuse_it(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path, workspace=guarded(tmp_path)) as made:
            page = ExplainPage(await made.open(new=True))
            async with shown(page, (120, 30)) as (app, person):
                await person.presses(*"/elsewhere/a.txt", "enter")
                await person.until(lambda: "To write /elsewhere/a.txt" in text(app))
                read, write = text(app).split("To write /elsewhere/a.txt")
                for one in (read, write):
                    words = " ".join(one.split())
                    assert "would be refused, whatever the rules say" in words
                    assert "outside of the workspace" in words
                    assert "allow " not in words

    run(main())
