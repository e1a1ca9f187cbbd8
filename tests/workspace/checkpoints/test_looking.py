"""What a look at a tree sees, what it leaves out, and what it takes as known."""

import ctypes
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from longrein.workspace.checkpoints.looking import Look
from longrein.workspace.checkpoints.snapshot import (
    Snapshot,
    decode_folder,
    differences,
    encode,
    left_out,
)
from longrein.workspace.checkpoints.values import Keeping, Version
from longrein.workspace.descriptors import Root
from tests.workspace.checkpoints.setting import put

NOTHING: Snapshot = {}


def look(
    root: Path | Root, before: Snapshot = NOTHING, keeping: Keeping | None = None
) -> tuple[Snapshot, int]:
    """What is seen, and how many files were read that are new."""
    opened = root if isinstance(root, Root) else Root(str(root))
    one = Look(opened, before, keeping or Keeping())
    read = sum(len(batch) for batch in one.batches())
    return one.snapshot, read + len(one.rest)


def files(snapshot: Snapshot) -> set[str]:
    return {
        os.fsdecode(path + b"/" + entry.name)
        for path, folder in snapshot.items()
        for entry in folder.entries
        if entry.version.kind != "unkept"
    }


def lost(snapshot: Snapshot) -> dict[str, str]:
    return {os.fsdecode(path): reason for path, reason in left_out(snapshot)}


def aged(snapshot: Snapshot) -> Snapshot:
    """The same look, as if it had been made long after the last change."""
    return {
        path: replace(
            folder,
            young=False,
            entries=tuple(replace(entry, young=False) for entry in folder.entries),
        )
        for path, folder in snapshot.items()
    }


def test_what_gitignore_names_is_left_out_and_told(tmp_path: Path) -> None:
    put(tmp_path, {".gitignore": "*.log\n/build/\n", "a.py": "", "a.log": "", "build/b": ""})
    put(tmp_path, {"sub/.gitignore": "!keep.log\n", "sub/keep.log": "", "sub/build/c": ""})
    seen, _ = look(tmp_path)
    assert files(seen) == {
        *("/.gitignore", "/a.py", "/sub/.gitignore", "/sub/keep.log", "/sub/build/c")
    }
    assert lost(seen) == {"/a.log": "ignored", "/build": "ignored"}


def test_what_is_ignored_from_now_on_is_still_looked_at(tmp_path: Path) -> None:
    put(tmp_path, {"a.log": "one", "logs/b.log": "one"})
    before, _ = look(tmp_path)
    put(tmp_path, {".gitignore": "*.log\n/logs/\n", "c.log": "new", "logs/b.log": "two"})
    after, _ = look(tmp_path, before)
    assert [change.path for change in differences(before, after)] == [
        *(b"/.gitignore", b"/logs/b.log")
    ]
    assert lost(after) == {"/c.log": "ignored"}


def test_what_is_ignored_no_longer_is_not_taken_for_new(tmp_path: Path) -> None:
    put(tmp_path, {".gitignore": "*.log\n/out/\n", "a.log": "", "out/deep/b": ""})
    before, _ = look(tmp_path)
    put(tmp_path, {".gitignore": "# nothing\n"})
    after, _ = look(tmp_path, before)
    assert {"/a.log", "/out/deep/b"} < files(after)
    found = {change.path: change.before.kind for change in differences(before, after)}
    assert found == {b"/.gitignore": "file", b"/a.log": "unkept", b"/out/deep/b": "unkept"}


def test_only_what_changed_is_read_again(tmp_path: Path) -> None:
    put(tmp_path, {f"d{n % 7}/{n}.txt": f"{n}" for n in range(100)})
    before, read = look(tmp_path)
    assert read == 100
    before = aged(before)
    put(tmp_path, {"d1/1.txt": "other"})
    after, read = look(tmp_path, before)
    assert read == 1
    assert sum(folder is not before[path] for path, folder in after.items()) == 1


