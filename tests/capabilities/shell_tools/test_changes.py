"""What a command changed is kept and told."""

from collections.abc import Sequence
from pathlib import Path

from longrein.capabilities.shell_tools.shell import Shell
from longrein.core.errors import ToolError
from longrein.testing import Reply, call, say
from longrein.tools.within import Within
from longrein.workspace.sandbox.base import Command, SandboxProblem
from tests.capabilities.shell_tools.kit import hosting, told
from tests.capabilities.shell_tools.plain import PlainProcess, PlainSandbox
from tests.support import run


class Kept:
    """Says what it is told to; `asked` is when it was asked, in order."""

    def __init__(
        self, *changes: Sequence[str] | Exception, before: Exception | None = None
    ) -> None:
        self.asked: list[str] = []
        self._changes = list(changes)
        self._before = before

    async def before_command(self, ctx: Within) -> None:
        self.asked.append("before")
        if self._before:
            raise self._before

    async def not_run(self, ctx: Within) -> None:
        self.asked.append("not run")

    async def after_command(self, ctx: Within) -> Sequence[str]:
        self.asked.append("after")
        said = self._changes.pop(0) if self._changes else ()
        if isinstance(said, Exception):
            raise said
        return said


def heard(folder: Path, kept: Kept, *replies: Reply) -> list[str]:
    def make() -> Shell:
        return Shell(PlainSandbox(), str(folder), checkpoints=kept)

    return run(told(hosting(make, *replies, say("ok"))))


def test_the_files_that_changed_are_named_in_a_line(tmp_path: Path) -> None:
    kept = Kept([f"{tmp_path}/a.py", "/elsewhere/b"])
    (text,) = heard(tmp_path, kept, call("execute", command="true"))
    assert text == "ok: [exit code 0]\n[changed: a.py, /elsewhere/b]"
    assert kept.asked == ["before", "after"]


def test_of_many_files_only_the_first_are_named(tmp_path: Path) -> None:
    kept = Kept([f"{tmp_path}/{n}" for n in range(9)])
    (text,) = heard(tmp_path, kept, call("execute", command="true"))
    assert text.endswith("[changed: 0, 1, 2, 3, 4, +4 more]")


def test_a_command_does_not_run_where_the_files_cannot_be_kept(tmp_path: Path) -> None:
    kept = Kept(before=ToolError("Nothing was run: the disk is full."))
    (text,) = heard(tmp_path, kept, call("execute", command="touch made"))
    assert text == "error: Nothing was run: the disk is full."
    assert not (tmp_path / "made").exists()


def test_the_output_is_not_lost_where_nobody_knows_what_changed(tmp_path: Path) -> None:
    kept = Kept(OSError("no room"))
    (text,) = heard(tmp_path, kept, call("execute", command="echo a"))
    assert text == "ok: a\n[exit code 0]\n[what changed is not known: no room]"


def test_changes_of_a_job_are_told_when_it_begins_and_when_it_is_read(tmp_path: Path) -> None:
    kept = Kept(["/a"], ["/b"])
    begin = call("execute", command="sleep 60", background=True)
    told = heard(tmp_path, kept, begin, call("job", id=1))
    assert told == ["ok: [job 1 runs]\n[changed: /a]", "ok: [job 1 runs]\n[changed: /b]"]
    assert kept.asked == ["before", "after", "after"]


def test_a_command_that_cannot_be_started_has_changed_nothing(tmp_path: Path) -> None:
    kept = Kept()

    class Broken(PlainSandbox):
        async def start(self, command: Command) -> PlainProcess:
            raise SandboxProblem("There is no bubblewrap here.")

    def make() -> Shell:
        return Shell(Broken(), str(tmp_path), checkpoints=kept)

    (text,) = run(told(hosting(make, call("execute", command="true"), say("ok"))))
    assert "Nothing was run: There is no bubblewrap here." in text
    assert kept.asked == ["before", "not run"]
