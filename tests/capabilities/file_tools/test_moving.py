"""delete and move."""

from pathlib import Path

import pytest

from longrein.workspace.disk import DiskFiles
from longrein.workspace.rules import FileRule
from tests.capabilities.file_tools.kit import Bench
from tests.support import run


def test_a_file_is_deleted() -> None:
    bench = Bench()
    bench.put(a=b"xx", b=b"y")
    assert bench.use("delete", path="a") == "Deleted a (2 bytes)"
    assert bench.get("/a") is None


def test_a_folder_is_deleted_only_with_recursive() -> None:
    bench = Bench()
    bench.put(src__a=b"xx", src__lib__b=b"y", c=b"z")
    assert "recursive" in bench.fail("delete", path="src")
    assert bench.get("/src/a") == b"xx"
    told = bench.use("delete", path="src", recursive=True)
    assert told == "Deleted src/ (a folder with 2 files, 3 bytes)"
    assert bench.use("ls") == "c (1 byte)"


def test_what_has_a_name_that_cannot_be_shown_is_counted(tmp_path: Path) -> None:
    inner = tmp_path / "src" / "lib"
    inner.mkdir(parents=True)
    (inner / "a\nb").write_bytes(b"x")
    (inner / "c").write_bytes(b"xx")
    told = Bench(DiskFiles(tmp_path)).use("delete", path="src", recursive=True)
    odd = "and 1 more with names that cannot be shown"
    assert told == f"Deleted src/ (a folder with 1 file, 2 bytes, {odd})"


def test_a_link_is_deleted_and_its_target_stays(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "link").symlink_to("a")
    bench = Bench(DiskFiles(tmp_path))
    assert bench.use("delete", path="link") == "Deleted link (a link to a; that stays)"
    assert (tmp_path / "a").exists()


@pytest.mark.parametrize("path", [".", "/", "/project", "/project/app", "lib/.."])
def test_the_working_folder_is_not_deleted_or_moved(path: str) -> None:
    bench = Bench(base="/project/app")
    bench.put(project__app__a=b"x")
    assert "working folder" in bench.fail("delete", path=path, recursive=True)
    assert bench.fail("move", source=path, target="/elsewhere")
    assert bench.get("/project/app/a") == b"x"


def test_what_is_not_there_is_told() -> None:
    assert "no such file" in Bench().fail("delete", path="a")
    assert "no such file" in Bench().fail("move", source="a", target="b")


def test_a_file_that_changed_since_it_was_seen_is_not_deleted_or_moved() -> None:
    bench = Bench()
    bench.put(src__a=b"x")
    bench.use("read_file", path="src/a")
    bench.put(src__a=b"changed")
    for path in ("src/a", "src"):
        assert "src/a has changed" in bench.fail("delete", path=path, recursive=True)
        assert "src/a has changed" in bench.fail("move", source=path, target="b")


def test_a_file_is_moved_and_stays_known() -> None:
    bench = Bench()
    bench.use("write_file", path="a", content="x")
    assert bench.use("move", source="a", target="src/b") == "Moved a to src/b."
    assert bench.get("/a") is None
    bench.use("write_file", path="src/b", content="y")


def test_a_folder_is_moved_and_what_is_in_it_stays_known(tmp_path: Path) -> None:
    bench = Bench(DiskFiles(tmp_path))
    bench.use("write_file", path="src/a", content="x")
    bench.use("move", source="src", target="lib/new")
    bench.use("write_file", path="lib/new/a", content="y")
    assert (tmp_path / "lib/new/a").read_bytes() == b"y"


def test_on_disk_a_file_stays_known_although_its_revision_is_another(tmp_path: Path) -> None:
    bench = Bench(DiskFiles(tmp_path))
    bench.use("write_file", path="a", content="x")
    bench.use("move", source="a", target="b")
    bench.use("write_file", path="b", content="y")


