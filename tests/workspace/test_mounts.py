"""Mounts: whose a path is, and that nested file systems are seen from above."""

from pathlib import Path

import pytest

from longrein.core.errors import UsageError
from longrein.testing.filesystem_cases.setting import all_of, counts, filled, lines
from longrein.workspace.base import Grep
from longrein.workspace.disk import DiskFiles
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.problems import Elsewhere, Exists, Missing, NotAFile, Refused
from tests.support import run


def three() -> tuple[Mounts, MemoryFiles, MemoryFiles, MemoryFiles]:
    """A file system with one mounted in it, and one in that."""
    base, outer, inner = MemoryFiles(), MemoryFiles(), MemoryFiles()
    return Mounts({"/": base, "/m": outer, "/m/deep/er": inner}), base, outer, inner


def test_the_longest_prefix_wins() -> None:
    files, base, outer, inner = three()
    run(filled(files, "/a", "/mm", "/m/a", "/m/deep/a", "/m/deep/er/a"))
    assert run(all_of(base.glob("**"))) == ["/a", "/mm"]
    assert run(all_of(outer.glob("**"))) == ["/a", "/deep/a"]
    assert run(all_of(inner.glob("**"))) == ["/a"]


def test_nested_file_systems_are_listed_even_if_nothing_is_in_them() -> None:
    files, *_ = three()
    assert [(one.name, one.kind) for one in run(files.entries("/")).entries] == [("m", "folder")]
    assert [one.name for one in run(files.entries("/m/deep")).entries] == ["er"]
    assert run(files.entries("/m/deep/er")).entries == ()
    found = run(files.stat("/m/deep"))
    assert found is not None
    assert found.kind == "folder"


def test_searches_go_through_nested_file_systems() -> None:
    files, *_ = three()
    run(filled(files, "/a.py", "/m/b.py", "/m/deep/er/c.py", "/m/deep/er/d.md"))
    assert run(all_of(files.glob("*.py"))) == ["/a.py", "/m/b.py", "/m/deep/er/c.py"]
    assert run(all_of(files.glob("m/**/*.py"))) == ["/m/b.py", "/m/deep/er/c.py"]
    assert run(all_of(files.glob("er/*", "/m/deep"))) == ["/m/deep/er/c.py", "/m/deep/er/d.md"]
    assert run(all_of(files.glob("/m/deep/er/*.md", "/m/deep/er"))) == ["/m/deep/er/d.md"]
    found = run(counts(files, Grep("text", "/m", include="deep/**", show="files")))
    assert list(found) == ["/m/deep/er/c.py", "/m/deep/er/d.md"]
    assert run(lines(files, Grep("te", "/m/b.py"))) == [("/m/b.py", 1, "text")]


def test_what_is_under_a_mount_is_hidden() -> None:
    base = MemoryFiles()
    run(filled(base, "/m/hidden", "/m/deep/hidden"))
    files = Mounts({"/": base, "/m": MemoryFiles()})
    assert run(files.stat("/m/hidden")) is None
    assert run(all_of(files.glob("**"))) == []
    assert run(counts(files, Grep("text", show="files"))) == {}


def test_problems_name_the_path_that_was_asked_for() -> None:
    files, *_ = three()
    with pytest.raises(Missing, match="'/m/deep/er/x'"):
        run(files.read("/m/deep/er/x"))
    with pytest.raises(NotAFile, match="'/m'"):
        run(files.read("/m"))


def test_a_mount_and_what_is_above_cannot_be_removed_moved_or_overwritten() -> None:
    files, *_ = three()
    for path in ("/m", "/m/deep", "/m/deep/er"):
        with pytest.raises(Refused):
            run(files.remove(path, recursive=True))
        with pytest.raises(Refused):
            run(files.move(path, "/elsewhere"))
        with pytest.raises(NotAFile):
            run(files.write(path, b""))


