"""What changes while a thread is under way: told in notes, the prefix stays."""

from pathlib import Path

from longrein import Rule
from longrein.capabilities.memory.memory import Memory
from longrein.core import events as e
from longrein.testing import call, say
from tests.capabilities.memory.kit import at_work, notes, put
from tests.session.kit import of
from tests.support import run


def test_a_changed_file_is_told_as_a_diff_and_the_prefix_stays(tmp_path: Path) -> None:
    file = put(tmp_path / "AGENTS.md", "".join(f"rule number {n}\n" for n in range(50)))

    async def body() -> None:
        async with at_work(Memory(tmp_path), tmp_path, [say("1"), say("2"), say("3")]) as work:
            (first,) = await work.do()
            file.write_text(file.read_text().replace("rule number 7\n", "rule number seven\n"))
            (second,) = await work.do()
            (third,) = await work.do()
            (note,) = notes(second)
            assert "-rule number 7\n+rule number seven" in note
            assert "rule number 40" not in note
            assert second.system == first.system
            assert list(second.messages)[: len(first.messages)] == list(first.messages)
            assert notes(third) == [note]
            assert len(await of(work.session, e.PrefixStarted)) == 1

    run(body())


def test_a_short_file_is_told_whole_and_a_removed_one_as_gone(tmp_path: Path) -> None:
    file = put(tmp_path / "AGENTS.md", "tabs")

    async def body() -> None:
        async with at_work(Memory(tmp_path), None, []) as work:
            await work.do()
            file.write_text("spaces")
            (second,) = await work.do()
            file.unlink()
            (third,) = await work.do()
            assert "spaces" in notes(second)[0]
            assert "@@" not in notes(second)[0]
            assert notes(third)[1] == f"The instructions in {file} do not hold any more."

    run(body())


def test_a_change_while_nobody_looked_is_told_after_a_restart(tmp_path: Path) -> None:
    file = put(tmp_path / "project/AGENTS.md", "".join(f"rule {n}\n" for n in range(30)))
    store = f"sqlite:{tmp_path}/a.db"

    async def body() -> None:
        memory = Memory(tmp_path / "project")
        async with at_work(memory, None, [say("1"), say("2")], store=store) as work:
            await work.do()
            thread = work.session.thread
        file.write_text(file.read_text() + "rule of tomorrow\n")
        memory = Memory(tmp_path / "project")
        async with at_work(memory, None, [say("1"), say("2")], store=store, thread=thread) as work:
            (request,) = await work.do()
            (note,) = notes(request)
            assert "+rule of tomorrow" in note
            assert "rule 3\n" not in note

    run(body())


def test_a_nested_file_is_told_once_when_the_agent_comes_there(tmp_path: Path) -> None:
    put(tmp_path / "AGENTS.md", "the root")
    put(tmp_path / "deep/down/AGENTS.md", "the depth")
    put(tmp_path / "deep/down/a/one.txt", "1")
    put(tmp_path / "deep/down/b/two.txt", "2")
    replies = [
        call("read_file", path="deep/down/a/one.txt"),
        call("read_file", path="deep/down/b/two.txt"),
        say("done"),
    ]

    async def body() -> None:
        async with at_work(Memory(tmp_path), tmp_path, replies) as work:
            first, second, third = await work.do()
            assert "the depth" not in first.system
            (note,) = notes(second)
            assert "the depth" in note
            assert f"{tmp_path}/deep/down has instructions of its own" in note
            assert notes(third) == [note]
            assert third.system == first.system
            (again,) = await work.do()
            assert notes(again) == [note]

    run(body())


def test_a_nested_file_stands_in_the_system_text_of_the_next_epoch(tmp_path: Path) -> None:
    put(tmp_path / "sub/AGENTS.md", "of the sub")
    put(tmp_path / "sub/one.txt", "1")
    replies = [call("read_file", path="sub/one.txt"), say("done")]

    async def body() -> None:
        async with at_work(Memory(tmp_path), tmp_path, replies) as work:
            await work.do()
            await work.session.set_trust("plan")
            (request,) = await work.do()
            assert "of the sub" in request.system
            assert len(notes(request)) == 1
            assert len(await of(work.session, e.PrefixStarted)) == 2

    run(body())


def test_a_nested_file_is_known_after_a_restart(tmp_path: Path) -> None:
    root = tmp_path / "project"
    put(root / "sub/AGENTS.md", "of the sub")
    put(root / "sub/one.txt", "1")
    store = f"sqlite:{tmp_path}/a.db"
    replies = [call("read_file", path="sub/one.txt"), say("done")]

    async def body() -> None:
        async with at_work(Memory(root), root, replies, store=store) as work:
            await work.do()
            thread = work.session.thread
        async with at_work(Memory(root), root, replies, store=store, thread=thread) as work:
            (request,) = await work.do()
            assert len(notes(request)) == 1

    run(body())


def test_a_rewind_forgets_the_nested_file_and_it_is_told_again(tmp_path: Path) -> None:
    put(tmp_path / "sub/AGENTS.md", "of the sub")
    put(tmp_path / "sub/one.txt", "1")
    replies = [say("hi"), call("read_file", path="sub/one.txt"), say("done")]

    async def body() -> None:
        async with at_work(Memory(tmp_path), tmp_path, replies) as work:
            await work.do()
            _, after = await work.do("read it")
            assert len(notes(after)) == 1
            (point,) = [one for one in work.session.points() if one.text == "read it"]
            await work.session.rewind(point.input)
            before, after = await work.do("read it again")
            assert notes(before) == []
            assert len(notes(after)) == 1

    run(body())


def test_an_edit_of_instructions_is_asked_about_where_edits_are_allowed(tmp_path: Path) -> None:
    file = put(tmp_path / "AGENTS.md", "".join(f"rule {n}\n" for n in range(50)))
    edits = [{"old_string": "rule 7\n", "new_string": "rule seven\n"}]
    replies = [
        call("write_file", path="other.txt", content="x"),
        call("read_file", path="AGENTS.md"),
        call("edit_file", path="AGENTS.md", edits=edits),
        say("done"),
    ]
    allowed = (Rule("allow", category="edit"),)

    async def body() -> None:
        async with at_work(Memory(tmp_path), tmp_path, replies, rules=allowed) as work:
            handle = await work.session.send("remember it")
            await handle
            (approval,) = work.session.display.approvals
            assert approval.rule == "memory: instructions are changed"
            assert "-rule 7\n+rule seven" in approval.preview
            await work.session.approve(approval.id)
            await handle
            assert "rule seven" in file.read_text()
            (note,) = notes(work.model.requests[-1])
            assert "+rule seven" in note
            assert "rule 30" not in note

    run(body())
