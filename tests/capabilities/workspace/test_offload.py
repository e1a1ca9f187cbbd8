"""Results that are too long: shown in part, and read whole below `/offload`."""

from typing import cast

import pytest

from longrein import Agent, FileRule, Harness, InThread, OpenWorkspace, ToolResult, Workspace, tool
from longrein.core.offload import arguments_path, result_path
from longrein.models.base import Request
from longrein.testing import Reply, call, say
from tests.capabilities.workspace.offloading import (
    LINES,
    LONG,
    harness,
    last,
    path_in,
    reading,
    results,
    say_all,
    scripted,
)
from tests.support import run


def test_a_long_result_is_shown_as_head_and_tail_and_read_whole_by_its_path() -> None:
    async def body() -> None:
        made = harness(
            call("fetch"),
            reading("read_file", offset=23_457, limit=1),
            say("found"),
            workspace=Workspace(InThread()),
        )
        async with made as host:
            session = await host.session()
            await say_all(session)
            first, second = results(session)
            assert len(first.text) < 33_000
            assert first.text.startswith("000000 straw")
            assert first.text.endswith(f"{LINES - 1:06} straw in the stack\n")
            assert f"of {len(LONG):,} characters left out" in first.text
            assert path_in(first.text) == result_path(first.call)
            assert "23457\t023456 needle in the stack" in second.text
            assert f"of {LINES:,}" in second.text

    run(body())


def test_grep_finds_a_line_in_what_was_left_out() -> None:
    async def body() -> None:
        made = harness(
            call("fetch"),
            reading("grep", pattern="needle"),
            say("found"),
            workspace=Workspace(InThread()),
        )
        async with made as host:
            session = await host.session()
            await say_all(session)
            assert "23457:023456 needle" in results(session)[1].text

    run(body())


def test_searches_from_the_working_folder_do_not_find_the_thread_itself() -> None:
    async def body() -> None:
        made = harness(
            call("fetch"),
            call("grep", pattern="needle"),
            call("glob", pattern="*.txt"),
            call("ls", path="/"),
            say("ok"),
            workspace=Workspace(InThread()),
        )
        async with made as host:
            session = await host.session()
            await say_all(session)
            _, found, globbed, listed = results(session)
            assert found.text.startswith("Nothing found")
            assert globbed.text.startswith("No files fit")
            assert listed.text == "history/\noffload/"

    run(body())


def test_without_file_tools_no_path_is_named_and_the_whole_is_kept_for_people() -> None:
    async def body() -> None:
        async with harness(call("fetch"), say("ok"), workspace=None) as host:
            session = await host.session()
            await say_all(session)
            (only,) = results(session)
            assert "/offload" not in only.text
            assert "left out; all of it is kept, for people ...]" in only.text
            assert await host.store.blob(only.whole) == LONG.encode()

    run(body())


@pytest.mark.parametrize(
    "workspace",
    [
        Workspace(InThread(), history=False),
        Workspace(InThread(), rules=[FileRule("deny", ("/offload/**",))]),
        Workspace(InThread(), rules=[FileRule("deny", ("/**",), ("read",))]),
        Workspace(InThread(), rules=[FileRule("deny", ("**/*.txt",), ("read",))]),
    ],
)
def test_what_may_not_be_read_is_not_named(workspace: Workspace) -> None:
    async def body() -> None:
        async with harness(call("fetch"), say("ok"), workspace=workspace) as host:
            session = await host.session()
            await say_all(session)
            assert "/offload" not in results(session)[0].text

    run(body())


def test_a_long_line_can_be_read_to_its_end() -> None:
    @tool(category="read")
    def one_line() -> str:
        return "x" * 50_000 + "END" + "y" * 50_000

    async def body() -> None:
        model = scripted(call("one_line"), reading("grep", pattern="END"), say("ok"))
        agent = Agent("a", model=model, tools=[one_line], capabilities=[Workspace(InThread())])
        async with Harness(agent) as host:
            session = await host.session()
            await say_all(session)
            assert results(session)[1].text.splitlines()[1].startswith("51:END")

    run(body())


def test_long_arguments_are_read_as_json() -> None:
    async def body() -> None:
        content = "\n".join(f"line {n}" for n in range(1_000))

        def look(request: Request) -> Reply:
            return call("read_file", path=arguments_path(cast(ToolResult, last(request)).call))

        made = harness(
            call("write_file", path="/a.txt", content=content),
            look,
            call("ls", path="/offload"),
            say("ok"),
            workspace=Workspace(InThread(), rules=[FileRule("allow", ("/a.txt",))]),
        )
        async with made as host:
            session = await host.session()
            await say_all(session)
            written, read, listed = results(session)
            assert '"path": "/a.txt"' in read.text
            assert "line 999" in read.text
            assert f"{written.call}-input.json" in listed.text

    run(body())


@pytest.mark.parametrize(
    "path",
    [
        "/offload/../../etc/passwd",
        "/offload/..%2f..%2fetc",
        "/offload/call_00000000000000000000000000000000.txt",
        "/offload/sub/call_1.txt",
        "/offload/.",
        "/history/0000.md",
        "/history/1.md",
        "/history/0002.md",
        "/history/²²²².md",
        "/history/-001.md",
    ],
)
def test_names_that_are_not_of_this_thread_give_nothing(path: str) -> None:
    async def body() -> None:
        made = harness(call("read_file", path=path), say("ok"), workspace=Workspace(InThread()))
        async with made as host:
            session = await host.session()
            await say_all(session)
            assert results(session)[0].status == "error"

    run(body())


def test_threads_do_not_see_each_others_results() -> None:
    async def body() -> None:
        async with harness(
            call("fetch"), say("ok"), say("other"), workspace=Workspace(InThread())
        ) as host:
            session = await host.session()
            await say_all(session)
            path = result_path(results(session)[0].call)
            other = await host.session(new=True)
            await say_all(other)
            for one, there in ((session, True), (other, False)):
                files = one.capability(OpenWorkspace)
                found = await one.perform(lambda ctx, files=files: files.files(ctx).stat(path))
                assert (found is not None) is there

    run(body())


@pytest.mark.parametrize("name", ["/offload/new.txt", "/history/0001.md"])
def test_nothing_of_it_can_be_written_and_nobody_is_asked(name: str) -> None:
    async def body() -> None:
        write = call("write_file", path=name, content="forged")
        made = harness(write, say("ok"), workspace=Workspace(InThread()))
        async with made as host:
            session = await host.session()
            await say_all(session)
            (refused,) = results(session)
            assert refused.status in ("error", "refused", "declined", "not_run")
            assert "deny write" in refused.text

    run(body())
