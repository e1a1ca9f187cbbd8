"""Files on disk: links, modes, what is no file, and writes that are whole or nothing."""

import os
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from longrein.core.errors import UsageError
from longrein.testing.filesystem_cases.setting import all_of, lines
from longrein.workspace.base import Grep, Stat
from longrein.workspace.disk import DiskFiles
from longrein.workspace.problems import (
    Exists,
    FileProblem,
    Linked,
    NotAFile,
    Outside,
    Refused,
    TooLarge,
)
from longrein.workspace.reading import read_lines
from tests.support import cpu, run

WAYS = pytest.mark.parametrize("openat2", [True, False], ids=["openat2", "step by step"])


def test_a_root_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be opened"):
        DiskFiles(tmp_path / "none")


@WAYS
def test_a_link_inside_is_resolved_and_never_followed(tmp_path: Path, openat2: bool) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/file").write_bytes(b"1")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "absolute").symlink_to(tmp_path / "real/file")
    files = DiskFiles(tmp_path, openat2=openat2)

    async def look() -> None:
        assert await files.real("/link/file") == "/real/file"
        assert await files.real("/link/new") == "/real/new"
        assert await files.real("/absolute") == "/real/file"
        assert await files.real("/link", last=False) == "/link"
        for path in ("/link/file", "/absolute"):
            with pytest.raises(Linked):
                await files.read(path)
            with pytest.raises(Linked):
                await files.write(path, b"2")
        with pytest.raises(Linked):
            await files.entries("/link")
        assert await files.stat("/link") == Stat(
            "link",
            modified=(tmp_path / "link").lstat().st_mtime_ns // 1000,
            mode=0o777,
            target="real",
        )

    run(look())
    assert (tmp_path / "real/file").read_bytes() == b"1"


@WAYS
def test_links_that_lead_out_or_round_are_told(tmp_path: Path, openat2: bool) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to("../other")
    (root / "beside").symlink_to(str(root) + "-other")
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    files = DiskFiles(root, openat2=openat2)
    for path, kind in (("/out/x", Outside), ("/beside", Outside), ("/a", Linked)):
        with pytest.raises(kind):
            run(files.real(path))


def test_a_link_is_removed_and_moved_itself(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/file").write_bytes(b"1")
    (tmp_path / "link").symlink_to("folder")
    files = DiskFiles(tmp_path)
    run(files.move("/link", "/moved"))
    assert (tmp_path / "moved").is_symlink()
    run(files.remove("/moved", recursive=True))
    assert not (tmp_path / "moved").is_symlink()
    assert (tmp_path / "folder/file").read_bytes() == b"1"


def test_removing_a_folder_leaves_what_its_links_lead_to(tmp_path: Path) -> None:
    (tmp_path / "root/d").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/file").write_bytes(b"1")
    (tmp_path / "root/d/link").symlink_to("../../outside")
    run(DiskFiles(tmp_path / "root").remove("/d", recursive=True))
    assert (tmp_path / "outside/file").read_bytes() == b"1"


@WAYS
def test_what_is_no_file_is_refused_and_never_waited_for(tmp_path: Path, openat2: bool) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(tmp_path / "socket"))
    special = ["/pipe", "/socket"]
    if os.geteuid() == 0:
        os.mknod(tmp_path / "zero", 0o20666, os.makedev(1, 5))
        special.append("/zero")
    files = DiskFiles(tmp_path, openat2=openat2)

    async def look() -> None:
        for path in special:
            found = await files.stat(path)
            assert found is not None
            assert found.kind == "other"
            for call in (files.read(path), files.write(path, b""), read_lines(files, path)):
                with pytest.raises(NotAFile):
                    await call
            with pytest.raises(FileProblem):
                await all_of(files.grep(Grep("x", path)))
        assert await all_of(files.glob("**")) == []
        assert await all_of(files.grep(Grep("x"))) == []

    run(look())


