"""What changes where rules forbid it: told with the rule, or somebody else's; never put back."""

from pathlib import Path
from typing import Literal

import pytest

from longrein.workspace.rules import FileRule
from tests.support import run
from tests.workspace.checkpoints.setting import At, contents, put, working


def test_a_file_that_may_not_be_written_is_the_commands_and_told_with_the_rule(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        rules = [FileRule("deny", ("**/.env", "**/fixed.txt"), ("write",))]
        async with working(tmp_path, rules=rules) as thread:
            root = thread.root
            put(root, {"fixed.txt": "fixed"})
            new = {"sub/.env": "KEY=1", "fixed.txt": "changed", "good.txt": "good"}
            made = await thread.shell(5, lambda: put(root, new))
            assert {one.path: one.denied for one in made} == {
                f"{root}/fixed.txt": str(rules[0]),
                f"{root}/good.txt": "",
                f"{root}/sub/.env": str(rules[0]),
            }
            assert contents(root) == {name: text.encode() for name, text in new.items()}
            assert set(await thread.changed()) == set(new)
            await thread.rewind(5, 20)
            assert contents(root) == {"fixed.txt": b"fixed"}

    run(scenario())


def test_what_may_not_be_written_and_nobody_looks_at_is_told_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        rules = [FileRule("deny", ("**/secrets", "**/.env"), ("write",))]
        async with working(tmp_path, rules=rules) as thread:
            put(thread.root, {".gitignore": "secrets/\n.env\n"})
            made = await thread.shell(
                5, lambda: put(thread.root, {"secrets/key": "k", ".env": "K", "good.txt": ""})
            )
            assert [(one.path, bool(one.denied)) for one in made] == [
                (thread.path(".env"), True),
                (thread.path("good.txt"), False),
                (thread.path("secrets"), True),
            ]
            assert await thread.shell(7, lambda: None) == ()

    run(scenario())


@pytest.mark.parametrize("effect", ["deny", "ask"])
def test_what_changes_where_a_command_could_not_read_is_somebody_elses(
    tmp_path: Path, effect: Literal["deny", "ask"]
) -> None:
    async def scenario() -> None:
        rules = [FileRule(effect, ("**/.env", "**/.new", "**/gone", "**/keys"), ("read",))]
        async with working(tmp_path, rules=rules) as thread:
            root, at = thread.root, At(5)
            put(root, {".env": "old", "gone": "old"})
            await thread.kept.before_command(at)
            put(root, {".env": "by hand", ".new": "by hand", "keys/a/b": "by hand"})
            put(root, {"good.txt": "by command"})
            (root / "gone").unlink()
            made = await thread.kept.after_command(at)
            assert [one.path for one in made] == [thread.path("good.txt")]
            assert [one["path"] for fact in at.facts for one in fact["files"]] == [
                thread.path("good.txt")
            ]
            put(root, {".env": "by hand again"})
            assert await thread.kept.after_command(At(7, call="call_job")) == ()
            assert await thread.changed() == {"good.txt": "added"}
            plan, _ = await thread.rewind(3, 20)
            assert plan.foreign == ()
            left = {"keys/a/b": b"by hand", ".env": b"by hand again", ".new": b"by hand"}
            assert contents(root) == left

    run(scenario())


def test_what_changes_out_of_sight_of_a_command_that_was_cut_off_is_somebody_elses(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        rules = [FileRule("deny", ("**/.env",))]
        async with working(tmp_path, rules=rules) as thread:
            put(thread.root, {".env": "old"})
            await thread.kept.before_command(At(5, call="call_stopped"))
            put(thread.root, {".env": "by hand"})
            plan, _ = await thread.rewind(3, 20, [thread.path(".env")])
            assert (plan.steps, plan.foreign) == ((), ())
            assert contents(thread.root) == {".env": b"by hand"}

    run(scenario())


def test_what_a_tool_wrote_and_somebody_changed_out_of_sight_of_a_command_is_kept(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        rules = [FileRule("ask", ("**/.env",))]
        async with working(tmp_path, rules=rules) as thread:
            put(thread.root, {".env": "old"})
            await thread.edit(5, ".env", "by tool, approved")
            assert await thread.shell(7, lambda: put(thread.root, {".env": "by hand"})) == ()
            await thread.edit(9, ".env", "by tool, approved again")
            plan, _ = await thread.rewind(5, 20)
            assert [one.why for one in plan.foreign] == ["between"]
            await thread.rewind(9, 22)
            assert contents(thread.root) == {".env": b"by hand"}

    run(scenario())


def test_a_tool_at_work_where_a_command_cannot_read_is_not_confused(tmp_path: Path) -> None:
    async def scenario() -> None:
        rules = [FileRule("ask", ("**/.env",))]
        async with working(tmp_path, rules=rules) as thread:
            put(thread.root, {".env": "old"})
            await thread.kept.before_command(At(5, call="call_5"))
            put(thread.root, {".env": "by hand"})
            editing, path = At(6, call="call_6"), thread.path(".env")
            await thread.kept.before(editing, thread.files, [path])
            assert await thread.kept.after_command(At(5, call="call_5")) == ()
            await thread.files.write(path, b"by tool")
            await thread.kept.after(editing, thread.files, [path])
            assert await thread.changed() == {".env": "modified"}
            await thread.rewind(5, 20)
            assert contents(thread.root) == {".env": b"by hand"}

    run(scenario())
