"""File tools in real sessions: several calls in a step, approvals, restarts, thread files."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from longrein.capabilities.base import Capability
from longrein.capabilities.file_tools.place import Call, Place
from longrein.capabilities.file_tools.seen import SEEN
from longrein.capabilities.file_tools.thread import thread_files
from longrein.capabilities.file_tools.tools import file_tools
from longrein.core.outcomes import Finished
from longrein.core.policy import Rule
from longrein.core.slices import Slice
from longrein.session.session import Session
from longrein.testing import Reply, call, calls, say
from longrein.tools.define import Tool
from longrein.workspace.base import FileSystem
from longrein.workspace.disk import DiskFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.rules import FileRule
from longrein.workspace.thread import THREAD_FILES
from tests.capabilities.kit import hosting, results
from tests.session.kit import waiting, with_session
from tests.support import run

ALLOWED = (Rule("allow", category="edit"),)


class Files(Capability):
    """Nothing but the file tools."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def slices(self) -> Sequence[Slice[Any]]:
        return (SEEN, THREAD_FILES)

    def tools(self) -> Sequence[Tool]:
        return file_tools(self._place)


def on_disk(root: Path, *rules: FileRule) -> Files:
    base = str(root)
    mounted = Mounts({base: DiskFiles(root)})
    return Files(Place(lambda _: mounted, base, rules))


def edit(path: str, old: str, new: str) -> Reply:
    return call("edit_file", path=path, edits=[{"old_string": old, "new_string": new}])


def finished(capability: Capability, *steps: Reply, rules: Sequence[Rule] = ALLOWED) -> list[str]:
    """What the model hears of the calls of some steps."""
    heard: list[str] = []

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("done")
        heard.extend(results(session))

    with_session(hosting([*steps, say("done")], capability, rules=rules), body)
    return heard


def test_two_edits_of_one_file_in_one_step_both_succeed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one two")
    heard = finished(
        on_disk(tmp_path),
        call("read_file", path="a"),
        calls(edit("a", "one", "1"), edit("./a", "two", "2")),
    )
    assert [one.partition("\n")[0] for one in heard[1:]] == ["ok: Edited a (1 place, +1 -1)."] * 2
    assert (tmp_path / "a").read_bytes() == b"1 2"


def test_ten_writes_and_edits_in_one_step_keep_their_order(tmp_path: Path) -> None:
    step = calls(
        call("write_file", path="a", content="0"),
        *(edit("a", str(n), str(n + 1)) for n in range(8)),
        call("read_file", path="a"),
    )
    assert finished(on_disk(tmp_path), step)[-1] == "ok: a: 1 line\n1\t8"


def test_a_move_keeps_its_place_among_the_calls_of_a_step(tmp_path: Path) -> None:
    step = calls(
        call("write_file", path="a", content="x"),
        call("move", source="a", target="b"),
        edit("b", "x", "y"),
        call("delete", path="b"),
        call("write_file", path="b", content="new"),
    )
    heard = finished(on_disk(tmp_path), step)
    assert [one.partition(":")[0] for one in heard] == ["ok"] * 5
    assert (tmp_path / "b").read_bytes() == b"new"


def test_one_file_by_two_names_is_changed_by_one_call_and_the_other_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100_000)
    (tmp_path / "link").symlink_to("a")
    many = [{"old_string": "x", "new_string": "y", "replace_all": True}]
    step = calls(
        call("edit_file", path="a", edits=many), call("edit_file", path="link", edits=many)
    )
    heard = finished(on_disk(tmp_path), step)
    assert any(one.startswith("ok: Edited a") for one in heard)
    assert (tmp_path / "a").read_bytes() == b"y" * 100_000


def test_nobody_is_asked_about_a_change_outside_of_the_workspace(tmp_path: Path) -> None:
    step = calls(
        call("write_file", path="/elsewhere/a", content="x"),
        edit("/elsewhere/a", "x", "y"),
        call("move", source="/elsewhere/a", target="a"),
    )
    heard = finished(on_disk(tmp_path), step, rules=(Rule("ask", category="edit"),))
    assert len(heard) == 3
    for one in heard:
        assert one.startswith("error: '/elsewhere/a': This is outside of the workspace")


