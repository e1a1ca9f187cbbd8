"""Workspaces that are not on the disk: in the thread, in the store, and several in one."""

from pathlib import Path

from longrein import CommandContext, Disk, InStore, InThread, Mounted, OpenWorkspace, Workspace
from longrein.testing import call, say
from tests.capabilities.workspace.kit import finish, working
from tests.support import run


def test_files_of_a_thread_are_there_after_a_restart_and_nowhere_else(tmp_path: Path) -> None:
    async def body() -> None:
        store = f"sqlite:{tmp_path}/a.db"
        write = call("write_file", path="notes.md", content="tea\n")
        read = call("read_file", path="/notes.md")
        async with working(Workspace(InThread()), write, store=store) as (_, session):
            await finish(session)
        again = (write, say("done"), read)
        async with working(Workspace(InThread()), *again, store=store) as (harness, session):
            assert "tea" in (await finish(session))[0]
            other = await harness.session(new=True)
            assert other.thread != session.thread
            files = other.capability(OpenWorkspace)
            found = await other.perform(lambda ctx: files.files(ctx).stat("/notes.md"))
            assert found is None

    run(body())


def test_a_fork_has_its_own_copy_of_the_files_of_a_thread(tmp_path: Path) -> None:
    async def body() -> None:
        write = call("write_file", path="/a", content="one")
        store = f"sqlite:{tmp_path}/a.db"
        async with working(Workspace(InThread()), write, store=store) as (harness, session):
            await finish(session)
            fork = await harness.fork("default", session.thread)
            files = fork.capability(OpenWorkspace)
            await fork.perform(lambda ctx: files.put(ctx, {"/a": b"two", "/b": b"new"}))
            mine = session.capability(OpenWorkspace)
            here = await session.perform(lambda ctx: mine.files(ctx).read("/a"))
            there = await fork.perform(lambda ctx: files.files(ctx).read("/a"))
            assert (here.data, there.data) == (b"one", b"two")

    run(body())


def test_an_application_puts_files_in_and_takes_them_out() -> None:
    async def body() -> None:
        copy = call("move", source="/in/data.csv", target="/out/data.csv")
        async with working(Workspace(InThread()), copy) as (_, session):
            workspace = session.capability(OpenWorkspace)
            await session.perform(lambda ctx: workspace.put(ctx, {"/in/data.csv": b"1,2\n"}))
            await finish(session)
            taken = await session.perform(workspace.take)
            assert taken == {"/out/data.csv": b"1,2\n"}

    run(body())


def test_files_in_the_store_belong_to_a_resource() -> None:
    async def body() -> None:
        write = call("write_file", path="/likes.md", content="tea")
        async with working(Workspace(InStore("memories")), write) as (harness, session):
            await finish(session)
            for resource, there in (("default", True), ("somebody else", False)):
                other = await harness.session(resource, new=True)
                files = other.capability(OpenWorkspace)

                async def look(ctx: CommandContext, files: OpenWorkspace = files) -> bool:
                    return await files.files(ctx).stat("/likes.md") is not None

                assert await other.perform(look) is there

    run(body())


def test_several_in_one_are_one_tree_for_the_model(tmp_path: Path) -> None:
    async def body() -> None:
        (tmp_path / "a.py").write_text("x = 1  # find me\n")
        source = Mounted(InThread(), {"/memories": InStore(), "/project": Disk(tmp_path)})
        async with working(
            Workspace(source),
            call("write_file", path="/memories/m.md", content="find me\n"),
            call("write_file", path="/scratch.md", content="find me\n"),
            call("grep", pattern="find me", show="files"),
            call("ls", path="/"),
        ) as (_, session):
            *_, found, listed = await finish(session)
            for path in ("memories/m.md", "project/a.py", "scratch.md"):
                assert path in found
            assert "memories" in listed
            assert "project" in listed

    run(body())
