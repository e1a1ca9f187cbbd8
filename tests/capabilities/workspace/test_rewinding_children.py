"""A rewind takes back what children did to files, and an undo brings it again."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from longrein import CHANGED, Agent, Harness, OpenWorkspace, Subagents, Workspace
from longrein.testing import Reply, Script, ScriptedModel, call, calls, pause, reply, say
from longrein.testing.scripted import When, when
from longrein.tools.define import Function
from tests.capabilities.workspace.kit import finish
from tests.session.families import task
from tests.session.kit import until
from tests.support import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (root / name).write_text("one\n")
    return root


def _put(name: str, text: str) -> Reply:
    return call("write_file", path=name, content=text)


def _edit(name: str, old: str, new: str) -> Reply:
    edits = [{"old_string": old, "new_string": new}]
    return call("edit_file", path=name, edits=edits)


def _read(name: str) -> Reply:
    return call("read_file", path=name)


TREE = [
    when("work", _read("a.txt"), _edit("a.txt", "one", "two"), task("help"), say("All done.")),
    when(
        "help",
        calls(_read("a.txt"), _read("b.txt")),
        _edit("a.txt", "two", "three"),
        _edit("b.txt", "one", "two"),
        task("deeper"),
        call("execute", command="echo four > d.txt"),
        say("Helped."),
    ),
    when("deeper", _read("c.txt"), _edit("c.txt", "one", "two"), say("Deep.")),
]
BEFORE = {"a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n"}
AFTER = {"a.txt": "three\n", "b.txt": "two\n", "c.txt": "two\n", "d.txt": "four\n"}


def _files(folder: Path) -> dict[str, str]:
    return {one.name: one.read_text() for one in sorted(folder.iterdir())}


def harness(
    folder: Path,
    rules: list[When] | ScriptedModel,
    store: str = "memory",
    tools: Sequence[Function] = (),
) -> Harness:
    model = rules if isinstance(rules, ScriptedModel) else ScriptedModel(Script(rules=rules))
    agent = Agent("root", model=model, tools=tools, capabilities=[Subagents(), Workspace(folder)])
    return Harness(agent, store=store, environ={})


def test_all_that_a_tree_did_goes_back_and_comes_again(folder: Path) -> None:
    async def test() -> None:
        async with harness(folder, TREE) as host:
            session = await host.session()
            await finish(session, "work")
            assert _files(folder) == AFTER
            (point,) = session.points()
            preview = await session.preview_rewind(point)
            assert preview.files is not None
            assert len(preview.files.restored) == 3
            assert preview.files.removed == (f"{folder}/d.txt",)
            answer = await session.rewind(point)
            assert answer.message == "3 files put back, 1 removed"
            assert _files(folder) == BEFORE
            await session.undo()
            assert _files(folder) == AFTER
            await session.undo()
            assert _files(folder) == BEFORE

    run(test())


def test_the_root_shows_what_its_children_changed(folder: Path) -> None:
    async def test() -> None:
        async with harness(folder, TREE) as host:
            session = await host.session()
            await finish(session, "work")
            workspace = session.capability(OpenWorkspace)
            paths = [f"{folder}/{name}" for name in AFTER]
            assert [one.path for one in await workspace.changed()] == paths
            (ran,) = session.folded.outcomes
            assert [one.path for one in await workspace.changed(run=ran)] == paths
            known = session.read(CHANGED)
            assert [one.path for one in known.files] == paths
            assert (known.files[0].added, known.files[0].removed) == (1, 1)
            assert [one.path for one in known.runs[ran]] == paths
            assert session.points()[0].files_changed
            await session.rewind(session.points()[0])
            assert session.read(CHANGED).files == ()

    run(test())


def test_a_child_that_goes_back_by_itself_leaves_what_others_made_of_it(folder: Path) -> None:
    rules = [
        when("work", task("help", background=True), say("Begun."), say("Heard.")),
        when("more", _read("a.txt"), _edit("a.txt", "two", "three"), say("More.")),
        when("help", _read("a.txt"), _edit("a.txt", "one", "two"), _put("d.txt", "x"), say("Ok.")),
    ]

    async def test() -> None:
        async with harness(folder, rules) as host:
            session = await host.session()
            await session.set_trust("yolo")
            await (await session.send("work"))
            await until(lambda: not session.folded.children[0].open and not session.folded.run)
            await (await session.send("more"))
            child = await session.child(session.folded.children[0].thread)
            await child.rewind(child.points()[0])
            assert _files(folder) == {**BEFORE, "a.txt": "three\n"}

    run(test())


def test_what_somebody_else_changed_since_is_kept(folder: Path) -> None:
    async def test() -> None:
        async with harness(folder, TREE) as host:
            session = await host.session()
            await finish(session, "work")
            (folder / "b.txt").write_text("theirs\n")
            answer = await session.rewind(session.points()[0])
            assert "1 changed by others and kept" in answer.message
            assert _files(folder) == {**BEFORE, "b.txt": "theirs\n"}

    run(test())


def test_a_child_that_still_works_is_stopped_before_files_go_back(folder: Path) -> None:
    model = ScriptedModel(
        Script(
            rules=[
                when("work", task("help", background=True), say("Begun.")),
                when("help", _put("d.txt", "x"), reply(pause(), say("Never."))),
            ]
        )
    )

    async def test() -> None:
        async with harness(folder, model) as host:
            session = await host.session()
            await session.set_trust("yolo")
            await (await session.send("work"))
            await until(lambda: model.open == 1)
            await session.rewind(session.points()[0])
            assert _files(folder) == BEFORE
            assert [one.state for one in session.folded.children] == ["stopped"]
            await session.undo()
            assert _files(folder) == {**BEFORE, "d.txt": "x"}

    run(test())


def test_a_child_that_was_begun_before_and_still_works_goes_on_with_its_files(folder: Path) -> None:
    model = ScriptedModel(
        Script(
            rules=[
                when("work", task("help", background=True), say("Begun.")),
                when("more", _put("e.txt", "y"), say("More.")),
                when("help", reply(pause(), _put("d.txt", "x")), call("hang"), say("Late.")),
            ]
        )
    )

    hanging = asyncio.Event()

    async def hang() -> str:
        """Wait."""
        hanging.set()
        await asyncio.Event().wait()
        return "never"

    async def test() -> None:
        async with harness(folder, model, tools=[hang]) as host:
            session = await host.session()
            await session.set_trust("yolo")
            await (await session.send("work"))
            await until(lambda: model.open == 1)
            await (await session.send("more"))
            model.release()
            await hanging.wait()
            await session.rewind(session.points()[0])
            assert _files(folder) == {**BEFORE, "d.txt": "x"}
            assert [one.state for one in session.folded.children] == ["running"]

    run(test())


def test_a_rewind_that_was_killed_is_repeated_and_all_of_it_undone(
    folder: Path, tmp_path: Path
) -> None:
    store = f"sqlite:{tmp_path}/store.db"
    program = [sys.executable, "-m", "tests.capabilities.workspace.rewound", str(folder), store]
    ended = subprocess.run(program, timeout=60, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert _files(folder) not in (BEFORE, AFTER)

    async def test() -> None:
        async with harness(folder, TREE, store) as host:
            session = await host.session()
            await session.rewind(session.points()[0])
            assert _files(folder) == BEFORE
            await session.undo()
            assert _files(folder) == AFTER

    run(test())
    assert "d.txt" in os.listdir(folder)
