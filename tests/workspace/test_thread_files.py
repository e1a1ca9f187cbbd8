"""Files in a thread: they keep the contract of the port, and are folded from facts."""

from hashlib import sha256

import pytest

from longrein.core.events import Recorded
from longrein.workspace.kept import Record
from longrein.workspace.problems import Missing
from longrein.workspace.thread import (
    KIND,
    THREAD_FILES,
    ThreadFiles,
    fold,
)
from tests.support import run
from tests.workspace.thread_log import Log


def test_a_fact_names_the_blobs_that_it_needs() -> None:
    log = Log()
    run(ThreadFiles(log).write("/a", b"x"))
    assert log.events[0].blobs == (sha256(b"x").hexdigest(),)


def test_the_files_are_what_the_events_say() -> None:
    log = Log()
    files = ThreadFiles(log)

    async def change() -> None:
        await files.write("/a/b", b"1")
        await files.write("/c", b"2")
        await files.move("/a", "/d")
        await files.remove("/c")

    run(change())
    folded = dict[str, Record]()
    for event in log.events:
        folded = fold(folded, event)
    assert list(folded) == ["/d/b"]


def test_a_fact_that_is_about_something_else_or_cannot_be_read_changes_nothing() -> None:
    records = {"/a": Record(1, 0, 0o644, "00")}
    assert fold(records, Recorded("other", {"put": {}})) is records
    assert fold(records, Recorded(KIND, {"put": {"/b": 1}})) is records


def test_a_file_whose_bytes_are_gone_is_not_there() -> None:
    log = Log()
    run(ThreadFiles(log).write("/a", b"x"))
    log.blobs.clear()
    with pytest.raises(Missing):
        run(ThreadFiles(log).read("/a"))


def test_they_go_back_with_files() -> None:
    assert THREAD_FILES.rewinds == "files"
