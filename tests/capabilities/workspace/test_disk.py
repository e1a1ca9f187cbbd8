"""A workspace on the disk: tools, rules, and the shell, which all speak of the same files."""

import os
from pathlib import Path
from typing import Any

import pytest

from longrein import Bounds, FileRule, Rule, ShellSettings, UsageError, Workspace
from longrein.testing import call, say
from longrein.workspace.disk import DiskFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from tests.capabilities.workspace.kit import finish, working
from tests.support import children, run


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
            assert ".git" in approval.rule
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
        files, processes = os.listdir(folder), children()
        async with working(Workspace(folder)):
            assert os.listdir(folder) == files
            assert children() <= processes

    run(body())


def test_a_shell_that_there_is_not_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="'sandbox', 'host'"):
        Workspace(folder, shell="bash")  # pyright: ignore[reportArgumentType]


def test_rules_of_the_harness_about_paths_bind_searches_and_commands(folder: Path) -> None:
    async def body() -> None:
        async with working(
            Workspace(folder),
            call("ls"),
            call("grep", pattern="hush"),
            call("execute", command="cat .env; grep -r hush ."),
            call("write_file", path="src/new.lock", content="x"),
            rules=[Rule("deny", path="**/.env"), Rule("deny", category="edit", path="**/*.lock")],
        ) as (_, session):
            said = await finish(session)
            assert "TOKEN" not in "".join(said)
            assert ".env" not in said[0]
            assert "not allowed" in said[3]

    run(body())


def test_a_store_in_the_folder_is_out_of_reach(folder: Path) -> None:
    async def body() -> None:
        store = folder / "app.db"
        async with working(
            Workspace(folder),
            call("read_file", path="app.db"),
            call("ls"),
            call("execute", command="wc -c app.db; cat app.db* > copy; wc -c copy; rm -f app.db*"),
            call("execute", command="seq 1 30000"),
            call("write_file", path="a.txt", content="hi"),
            store=f"sqlite:{store}",
        ) as (_, session):
            said = await finish(session)
            assert "not allowed" in said[0]
            assert "app.db" not in said[1]
            assert "0 copy" in said[2]
            assert store.exists()
            path = said[3].partition("All of it is in ")[2].partition(";")[0]
            assert os.path.isfile(path)  # noqa: ASYNC240
            await session.rewind(session.points()[0])
            assert store.exists()
            assert not (folder / "a.txt").exists()

    run(body())


def test_another_folder_for_a_command_is_shown_and_not_covered_by_rules_about_it(
    folder: Path,
) -> None:
    async def body() -> None:
        (folder / "src/check.sh").write_text("echo other\n")
        allow = Rule("allow", tool="execute", command="sh check.sh")
        check = call("execute", command="sh check.sh", folder="src")
        outside = call("execute", command="ls", folder="/etc")
        async with working(Workspace(folder), check, outside, rules=[allow]) as (_, session):
            await (await session.send("go"))
            (approval,) = session.display.approvals
            assert f"{folder}/src" in approval.touches.paths
            await session.approve(approval)
            await session.run(session.display.run)
            assert "outside of the working folder" in session.display.approvals[0].preview

    run(body())


def test_a_preview_cannot_forge_lines(folder: Path) -> None:
    async def body() -> None:
        line = "echo 'x\nisolated by nobody' \u202e"
        async with working(Workspace(folder), call("execute", command=line)) as (_, session):
            await (await session.send("go"))
            (approval,) = session.display.approvals
            assert "\nisolated by nobody" not in approval.preview
            assert "\u202e" not in approval.preview

    run(body())


def test_a_sandbox_of_your_own_is_given_the_rules(folder: Path) -> None:
    async def body() -> None:
        workspace = Workspace(
            folder,
            rules=[FileRule("deny", ("**/.env",))],
            shell=lambda opening, rules: Bubblewrap(folder, rules=rules),
        )
        async with working(workspace, call("execute", command="cat .e*")) as (_, session):
            (said,) = await finish(session)
            assert "hush" not in said

    run(body())


def test_more_folders_variables_and_less_time_for_commands(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/version").write_text("7\n")
    line = f"echo $GREETING; cat {tmp_path}/tools/version; sleep 60; echo late"

    async def heard(seconds: float) -> str:
        shell = ShellSettings(
            readable=[tmp_path / "tools"],
            environ={"GREETING": "hello"},
            bounds=Bounds(seconds=seconds),
        )
        slow = call("execute", command=line, timeout=60)
        async with working(Workspace(folder, shell=shell), slow) as (_, session):
            (said,) = await finish(session)
            assert "late" not in said
            return said

    # On a busy machine it may not get as far as that: then once more, with more time.
    first = run(heard(1))
    assert first.startswith("hello\n7\n") or run(heard(20)).startswith("hello\n7\n")


def test_a_file_that_is_asked_about_is_denied_to_commands_at_once(folder: Path) -> None:
    async def body() -> None:
        workspace = Workspace(folder, rules=[FileRule("ask", ("**/.env",))])
        async with working(workspace, call("execute", command="cat .env")) as (_, session):
            await (await session.send("go"))
            assert session.display.approvals == ()

    run(body())


def test_files_elsewhere_have_a_shell_by_a_function(folder: Path) -> None:
    async def body() -> None:
        files = Mounts({str(folder): DiskFiles(folder)})
        with pytest.raises(UsageError, match="working folder"):
            Workspace(files, shell=lambda opening, rules: Bubblewrap(folder, rules=rules))
        workspace = Workspace(
            files,
            folder=str(folder),
            shell=lambda opening, rules: Bubblewrap(folder, rules=rules),
        )
        async with working(workspace, call("execute", command="pwd")) as (_, session):
            assert str(folder) in (await finish(session))[0]

    run(body())


def test_no_program_waits_for_an_editor(folder: Path) -> None:
    async def body() -> None:
        line = "echo $TERM $PAGER; $EDITOR x; echo $?"
        async with working(Workspace(folder), call("execute", command=line)) as (_, session):
            assert (await finish(session))[0].startswith("dumb cat\n1\n")

    run(body())