def test_what_is_at_the_target_is_replaced_only_if_that_is_said_and_it_was_read() -> None:
    bench = Bench()
    bench.put(a=b"x", b=b"y")
    assert "already" in bench.fail("move", source="a", target="b")
    assert "not read it" in bench.fail("move", source="a", target="b", replace=True)
    bench.use("read_file", path="b")
    bench.use("move", source="a", target="b", replace=True)
    assert bench.get("/b") == b"x"
    assert "not read it" in bench.fail("write_file", path="b", content="z")


def test_moving_something_to_where_it_is_does_nothing() -> None:
    bench = Bench()
    bench.put(a=b"x")
    assert "nothing to do" in bench.fail("move", source="a", target="./a")


def test_previews_say_what_goes_with_whole_paths() -> None:
    bench = Bench(base="/project")
    bench.put(project__src__a=b"xx", project__src__lib__b=b"y", project__c=b"z")
    assert run(bench.preview("delete", path="src", recursive=True)) == (
        "Delete /project/src/ (a folder with 2 files, 3 bytes)\n  a\n  lib/"
    )
    assert run(bench.preview("move", source="c", target="src/a", replace=True)) == (
        "Move /project/c (1 byte)\nto /project/src/a\nin place of /project/src/a (2 bytes)"
    )


def test_both_run_alone_in_their_step() -> None:
    tools = Bench().tools
    assert tools["delete"].lane('{"path": "a"}') == (True, "")
    assert tools["move"].lane('{"source": "a", "target": "b"}') == (True, "")


def test_a_deletion_that_fails_half_way_is_a_result_that_says_what_is_left(tmp_path: Path) -> None:
    class Sticky(DiskFiles):
        async def remove(self, path: str, *, recursive: bool = False) -> None:
            await super().remove("/src/a")
            await super().remove("/src")

    bench = Bench(Sticky(tmp_path))
    bench.put(src__a=b"xx", src__b=b"y")
    told = bench.use("delete", path="src", recursive=True)
    assert told.startswith("Only partly deleted: This folder is not empty.")
    assert told.endswith("Left: src/ (a folder with 1 file, 1 byte)")


def test_a_preview_of_a_deletion_names_the_first_that_would_go() -> None:
    bench = Bench()
    bench.put(**{f"src__{number:02}": b"x" for number in range(12)})
    shown = run(bench.preview("delete", path="src", recursive=True)).split("\n")
    assert shown[1:] == [*(f"  {number:02}" for number in range(10)), "  ..."]


@pytest.mark.parametrize("target", ["sub/", "sub", "new/"])
def test_a_folder_as_target_means_into_it(target: str) -> None:
    bench = Bench(base="/project")
    bench.put(project__a=b"x", project__sub__b=b"y")
    moved = f"{target.rstrip('/')}/a"
    assert bench.use("move", source="a", target=target) == f"Moved a to {moved}."
    assert bench.get(f"/project/{moved}") == b"x"


def test_what_moves_into_a_folder_is_judged_by_where_it_goes() -> None:
    bench = Bench(rules=[FileRule("deny", ("/sub/a",))])
    bench.put(a=b"x", sub__b=b"y")
    assert run(bench.touches("move", source="a", target="sub/b")).paths == ("/a", "/sub/b")
    assert "deny read+write /sub/a" in bench.fail("move", source="a", target="sub")
    assert bench.get("/a") == b"x"


def test_a_folder_is_not_moved_into_itself_by_its_own_name() -> None:
    bench = Bench()
    bench.put(sub__b=b"y")
    assert "nothing to do" in bench.fail("move", source="sub", target="sub")


def test_problems_name_a_path_as_it_was_given() -> None:
    bench = Bench()
    bench.put(a=b"x", tmp__b=b"y")
    assert bench.fail("move", source="/tmp/none", target="/c").startswith("'/tmp/none': ")
    assert bench.fail("move", source="/a", target="/tmp/b").startswith("'/tmp/b': ")
    assert bench.fail("move", source="./none", target="c").startswith("'./none': ")