def test_names_that_cannot_be_given_are_not_shown(tmp_path: Path) -> None:
    for name in (
        b"bad\xff",
        b"line\nend",
        b"back\\slash",
        b".longrein-0123456789abcdef.tmp",
        b"ok",
    ):
        (tmp_path / os.fsdecode(name)).write_bytes(b"x\n")
    for files in (DiskFiles(tmp_path), DiskFiles(tmp_path, ripgrep="")):
        assert [one.name for one in run(files.entries("/")).entries] == ["ok"]
        assert run(all_of(files.glob("**"))) == ["/ok"]
        assert run(lines(files, Grep("x"))) == [("/ok", 1, "x")]


def test_a_write_keeps_the_mode_and_replaces_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_bytes(b"1")
    path.chmod(0o751)
    with path.open("rb") as open_before:
        run(DiskFiles(tmp_path).write("/run.sh", b"2"))
        assert open_before.read() == b"1"
    assert path.stat().st_mode & 0o777 == 0o751
    assert path.read_bytes() == b"2"


def test_a_new_file_gets_the_mode_that_the_process_gives(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        assert run(DiskFiles(tmp_path).write("/d/a", b"")).mode == 0o640
    finally:
        os.umask(before)
    assert (tmp_path / "d").stat().st_mode & 0o777 == 0o750


def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "a").chmod(0o444)
    with pytest.raises(Refused, match="read-only"):
        run(DiskFiles(tmp_path).write("/a", b"2"))
    assert (tmp_path / "a").read_bytes() == b"1"


def test_a_change_by_somebody_else_is_seen(tmp_path: Path) -> None:
    files = DiskFiles(tmp_path)
    first = run(files.write("/a", b"12345"))
    time.sleep(0.02)
    (tmp_path / "a").write_bytes(b"54321")
    found = run(files.stat("/a"))
    assert found is not None
    assert found.revision != first.revision


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"before")
    program = (
        "import asyncio, sys\n"
        "from longrein.workspace.disk import DiskFiles\n"
        "from longrein.workspace.problems import Refused\n"
        "try:\n"
        "    asyncio.run(DiskFiles(sys.argv[1]).write('/a', b'x' * 100_000))\n"
        "except Refused as problem:\n"
        "    print(problem)\n"
    )

    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))

    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        preexec_fn=no_room,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "no room" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"before"


def test_a_disk_that_ignores_case_gets_no_second_file_of_a_name(tmp_path: Path) -> None:
    files = DiskFiles(tmp_path, ignores_case=True)
    run(files.write("/Read.md", b"1"))
    with pytest.raises(Exists, match=r"Read\.md"):
        run(files.write("/READ.MD", b"2"))
    run(files.move("/Read.md", "/read.md"))
    assert [path.name for path in tmp_path.iterdir()] == ["read.md"]


def test_a_file_of_a_gigabyte_is_read_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.write(b"line\n" * 200)
        file.truncate(1 << 30)
    files = DiskFiles(tmp_path)
    assert cpu(lambda: run(read_lines(files, "/large", 50, 100))) < 0.1
    some = run(read_lines(files, "/large", 50, 100))
    assert [line.data for line in some.lines] == [b"line\n"] * 100
    assert (some.more, some.total) == (True, None)
    assert run(files.read("/large", (1 << 30) - 2, 10)).data == b"\0\0"
    with pytest.raises(TooLarge):
        run(files.read("/large"))


def test_a_folder_that_moved_takes_nothing_out(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    files = DiskFiles(root)
    root.rename(tmp_path / "moved")
    root.symlink_to("/etc")
    run(files.write("/a", b"1"))
    assert (tmp_path / "moved/a").read_bytes() == b"1"
    with pytest.raises(FileProblem):
        run(files.read("/passwd"))
    assert run(all_of(files.glob("**"))) == ["/a"]
    assert run(lines(files, Grep("."))) == [("/a", 1, "1")]


def test_a_search_program_that_is_not_there_is_a_problem_in_words(tmp_path: Path) -> None:
    files = DiskFiles(tmp_path, ripgrep="/nowhere/rg")
    with pytest.raises(FileProblem, match="No such file"):
        run(all_of(files.glob("**")))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_that_is_replaced_stays_its_owners(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    os.chown(tmp_path / "a", 1234, 2345)
    run(DiskFiles(tmp_path).write("/a", b"2"))
    found = (tmp_path / "a").stat()
    assert (found.st_uid, found.st_gid) == (1234, 2345)
