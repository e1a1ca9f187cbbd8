"""Drafts of new threads: whose they are when there are several processes."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from longrein.client.drafts import Drafts
from longrein.storage.memory import MemoryStore
from longrein.storage.sqlite import SqliteStore
from tests.support import run

WRITES = """
import sys
from longrein.client.drafts import Drafts
from longrein.storage.sqlite import SqliteStore
Drafts(SqliteStore(sys.argv[1]), sys.argv[2], {"new"}).write("new", b"from elsewhere")
print("written", flush=True)
sys.stdin.read()
"""


@contextmanager
def elsewhere(path: Path, resource: str = "/project") -> Generator[None, None, None]:
    """Another process that has written a draft for a new thread, and lives for as long."""
    command = [sys.executable, "-c", WRITES, str(path), resource]
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
