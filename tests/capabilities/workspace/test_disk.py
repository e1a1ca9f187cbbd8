"""A workspace on the disk: tools, rules, and the shell, which all speak of the same files."""

import os
from pathlib import Path
from typing import Any

import pytest

from longrein import FileRule, UsageError, Workspace
from longrein.testing import call, say
from tests.capabilities.workspace.kit import finish, working
from tests.support import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/main.py").write_text("print('one')\n")
    (root / ".env").write_text("TOKEN=hush\n")
    return root


def test_an_approval_shows_the_diff_of_an_edit(folder: Path) -> None:
    async def body() -> None:
        edits = [{"old_string": "one", "new_string": "two"}]
        edit = call("edit_file", path="src/main.py", edits=edits)
        async with working(Workspace(folder), edit) as (_, session):
            await (await session.send("go"))
            (approval,) = session.display.approvals
            assert "-print('one')\n+print('two')" in approval.preview
            assert approval.touches.paths == (f"{folder}/src/main.py",)
            assert (folder / "src/main.py").read_text() == "print('one')\n"

    run(body())


def test_what_a_rule_denies_is_not_read_not_found_and_not_in_the_shell(folder: Path) -> None:
    async def body() -> None:
        workspace = Workspace(folder, rules=[FileRule("deny", ("**/.env",))])
        async with working(
            workspace,
            call("read_file", path=".env"),
            call("ls"),
            call("grep", pattern="hush"),
            call("execute", command="cat .env src/../.env; cp .env x; ls x"),
            call("execute", command="grep -r hush ."),
        ) as (_, session):
            said = await finish(session)
            assert len(said) == 5
            assert "hush" not in "".join(said).replace("grep -r hush", "")
            assert "not allowed" in said[0]
            assert ".env" not in said[1]

    run(body())


def test_tools_and_shell_speak_of_the_same_paths(folder: Path) -> None:
    async def body() -> None:
        async with working(
            Workspace(folder),
            call("execute", command="pwd && echo made > made.txt"),
            call("read_file", path=f"{folder}/made.txt"),
            call("read_file", path="made.txt"),
        ) as (_, session):
            ran, absolute, relative = await finish(session)
            assert str(folder) in ran
            assert "made" in absolute
            assert absolute == relative

    run(body())


def test_what_is_around_the_folder_is_not_there(folder: Path) -> None:
    async def body() -> None:
        (folder.parent / "secret.txt").write_text("hush")
        async with working(
            Workspace(folder),
            call("read_file", path="../secret.txt"),
            call("execute", command=f"cat ../secret.txt {folder.parent}/secret.txt"),
            call("write_file", path="/etc/motd", content="hi"),
        ) as (_, session):
            said = await finish(session)
            assert "hush" not in "".join(said)

    run(body())


def test_a_long_output_can_be_read_in_pieces_and_searched(folder: Path, tmp_path: Path) -> None:
    async def body() -> None:
        store = f"sqlite:{tmp_path}/a.db"
        count = call("execute", command="seq 1 30000")
        async with working(Workspace(folder), count, store=store) as (_, session):
            (said,) = await finish(session)
            path = said.partition("All of it is in ")[2].partition(";")[0]
            assert path.startswith(f"{tmp_path}/a.db-outputs/")
        for_reading = (
            count,
            say("done"),
            call("read_file", path=path, offset=15000, limit=1),
            call("grep", pattern="^29999$", path=path),
            call("execute", command=f"tail -n 1 {path}"),
            call("write_file", path=path, content="gone"),
        )
        async with working(Workspace(folder), *for_reading, store=store) as (harness, session):
            read, found, shown, written = await finish(session)
            assert "15000" in read
            assert "29999" in found
            assert shown.startswith("30000\n")
            assert "not allowed" in written
            await harness.delete("default", session.thread)
            assert not os.path.exists(path)  # noqa: ASYNC240

    run(body())


def test_git_hooks_are_asked_about_by_tools_and_read_only_in_the_shell(folder: Path) -> None:
    async def body() -> None:
        (folder / ".git/hooks").mkdir(parents=True)
        hook = call("write_file", path=".git/hooks/pre-commit", content="#!/bin/sh\n")
        line = call("execute", command="echo x > .git/hooks/pre-commit")
        rules = [FileRule("allow", ("/**",))]
        async with working(Workspace(folder), hook, line) as (_, session):
            await (await session.send("go"))
            (approval,) = session.display.approvals
            assert ".git/hooks" in approval.rule
            await session.decline(approval)
            await finish(session)
            assert list((folder / ".git/hooks").iterdir()) == []
        async with working(Workspace(folder, rules=rules), hook) as (_, session):
            await finish(session)
            assert (folder / ".git/hooks/pre-commit").exists()

    run(body())


@pytest.mark.parametrize("wrong", ["/nowhere/at/all", "/", 7])
def test_a_workspace_needs_a_folder(wrong: Any) -> None:
    with pytest.raises(UsageError):
        Workspace(wrong)


def test_a_workspace_without_a_shell_has_no_shell_tools(folder: Path) -> None:
    names = [tool.name for tool in Workspace(folder, shell=None).tools()]
    assert "execute" not in names
    assert "read_file" in names


def test_opening_a_session_starts_no_process_and_makes_no_file(folder: Path) -> None:
    async def body() -> None:
        before = os.listdir(folder), _children()
        async with working(Workspace(folder)):
            assert (os.listdir(folder), _children()) == before

    run(body())


def _children() -> list[str]:
    tasks = Path("/proc/self/task").iterdir()
    return sorted(pid for task in tasks for pid in (task / "children").read_text().split())


def test_a_shell_that_there_is_not_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="'sandbox', 'host', None"):
        Workspace(folder, shell="bash")  # pyright: ignore[reportArgumentType]
