"""What capabilities mount beside the files of a workspace."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from longrein import (
    Agent,
    Capability,
    Disk,
    FileRule,
    Harness,
    InStore,
    InThread,
    Mounted,
    OpenWorkspace,
    Session,
    UsageError,
    Workspace,
)
from longrein.capabilities.opening import Mount, Opening, Places
from longrein.testing import Reply, Script, ScriptedModel, call, say
from longrein.workspace.memory import MemoryFiles
from tests.capabilities.workspace.kit import finish
from tests.support import run


class Beside(Capability):
    """Mounts files, and shows folders to commands."""

    def __init__(
        self, mounts: Mapping[str, Mount], readable: tuple[str, ...] = (), name: str = "beside"
    ) -> None:
        self._places = Places(mounts, readable)
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    def places(self, opening: Opening) -> Places:
        return self._places


def harness(workspace: Workspace, *replies: Reply, beside: list[Capability]) -> Harness:
    model = ScriptedModel(Script([*replies, say("done")]))
    return Harness(Agent("worker", model=model, capabilities=[workspace, *beside]))


async def told(session: Session[Any]) -> str:
    """The system text that the model was given."""
    prefix = session.folded.prefix
    return prefix.system if prefix else ""


def test_what_is_mounted_is_read_written_and_found_by_the_file_tools(tmp_path: Path) -> None:
    files = MemoryFiles()

    async def body() -> None:
        made = harness(
            Workspace(tmp_path, shell=None),
            call("write_file", path="/memories/likes.md", content="tea\n"),
            call("read_file", path="/memories/likes.md"),
            call("grep", pattern="tea", path="/memories"),
            call("grep", pattern="tea"),
            call("ls", path="/memories"),
            beside=[Beside({"/memories": files})],
        )
        async with made as host:
            session = await host.session()
            _, read, found, not_found, listed = await finish(session)
            assert "1\ttea" in read
            assert "/memories/likes.md" in found
            assert not_found.startswith("Nothing found")
            assert listed == "likes.md (4 bytes)"
            assert (await files.read("/likes.md")).data == b"tea\n"

    run(body())


def test_the_model_is_told_of_them_in_few_words(tmp_path: Path) -> None:
    async def body() -> None:
        mounts = {
            "/memories": MemoryFiles(),
            "/skills/a": MemoryFiles(),
            "/skills/b": MemoryFiles(),
        }
        made = harness(Workspace(tmp_path), beside=[Beside(mounts)])
        async with made as host:
            session = await host.session()
            await finish(session)
            assert (
                "Other files are in /history (the whole conversation), /memories, /offload (long "
                "results), /skills. Commands do not see them."
            ) in await told(session)

    run(body())


def test_file_rules_hold_for_what_is_mounted(tmp_path: Path) -> None:
    async def body() -> None:
        files = MemoryFiles()
        await files.write("/secret.md", b"x")
        made = harness(
            Workspace(tmp_path, shell=None, rules=[FileRule("deny", ("**/secret.md",))]),
            call("read_file", path="/memories/secret.md"),
            call("ls", path="/memories"),
            beside=[Beside({"/memories": files})],
        )
        async with made as host:
            session = await host.session()
            refused, listed = await finish(session)
            assert "deny" in refused
            assert listed == "(empty)"

    run(body())


def test_a_mount_may_depend_on_who_looks() -> None:
    async def body() -> None:
        own: dict[str, MemoryFiles] = {}

        def of_thread(ctx: Any) -> MemoryFiles:
            return own.setdefault(ctx.thread, MemoryFiles())

        made = harness(
            Workspace(InThread()),
            call("write_file", path="/mine/a.md", content="1"),
            beside=[Beside({"/mine": of_thread})],
        )
        async with made as host:
            session = await host.session()
            await finish(session)
            assert (await own[session.thread].read("/a.md")).data == b"1"

    run(body())


def test_an_application_takes_only_the_workspaces_own_files() -> None:
    async def body() -> None:
        files = MemoryFiles()
        await files.write("/a.md", b"x")
        made = harness(Workspace(InThread()), beside=[Beside({"/memories": files})])
        async with made as host:
            session = await host.session()
            workspace = session.capability(OpenWorkspace)
            await session.perform(lambda ctx: workspace.put(ctx, {"/own.md": b"1"}))
            assert await session.perform(workspace.take) == {"/own.md": b"1"}

    run(body())


def test_a_rewind_of_files_leaves_alone_what_is_mounted(tmp_path: Path) -> None:
    async def body() -> None:
        files = MemoryFiles()
        made = harness(
            Workspace(tmp_path, shell=None),
            call("write_file", path="/memories/a.md", content="1"),
            call("write_file", path="own.md", content="1"),
            beside=[Beside({"/memories": files})],
        )
        async with made as host:
            session = await host.session()
            await finish(session)
            report = await session.rewind(session.points()[0])
            assert not (tmp_path / "own.md").exists()
            assert (await files.read("/a.md")).data == b"1"
            assert report

    run(body())


@pytest.mark.parametrize("at", ["/project", "/project/inner", "/"])
def test_a_mount_in_the_folder_of_the_workspace_is_refused(tmp_path: Path, at: str) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    path = at if at == "/" else f"{tmp_path}{at}"

    async def body() -> None:
        made = harness(Workspace(folder, shell=None), beside=[Beside({path: MemoryFiles()})])
        async with made as host:
            with pytest.raises(UsageError, match="no path to mount" if at == "/" else str(folder)):
                await host.session()

    run(body())


def test_a_mount_that_would_hide_the_folder_of_the_workspace_is_refused(tmp_path: Path) -> None:
    async def body() -> None:
        made = harness(
            Workspace(tmp_path, shell=None), beside=[Beside({str(tmp_path.parent): MemoryFiles()})]
        )
        async with made as host:
            with pytest.raises(UsageError, match="the folder of the workspace"):
                await host.session()

    run(body())


def test_two_capabilities_cannot_mount_at_one_path_or_one_in_the_other() -> None:
    async def body() -> None:
        for other in ("/memories", "/memories/team", "/history"):
            beside = [
                Beside({"/memories": MemoryFiles()}),
                Beside({other: MemoryFiles()}, name="other"),
            ]
            async with harness(Workspace(InThread()), beside=[*beside]) as host:
                with pytest.raises(UsageError, match=other):
                    await host.session()

    run(body())


def test_a_mount_where_the_user_has_mounted_files_is_refused() -> None:
    async def body() -> None:
        source = Mounted(InThread(), {"/memories": InStore()})
        made = harness(Workspace(source), beside=[Beside({"/memories": MemoryFiles()})])
        async with made as host:
            with pytest.raises(UsageError, match="where the workspace has files mounted"):
                await host.session()

    run(body())


def test_a_mount_where_files_of_the_resource_are_is_refused() -> None:
    async def body() -> None:
        write = call("write_file", path="/memories/a.md", content="1")
        workspace = Workspace(InStore("shared"), history=False)
        beside = Beside({})
        async with harness(workspace, write, beside=[beside]) as host:
            session = await host.session()
            await finish(session)
            beside._places = Places({"/memories": MemoryFiles()})  # pyright: ignore[reportPrivateUsage]
            with pytest.raises(UsageError, match="/memories"):
                await host.session(new=True)

    run(body())


@pytest.mark.parametrize("rules", [[], [FileRule("deny", ("**/hidden/**",))]])
def test_commands_read_folders_that_are_shown_to_them_unless_a_rule_denies_it(
    tmp_path: Path, rules: list[FileRule]
) -> None:
    shown = tmp_path / "hidden"
    shown.mkdir()
    (shown / "tool.sh").write_text("echo from the skill\n")
    folder = tmp_path / "project"
    folder.mkdir()

    async def body() -> None:
        made = harness(
            Workspace(Disk(folder), rules=rules),
            call("execute", command=f"sh {shown}/tool.sh; echo no > {shown}/new"),
            beside=[Beside({}, (str(shown), str(tmp_path / "gone")))],
        )
        async with made as host:
            session = await host.session()
            (said,) = await finish(session)
            assert ("from the skill" in said) is (not rules)
            assert not (shown / "new").exists()

    run(body())
