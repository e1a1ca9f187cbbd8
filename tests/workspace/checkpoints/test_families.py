"""Threads that work for others, in the same files: what they do goes back with those above."""

from pathlib import Path

import msgspec

from longrein.core.events import Recorded
from longrein.storage.tables.database import Layout, open_database
from longrein.workspace.checkpoints.database import LAYOUT
from longrein.workspace.checkpoints.facts import CHANGED, CHANGED_AT
from longrein.workspace.checkpoints.store import Checkpoints
from longrein.workspace.checkpoints.values import ABSENT, Standing
from tests.support import run
from tests.workspace.checkpoints.setting import At, Thread, contents, put, working


def _child(parent: Thread, id: str, *above: Standing) -> Thread:
    return Thread(parent.checkpoints, parent.root, id, above=lambda: above)


def test_what_all_below_did_goes_back_in_its_order(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as root:
            put(root.root, {"a.txt": "one", "b.txt": "one"})
            await root.edit(5, "a.txt", "two")
            at_root = Standing("thr_1", 8, "run_1")
            middle = _child(root, "thr_2", at_root)
            below = _child(root, "thr_3", Standing("thr_2", 4, "run_2"), at_root)
            await middle.edit(3, "a.txt", "three")
            await below.edit(2, "a.txt", "four")
            await below.shell(2, lambda: put(root.root, {"c.txt": "new"}))
            await root.edit(11, "a.txt", "five")
            assert await root.changed() == {"a.txt": "modified", "c.txt": "added"}
            assert await root.changed(since=6) == {"a.txt": "modified", "c.txt": "added"}
            plan, _ = await root.rewind(8, 20)
            assert plan.foreign == ()
            assert contents(root.root) == {"a.txt": b"two", "b.txt": b"one"}
            await root.rewind(20, 22)
            assert contents(root.root)["a.txt"] == b"five"
            await root.rewind(5, 24)
            assert contents(root.root) == {"a.txt": b"one", "b.txt": b"one"}

    run(scenario())


def test_a_thread_in_the_middle_takes_back_what_those_below_it_did(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as root:
            put(root.root, {"a.txt": "one"})
            at_root = Standing("thr_1", 8, "run_1")
            middle = _child(root, "thr_2", at_root)
            below = _child(root, "thr_3", Standing("thr_2", 4, "run_2"), at_root)
            await below.edit(2, "a.txt", "two")
            await middle.rewind(5, 7)
            assert contents(root.root) == {"a.txt": b"two"}
            await middle.rewind(4, 9)
            assert contents(root.root) == {"a.txt": b"one"}

    run(scenario())


def test_two_children_that_run_commands_at_once_are_not_strangers(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as root:
            put(root.root, {"a.txt": "one", "b.txt": "one"})
            one = _child(root, "thr_2", Standing("thr_1", 8, "run_1"))
            two = _child(root, "thr_3", Standing("thr_1", 8, "run_1"))
            first, second = At(3, call="call_a"), At(3, call="call_b")
            await one.kept.before_command(first)
            await two.kept.before_command(second)
            put(root.root, {"a.txt": "two"})
            await one.kept.after_command(first)
            put(root.root, {"b.txt": "two"})
            await two.kept.after_command(second)
            plan, _ = await root.rewind(8, 20)
            assert plan.foreign == ()
            assert contents(root.root) == {"a.txt": b"one", "b.txt": b"one"}

    run(scenario())


def test_two_children_that_edit_one_file_at_once_lose_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as root:
            put(root.root, {"a.txt": "one"})
            one = _child(root, "thr_2", Standing("thr_1", 8, "run_1"))
            two = _child(root, "thr_3", Standing("thr_1", 8, "run_1"))
            path, first, second = root.path("a.txt"), At(3, call="call_a"), At(3, call="call_b")
            await one.kept.before(first, one.files, [path])
            await two.kept.before(second, two.files, [path])
            await one.files.write(path, b"two")
            await one.kept.after(first, one.files, [path])
            await two.files.write(path, b"three")
            await two.kept.after(second, two.files, [path])
            plan = await root.kept.plan(8)
            assert [one.why for one in plan.foreign] == ["between"]
            await root.rewind(8, 20, [path])
            assert contents(root.root) == {"a.txt": b"one"}

    run(scenario())


def test_a_tool_that_came_after_a_command_of_a_sibling_is_in_doubt(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as root:
            put(root.root, {"a.txt": "one"})
            one = _child(root, "thr_2", Standing("thr_1", 8, "run_1"))
            two = _child(root, "thr_3", Standing("thr_1", 8, "run_1"))
            at = At(3, call="call_a")
            await one.kept.before_command(at)
            put(root.root, {"a.txt": "half"})
            await two.edit(4, "a.txt", "three")
            await one.kept.after_command(at)
            assert [one.why for one in (await root.kept.plan(8)).foreign] == ["cut off"]

    run(scenario())


def test_a_command_of_a_child_that_was_cut_off_is_found_by_its_root(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as root:
            put(root.root, {"a.txt": "one"})
            child = _child(root, "thr_2", Standing("thr_1", 8, "run_1"))
            await child.kept.before_command(At(3, call="call_cut"))
            put(root.root, {"a.txt": "two"})
            path = root.path("a.txt")
            assert (await root.kept.plan(8, dry=True)).foreign == ()
            assert (await root.kept.plan(8, besides=["thr_2"])).foreign == ()
            assert [one.path for one in (await root.kept.plan(8)).foreign] == [path]
            await root.rewind(8, 20, [path])
            assert contents(root.root) == {"a.txt": b"one"}

    run(scenario())


def test_children_that_go_on_keep_what_they_did(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as root:
            put(root.root, {"a.txt": "one", "b.txt": "one"})
            child = _child(root, "thr_2", Standing("thr_1", 8, "run_1"))
            await child.edit(3, "a.txt", "two")
            await root.edit(9, "b.txt", "two")
            plan = await root.kept.plan(8, besides=["thr_2"])
            assert [step.path for step in plan.steps] == [root.path("b.txt")]

    run(scenario())


def test_a_thread_knows_at_which_of_its_events_a_child_changed_a_file(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as root:
            put(root.root, {"a.txt": "one"})
            child = _child(root, "thr_2", Standing("thr_1", 8, "run_1"))
            await child.edit(3, "a.txt", "two")
            at = At(30)
            await root.kept.note_child(at, "thr_2")
            await root.kept.note_child(at, "thr_none")
            (facts,) = at.facts
            event = Recorded("files_changed", facts, seq=31)
            (listed,) = CHANGED.fold(CHANGED.initial, event).files
            assert (listed.first, listed.last, listed.status) == (8, 8, "modified")
            assert CHANGED_AT.fold(0, event) == 8
            known = CHANGED.fold(CHANGED.initial, event)
            assert (await root.kept.plan(20, known=known)).lost == ()

    run(scenario())


def test_what_an_earlier_version_kept_is_still_there(tmp_path: Path) -> None:
    path = str(tmp_path / "files")
    older = Layout(LAYOUT.application, LAYOUT.migrations[:1], LAYOUT.page_size)
    db = open_database(path, "FULL", 10, older)
    db.execute("INSERT INTO owners (key, name) VALUES (7, ?)", (b"thread:thr_1",))
    version = msgspec.msgpack.encode(ABSENT)
    db.execute(
        """INSERT INTO changes (thread, seq, run, call, origin, path, before, after, sure)
        VALUES (7, 3, 'run_1', 'call_1', 'tool', '/a', ?, ?, 1)""",
        (version, version),
    )
    db.connection.commit()
    db.close()

    async def scenario() -> None:
        checkpoints = Checkpoints(path)
        found = await checkpoints.writer.read(
            lambda db: db.execute("SELECT root, path FROM changes").fetchall()
        )
        assert found == [("thr_1", "/a")]
        await checkpoints.close()

    run(scenario())