def test_a_write_of_what_somebody_changed_meanwhile_is_refused_with_the_reason(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").write_bytes(b"one")
    made = hosting(
        [
            call("read_file", path="a"),
            say("read"),
            call("write_file", path="a", content="2"),
            say("done"),
        ],
        on_disk(tmp_path),
        rules=ALLOWED,
    )

    async def body(session: Session) -> None:
        await (await session.send("read"))
        (tmp_path / "a").write_bytes(b"somebody else's")
        await (await session.send("write"))
        assert results(session)[-1].startswith("error: a has changed since you last saw it.")

    with_session(made, body)
    assert (tmp_path / "a").read_bytes() == b"somebody else's"


def test_an_approval_shows_the_diff_the_path_and_the_rule(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy/a").write_bytes(b"one\n")
    rule = FileRule("ask", (f"{tmp_path}/deploy/**",), ("write",))
    made = hosting([edit("deploy/a", "one", "two"), say("done")], on_disk(tmp_path, rule))

    async def body(session: Session) -> None:
        handle = await session.send("go")
        (id,) = (await waiting(handle)).approvals
        (approval,) = session.display.approvals
        assert approval.touches.paths == (f"{tmp_path}/deploy/a",)
        assert approval.rule == f"file rule: {rule}"
        assert approval.preview.endswith("@@ -1 +1 @@\n-one\n+two")
        await session.approve(id)
        assert await handle == Finished("done")
        assert results(session)[0].startswith("ok: Edited deploy/a")

    with_session(made, body)
    assert (tmp_path / "deploy/a").read_bytes() == b"two\n"


def test_a_link_swapped_while_an_approval_waits_is_asked_about_again(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "link").symlink_to("one")
    made = hosting([edit("link", "x", "y"), say("done")], on_disk(tmp_path))

    async def body(session: Session) -> None:
        handle = await session.send("go")
        (id,) = (await waiting(handle)).approvals
        (tmp_path / "link").unlink()
        (tmp_path / "link").symlink_to("two")
        await session.approve(id)
        (again,) = (await waiting(handle)).approvals
        assert again != id
        assert session.display.approvals[0].touches.paths == (f"{tmp_path}/two",)
        assert (tmp_path / "two").read_bytes() == b"x"
        await session.decline(again)
        await handle

    with_session(made, body)


def test_what_is_denied_is_refused_whatever_else_allows_it(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"KEY=1")
    heard = finished(
        on_disk(tmp_path, FileRule("deny", ("**/.env",))),
        calls(
            call("read_file", path=".env"), call("grep", pattern="KEY"), call("delete", path=".env")
        ),
    )
    assert heard[0].startswith("refused: read_file is not allowed here (rule file rule: deny")
    assert heard[1].startswith("ok: Nothing found.")
    assert heard[2].startswith("refused: delete is not allowed")


def in_thread() -> Files:
    files: Callable[[Call], FileSystem] = thread_files
    return Files(Place(files))


def test_files_of_the_thread_are_there_after_a_restart(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'longrein.db'}"

    async def begin() -> str:
        script = [
            calls(
                call("write_file", path="a", content="one"),
                call("write_file", path="b", content="x"),
            ),
            calls(edit("a", "one", "two"), call("move", source="b", target="c/d")),
            say("done"),
        ]
        async with hosting(script, in_thread(), rules=ALLOWED, store=store) as host:
            session = await host.session("tester")
            await (await session.send("go"))
            assert [one.partition(":")[0] for one in results(session)] == ["ok"] * 4
            return session.folded.thread

    async def go_on(thread: str) -> list[str]:
        script = [calls(call("read_file", path="a"), call("ls"), call("grep", pattern="x"))]
        async with hosting(
            [say("")] * 3 + [*script, say("done")], in_thread(), store=store
        ) as host:
            session = await host.session("tester", thread=thread)
            await (await session.send("look"))
            return results(session)[4:]

    assert run(go_on(run(begin()))) == [
        "ok: a: 1 line\n1\ttwo",
        "ok: a (3 bytes)\nc/",
        "ok: c/d\n1:x",
    ]


def test_a_call_that_fails_changes_no_file_of_the_thread() -> None:
    heard = finished(
        in_thread(),
        call("write_file", path="a", content="x"),
        call(
            "edit_file",
            path="a",
            edits=[{"old_string": "x", "new_string": "y"}, {"old_string": "z", "new_string": ""}],
        ),
        call("read_file", path="a"),
    )
    assert heard[-1] == "ok: a: 1 line\n1\tx"


def test_another_form_of_arguments_is_judged_shown_and_run_as_that_of_the_schema(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "b").write_bytes(b"one")
    flat = {"old_string": "one", "new_string": "1"}
    heard = finished(
        on_disk(tmp_path),
        call("edit_file", file_path="a", **flat),
        call("edit_file", file_path="b", **flat),
        rules=[*ALLOWED, Rule("deny", "edit_file", arguments={"path": "a"})],
    )
    assert [one.partition(" ")[0] for one in heard] == ["refused:", "ok:"]
    assert [(tmp_path / name).read_bytes() for name in "ab"] == [b"one", b"1"]