def test_a_file_moves_from_one_to_another() -> None:
    files, base, outer, _ = three()
    run(files.write("/a", b"1", mode=0o700))
    run(files.move("/a", "/m/b"))
    assert run(base.stat("/a")) is None
    assert run(outer.read("/b")).stat.mode == 0o700
    run(files.write("/c", b"2"))
    with pytest.raises(Exists):
        run(files.move("/c", "/m/b"))
    run(files.move("/c", "/m/b", replace=True))
    assert run(outer.read("/b")).data == b"2"


def test_a_folder_does_not_move_from_one_to_another() -> None:
    files, *_ = three()
    run(filled(files, "/d/a"))
    with pytest.raises(Refused, match="one by one"):
        run(files.move("/d", "/m/d"))


def test_a_link_on_the_outer_disk_leads_into_a_mount(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("m/notes")
    inner = MemoryFiles()
    files = Mounts({"/": DiskFiles(tmp_path), "/m": inner})
    run(files.write(run(files.real("/link/a")), b"1"))
    assert run(inner.read("/notes/a")).data == b"1"


def test_mounts_need_paths_of_their_own() -> None:
    for mounts in ({}, {"/a": MemoryFiles(), "/a/": MemoryFiles()}):
        with pytest.raises(UsageError):
            Mounts(mounts)


def test_where_nothing_is_mounted_nothing_is_and_nothing_can_be(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("text\n")
    files = Mounts({"/home/project": DiskFiles(tmp_path)})
    assert [one.name for one in run(files.entries("/home")).entries] == ["project"]
    assert run(files.stat("/etc/passwd")) is None
    with pytest.raises(Missing):
        run(files.read("/etc/passwd"))
    with pytest.raises(Elsewhere, match="'/home/project'"):
        run(files.write("/elsewhere", b""))
    with pytest.raises(Elsewhere, match=r"such as '/home/project/src/main\.py'"):
        run(files.real("/home/elsewhere"))
    assert run(all_of(files.glob("*.py"))) == ["/home/project/a.py"]
    assert run(lines(files, Grep("te+xt"))) == [("/home/project/a.py", 1, "text")]


def test_a_folder_above_a_mount_is_not_outside_however_deep_they_are_nested() -> None:
    files = Mounts({"/": Mounts({"/project": MemoryFiles()}), "/state/outputs": MemoryFiles()})
    for path in ("/", "/state", "/state/outputs/a", "/project", "/project/a"):
        assert run(files.real(path)) == path
    for path in ("/state/b", "/projects", "/etc/passwd"):
        with pytest.raises(Elsewhere):
            run(files.real(path))


def test_what_is_missing_in_mounts_inside_a_mount_is_missing_there_and_not_outside() -> None:
    shelf = Mounts({"/pdf": MemoryFiles(), "/web": MemoryFiles()})
    files = Mounts({"/project": MemoryFiles(), "/skills": shelf})
    for path in ("/skills/none", "/skills/none/SKILL.md", "/skills"):
        assert run(files.real(path)) == path
    with pytest.raises(Missing):
        run(files.read("/skills/none/SKILL.md"))


def test_where_files_can_be_is_told_with_outer_paths() -> None:
    shelf = Mounts({"/pdf": MemoryFiles(), "/web": MemoryFiles()})
    files = Mounts({"/project": MemoryFiles(), "/skills": shelf})
    with pytest.raises(Elsewhere, match=r"'/skills/pdf' and '/skills/web'.*'/skills/pdf/src"):
        run(files.write("/skills/new/SKILL.md", b""))


@pytest.mark.parametrize(
    "pattern", ["src/*.py", "/m/src/*.py", "{/m/src/,lib/}*.py", "**/src/*.py", "{src,lib}/a.py"]
)
def test_patterns_with_folders_mean_the_same_in_a_mount(pattern: str) -> None:
    files = Mounts({"/m": MemoryFiles()})
    run(filled(files, "/m/src/a.py", "/m/a.py", "/m/src/a.md"))
    assert run(all_of(files.glob(pattern, "/m"))) == ["/m/src/a.py"]
    query = Grep("text", "/m", include=pattern, show="files")
    assert list(run(counts(files, query))) == ["/m/src/a.py"]
