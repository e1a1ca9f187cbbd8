"""Whose a draft is when there are several processes."""

import os
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from longrein.client.drafts import Drafts
from longrein.storage.drafts import draft_file
from longrein.storage.memory import MemoryStore
from longrein.storage.sqlite import SqliteStore
from tests.support import run

WRITES = """
import sys
from longrein.client.drafts import Drafts
from longrein.storage.sqlite import SqliteStore
ours = Drafts(SqliteStore(sys.argv[1]), sys.argv[2], {"new"})
for thread in sys.argv[3:]:
    ours.write(thread, b"from elsewhere")
print("written", flush=True)
sys.stdin.read()
"""

READS = """
import sys
from longrein.client.drafts import Drafts
from longrein.storage.sqlite import SqliteStore
ours = Drafts(SqliteStore(sys.argv[1]), "/project", ())
print("ready", flush=True)
sys.stdin.readline()
print(*(thread for thread in sys.argv[2:] if ours.read(thread)))
"""


@contextmanager
def elsewhere(
    path: Path, resource: str = "/project", threads: Sequence[str] = ("new",)
) -> Generator[None, None, None]:
    """Another process that has written drafts, and lives for as long."""
    command = [sys.executable, "-c", WRITES, str(path), resource, *threads]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        yield


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "longrein.db"


def drafts(path: Path) -> Drafts:
    return Drafts(SqliteStore(str(path)), "/project", {"fresh"})


def test_what_a_living_process_writes_for_a_new_thread_stays_with_it(path: Path) -> None:
    with elsewhere(path):
        assert drafts(path).read("fresh") == b""


def test_what_a_process_left_is_taken_over_once(path: Path) -> None:
    with elsewhere(path), elsewhere(path, "/other"):
        pass
    ours = drafts(path)
    assert ours.read("fresh") == b"from elsewhere"
    ours.write("fresh", b"")
    assert ours.read("fresh") == b""


def test_what_a_living_process_writes_in_any_thread_stays_with_it_until_it_is_gone(
    path: Path,
) -> None:
    ours = drafts(path)
    with elsewhere(path, threads=["old"]):
        assert ours.read("old") == b""
        ours.write("old", b"ours")
        ours.write("old", b"")
    assert ours.read("old") == b"from elsewhere"


def test_of_two_that_begin_at_once_only_one_gets_what_was_left(path: Path) -> None:
    threads = [str(number) for number in range(50)]
    with elsewhere(path, threads=threads):
        pass
    command = [sys.executable, "-c", READS, str(path), *threads]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as one,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as two,
    ):
        for process in (one, two):
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
        for process in (one, two):
            assert process.stdin is not None
            process.stdin.write(b"\n")
            process.stdin.flush()
        got = [word.decode() for process in (one, two) for word in process.communicate()[0].split()]
    assert (one.returncode, two.returncode) == (0, 0)
    assert sorted(got) == sorted(threads)


def test_where_nobody_can_tell_who_lives_what_is_older_than_the_process_was_left(
    path: Path,
) -> None:
    ours, now = drafts(path), time.time()
    for thread, written in (("before", now - 60), ("since", now + 60)):
        file = draft_file(SqliteStore(str(path)), thread, "1234")  # without a tag: its number
        assert file is not None
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"by somebody")
        os.utime(file, (written, written))
    assert ours.read("before") == b"by somebody"
    assert ours.read("since") == b""


def test_it_belongs_to_the_thread_as_soon_as_something_was_said_there(path: Path) -> None:
    ours = drafts(path)
    ours.write("fresh", b"written")
    ours.settle("fresh")
    assert ours.read("fresh") == b""
    assert Drafts(SqliteStore(str(path)), "/project", ()).read("fresh") == b"written"


def test_a_thread_by_any_name_has_a_file_of_its_own(path: Path) -> None:
    ours = drafts(path)
    for name in ("../up", "..", "a/b", "ä b"):
        ours.write(name, name.encode())
    assert [ours.read(name).decode() for name in ("../up", "..", "a/b")] == ["../up", "..", "a/b"]
    assert {file.parent.name for file in path.parent.rglob("*.draft")} == {"longrein.db-drafts"}


def test_a_store_without_a_place_on_disk_keeps_none() -> None:
    async def body() -> None:
        ours = Drafts(MemoryStore(), "/project", {"fresh"})
        ours.write("fresh", b"written")
        ours.settle("fresh")
        assert ours.read("fresh") == b""

    run(body())
