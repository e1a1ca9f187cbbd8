"""What ripgrep says is taken as it is only where nobody can have swapped anything meanwhile."""

import os
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from longrein.testing.filesystem_cases.setting import all_of, counts, lines
from longrein.workspace.base import Found, Grep
from longrein.workspace.confined import COARSEST, Confined
from longrein.workspace.disk import DiskFiles
from longrein.workspace.mounts import Mounts
from tests.support import run

LONG = "\u00fc" * 5_000


QUERIES = (
    Grep("needle"),
    Grep("needle", before=1, after=1),
    Grep("needle", "/a/b", include="*.txt"),
    Grep("needle", "/a/crlf.txt"),
    Grep("needle", show="counts"),
    Grep("needle", show="files"),
)


class Settled(NamedTuple):
    """A tree that nobody has changed for a while, and what was found in it before."""

    root: Path
    other: Path
    found: list[list[Found]]
    paths: list[str]


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Settled:
    """With all that makes it hard to tell what is a line, and of which file."""
    root, other = tmp_path_factory.mktemp("settled"), tmp_path_factory.mktemp("other")
    (other / "a/b").mkdir(parents=True)
    (other / "a/b/file").write_bytes(b"")
    (root / "a/b").mkdir(parents=True)
    (root / "a/crlf.txt").write_bytes(b"one needle\r\ntwo\r\nneedle\r\n")
    (root / "a/b/end.txt").write_bytes(b"12:34:needle\n\nno end needle")
    (root / "a/b/latin.txt").write_bytes(b"caf\xe9 needle\n")
    (root / "a/long.txt").write_text(f"{LONG} needle\nneedle {LONG}\n")
    (root / "late.txt").write_bytes(b"needle\n" * 20_000 + b"\0\nneedle\n")
    (root / "binary").write_bytes(b"needle\n" + b"x" * 60_000 + b"\0")
    (root / "many.txt").write_bytes(b"a needle in every line\n" * 20_000)
    os.makedirs(root / "odd: WARNING:\n./a")
    (root / "odd: WARNING:\n./a/crlf.txt").write_bytes(b"1:0:needle\n")
    (root / "two\nlines").write_bytes(b"needle\n")
    (root / os.fsdecode(b"caf\xe9")).write_bytes(b"needle\n")
    (root / "back\\slash").write_bytes(b"needle\n")
    (root / "\u00fcber.txt").write_bytes("\u00fcber needle\n".encode())
    files = DiskFiles(root)
    found = [run(all_of(files.grep(query))) for query in QUERIES]
    paths = run(all_of(files.glob("**")))
    time.sleep(COARSEST / 1e9 + 0.1)
    return Settled(root, other, found, paths)


@pytest.mark.parametrize("number", range(len(QUERIES)))
def test_a_search_that_trusts_finds_what_one_that_looks_found(
    settled: Settled, number: int
) -> None:
    found = run(all_of(DiskFiles(settled.root).grep(QUERIES[number])))
    assert found == settled.found[number]
    assert found


@pytest.mark.parametrize("under", ["/", "/late.txt", "/a/crlf.txt"])
def test_lines_are_counted_as_they_are_shown(settled: Settled, under: str) -> None:
    files = DiskFiles(settled.root)
    shown = Counter(path for path, _, _ in run(lines(files, Grep("needle", under))))
    assert run(counts(files, Grep("needle", under, show="counts"))) == shown


def test_names_are_trusted_as_they_were_looked_up(settled: Settled) -> None:
    assert run(all_of(DiskFiles(settled.root).glob("**"))) == settled.paths
    assert settled.paths == [
        "/a/b/end.txt",
        "/a/b/latin.txt",
        "/a/crlf.txt",
        "/a/long.txt",
        "/binary",
        "/late.txt",
        "/many.txt",
        "/\u00fcber.txt",
    ]


def test_lines_are_told_in_the_same_way(settled: Settled) -> None:
    found = run(lines(DiskFiles(settled.root), Grep("needle", "/a")))
    assert found[:3] == [
        ("/a/b/end.txt", 1, "12:34:needle"),
        ("/a/b/end.txt", 3, "no end needle"),
        ("/a/b/latin.txt", 1, "caf\ufffd needle"),
    ]
    assert [(path, number, len(text)) for path, number, text in found[3:]] == [
        ("/a/crlf.txt", 1, 10),
        ("/a/crlf.txt", 3, 6),
        ("/a/long.txt", 1, 2_000),
        ("/a/long.txt", 2, 2_000),
    ]


def test_paths_are_told_as_they_are_mounted(settled: Settled) -> None:
    files = Mounts({"/deep/in": DiskFiles(settled.root)})
    query = Grep("needle", "/deep", include="*.txt", show="files")
    expected = ["/deep/in/a/b/end.txt", "/deep/in/a/b/latin.txt"]
    assert run(all_of(files.glob("in/a/b/*", "/deep"))) == expected
    assert [one.path for one in run(all_of(files.grep(query)))][:2] == expected
    alone = Grep("no end", expected[0])
    assert run(lines(files, alone)) == [(expected[0], 3, "no end needle")]


def test_a_folder_is_unchanged_until_a_name_in_it_or_above_it_is(settled: Settled) -> None:
    files, root = Confined(str(settled.other)), settled.other
    since = time.time_ns()
    assert files.unchanged(["/a/b"], since) == {"/", "/a", "/a/b"}
    os.rename(root / "a/b/file", root / "a/b/renamed")
    assert files.unchanged(["/a/b"], since) == {"/", "/a"}
    os.rename(root / "a", root / "aside")
    os.rename(root / "aside", root / "a")
    assert files.unchanged(["/a/b", "/a"], since) == set()


def test_a_link_and_what_is_behind_it_are_no_unchanged_folders(tmp_path: Path) -> None:
    (tmp_path / "real/inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    later = time.time_ns() + 2 * COARSEST
    found = Confined(str(tmp_path)).unchanged(["/link", "/link/inner", "/real/inner"], later)
    assert found == {"/", "/real", "/real/inner"}