def test_a_file_that_was_young_at_the_last_look_is_read_again(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": "a"})
    before, _ = look(tmp_path)
    # As if the file had been changed right after the look, under the same time stamps.
    doctored = {
        path: replace(
            folder,
            young=False,
            entries=tuple(
                replace(one, version=Version("file", b"old"), young=True) for one in folder.entries
            ),
        )
        for path, folder in before.items()
    }
    assert look(tmp_path, doctored)[1] == 1
    assert look(tmp_path, aged(doctored))[1] == 0


def test_a_file_just_written_is_young_and_an_old_one_is_not(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": "a"})
    (entry,) = look(tmp_path)[0][b""].entries
    assert entry.young
    (system,) = look(Path(os.__file__).parent / "json")[0][b""].entries[:1]
    assert not system.young


def test_files_beyond_the_bounds_are_told(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": b"x" * 600, "b.txt": b"y" * 600, "large.bin": b"z" * 1001})
    keeping = Keeping(largest=1000, total=1000)
    before, _ = look(tmp_path, keeping=keeping)
    assert lost(before) == {"/b.txt": "full", "/large.bin": "large"}
    put(tmp_path, {"b.txt": b"w" * 700, "a.txt": b"v" * 900})
    after, _ = look(tmp_path, before, keeping)
    found = {one.path: (one.before.kind, one.after.kind) for one in differences(before, after)}
    assert found == {b"/a.txt": ("file", "file"), b"/b.txt": ("unkept", "unkept")}


def test_files_of_just_the_bound_are_kept(tmp_path: Path) -> None:
    put(tmp_path, {"a.bin": b"x" * 1024 * 1024, "b.bin": b"x" * (1024 * 1024 + 1)})
    assert lost(look(tmp_path)[0]) == {"/b.bin": "large"}


def test_more_files_than_the_bound_are_told(tmp_path: Path) -> None:
    put(tmp_path, {f"{n}.txt": "" for n in range(5)})
    assert list(lost(look(tmp_path, keeping=Keeping(files=3))[0]).values()) == ["full", "full"]


def test_pipes_and_sockets_block_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        folder = os.open(tmp_path, os.O_RDONLY)
        bound.bind(f"/proc/self/fd/{folder}/socket")
        os.close(folder)
        assert lost(look(tmp_path)[0]) == {"/pipe": "special", "/socket": "special"}


def test_links_are_kept_as_links_and_never_followed(tmp_path: Path) -> None:
    put(tmp_path, {"outside/secret.txt": "s"})
    root = tmp_path / "root"
    root.mkdir()
    os.symlink(tmp_path / "outside", root / "folder")
    os.symlink("nowhere", root / "dangling")
    seen, read = look(root)
    assert files(seen) == {"/folder", "/dangling"}
    assert read == 2
    assert set(seen) == {b""}


@contextmanager
def without_rights() -> Generator[None, None, None]:
    """Touch files as somebody to whom the mode of a file means something."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        libc.setfsuid(65534)
        try:
            yield
        finally:
            libc.setfsuid(0)
    else:
        yield


def test_what_cannot_be_read_is_told_and_taken_to_be_as_it_was(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    put(tmp_path, {"d/a.txt": "a", "secret.txt": "s"})
    root = Root(str(tmp_path))
    before, _ = look(root)
    (tmp_path / "d").chmod(0)
    (tmp_path / "secret.txt").chmod(0)
    with without_rights():
        after, _ = look(root, before)
        anew, _ = look(root)
    (tmp_path / "d").chmod(0o755)
    assert [one.path for one in differences(before, after)] == [b"/secret.txt"]
    assert lost(anew) == {"/d/.": "unreadable", "/secret.txt": "unreadable"}
    opened, _ = look(root, anew)
    assert {one.before.kind for one in differences(anew, opened)} == {"unkept"}


def test_a_look_can_be_written_and_read(tmp_path: Path) -> None:
    put(tmp_path, {".gitignore": "*.log", "a.log": "", "d/a.txt": "a"})
    os.symlink("x", os.fsencode(tmp_path) + b"/caf\xe9")
    seen, _ = look(tmp_path)
    assert {path: decode_folder(encode(folder)) for path, folder in seen.items()} == seen
