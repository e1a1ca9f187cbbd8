"""Files that a person names while typing: found by a part of their path, and read to send along."""

import os
import time
from pathlib import Path

import pytest

from longrein.client.file_ranking import listed, ranked
from longrein.client.files import LARGEST, FileIndex
from longrein.core.errors import NotFound, UsageError
from tests.support import run


def tree(folder: Path, *paths: str) -> FileIndex:
    for path in paths:
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(path)
    return FileIndex(str(folder))


def found(index: FileIndex, part: str, limit: int = 20) -> list[str]:
    async def ask() -> list[str]:
        try:
            return list(await index.find(part, limit))
        finally:
            await index.close()

    return run(ask())


def test_names_that_begin_so_come_before_paths_that_hold_it(tmp_path: Path) -> None:
    index = tree(tmp_path, "apps/x.md", "deep/er/app.py", "a-p-p.z", "z")
    assert found(index, "app") == ["apps/", "deep/er/app.py", "apps/x.md", "a-p-p.z"]


def test_folders_are_offered_with_a_slash(tmp_path: Path) -> None:
    assert found(tree(tmp_path, "src/deep/x.py"), "") == ["src/", "src/deep/", "src/deep/x.py"]


def test_what_git_ignores_is_not_offered(tmp_path: Path) -> None:
    index = tree(tmp_path, "kept.log.py", "gone.log", "build/out.py")
    (tmp_path / ".gitignore").write_text("*.log\nbuild/\n")
    assert found(index, "o") == ["kept.log.py"]


def test_hidden_files_are_offered_only_when_a_dot_is_typed(tmp_path: Path) -> None:
    index = tree(tmp_path, ".github/flow.yml", "flow.py", ".env")
    assert found(index, "flow") == ["flow.py"]
    assert found(FileIndex(str(tmp_path)), ".g") == [".github/", ".github/flow.yml"]


def test_names_that_a_terminal_cannot_show_are_not_offered(tmp_path: Path) -> None:
    index = tree(tmp_path, "good.py", "go\x1b[31mod.py", "go\u202eod.py")
    assert found(index, "go") == ["good.py"]


def test_paths_outside_are_completed_folder_by_folder(tmp_path: Path) -> None:
    tree(tmp_path, "other/cat.png", "other/.cat", "project/x")
    index = FileIndex(str(tmp_path / "project"))
    assert found(index, "../other/c") == ["../other/cat.png"]
    assert found(index, f"{tmp_path}/o") == [f"{tmp_path}/other/"]
    assert found(index, "/no/such/place") == []


def test_a_folder_that_is_not_there_offers_nothing(tmp_path: Path) -> None:
    assert found(FileIndex(str(tmp_path / "gone")), "x") == []


def test_new_files_are_seen_after_some_seconds_without_waiting_for_them(tmp_path: Path) -> None:
    now = 0.0

    async def ask() -> None:
        nonlocal now
        index = FileIndex(str(tmp_path), clock=lambda: now)
        assert await index.find("new", 9) == ()
        tree(tmp_path, "new.py", "old.py")
        assert await index.find("new", 9) == ()
        now = 4.0
        while not (seen := await index.find("new", 9)):
            pass
        assert seen == ("new.py",)
        await index.close()

    tree(tmp_path, "old.py")
    run(ask())


def test_a_hundred_thousand_files_are_ranked_in_a_fraction_of_a_second() -> None:
    known = listed(f"/src/part{n % 300}/file_{n}.py" for n in range(100_000))
    began = time.process_time()
    assert ranked(known, "file_99", 3)[0] == "src/part99/file_99.py"
    assert ranked(known, "", 2) == ("src/", "src/part0/")
    assert time.process_time() - began < 2


def test_a_file_is_read_wherever_the_person_says_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    index = tree(tmp_path / "project", "a b.txt")
    tree(tmp_path, "home/cat.png")
    assert run(index.read("a b.txt")).data == b"a b.txt"
    assert run(index.read("~/cat.png")).name == "cat.png"
    assert run(index.read(str(tmp_path / "home" / "cat.png"))).data == b"home/cat.png"


def test_what_cannot_be_sent_along_is_refused_with_a_reason(tmp_path: Path) -> None:
    index = tree(tmp_path, "folder/x")
    os.mkfifo(tmp_path / "pipe")
    with open(tmp_path / "large", "wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(NotFound, match=r"no file gone\.png"):
        run(index.read("gone.png"))
    for path, reason in {
        "folder": "is a folder",
        "pipe": "is a pipe or a device",
        "/dev/zero": "is a pipe or a device",
        "large": "at most 20 MB",
        "a\0b": "cannot be read",
        "~nobody-of-this-name/x": "cannot be read",
    }.items():
        with pytest.raises(UsageError, match=reason):
            run(index.read(path))
