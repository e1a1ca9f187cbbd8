"""Links that are swapped in while operations run: not one gets out."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from longrein.testing.filesystem_cases.setting import all_of
from longrein.workspace.base import FileSystem, Grep
from longrein.workspace.disk import DiskFiles
from longrein.workspace.guarded import Guarded
from longrein.workspace.problems import FileProblem
from longrein.workspace.rules import FileRule, policy
from tests.support import run

SECONDS = 1.5
DISKS: dict[str, Callable[[Path], FileSystem]] = {
    "openat2": DiskFiles,
    "step by step": lambda root: DiskFiles(root, openat2=False, ripgrep=""),
}


@contextmanager
def swapping(root: Path, target: str) -> Generator[None, None, None]:
    """`root/d` is in turn a folder and a link, as fast as it can be."""
    stop = threading.Event()
    (root / "d").mkdir()
    (root / "d/file").write_bytes(b"inside\n")
    (root / "link").symlink_to(target)

    def swap() -> None:
        while not stop.is_set():
            for step in (("d", "aside"), ("link", "d"), ("d", "link"), ("aside", "d")):
                try:
                    os.rename(root / step[0], root / step[1])
                except OSError:  # a write made the folder anew in between: put it away
                    _put_away(root)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        yield
    finally:
        stop.set()
        swapper.join()


def _put_away(root: Path) -> None:
    try:
        os.rename(root / "d", root / f"old-{time.monotonic_ns()}")
    except OSError:
        pass


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "file").write_bytes(b"outside\n")
    (outside / "only-outside").write_bytes(b"outside\n")
    return root, outside


@pytest.mark.parametrize("disk", DISKS)
def test_swapped_links_let_nothing_out_or_in(disk: str, places: tuple[Path, Path]) -> None:
    root, outside = places
    files = DISKS[disk](root)
    seen: set[bytes] = set()
    tries = 0

    async def attack() -> None:
        nonlocal tries
        end = time.monotonic() + SECONDS
        while tries <= 20 or time.monotonic() < end:
            for operation in (_read, _write, _make, _move, _remove):
                tries += 1
                try:
                    seen.add(await operation(files))
                except FileProblem:
                    continue

    with swapping(root, "../outside"):
        run(attack())
    assert tries > 20
    assert not any(b"outside" in data for data in seen)
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {
        "file": b"outside\n",
        "only-outside": b"outside\n",
    }


@pytest.mark.parametrize("disk", DISKS)
def test_searches_find_nothing_outside_while_links_are_swapped(
    disk: str, places: tuple[Path, Path]
) -> None:
    root, _ = places
    files = DISKS[disk](root)
    for n in range(20):
        (root / f"a{n}").write_bytes(b"x\n" * 100)

    async def search() -> int:
        rounds = 0
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            rounds += 1
            found = await all_of(files.grep(Grep("side", show="lines")))
            assert "outside" not in str(found)
            assert await all_of(files.grep(Grep("outside", show="files", literal=True))) == []
            assert "only-outside" not in str(await all_of(files.glob("**")))
        return rounds

    with swapping(root, "../outside"):
        assert run(search()) > 0


@pytest.mark.parametrize("disk", DISKS)
def test_a_rule_is_not_raced_by_a_link_to_what_it_denies(
    disk: str, places: tuple[Path, Path]
) -> None:
    root, _ = places
    (root / "denied").mkdir()
    (root / "denied/file").write_bytes(b"denied\n")
    files = Guarded(DISKS[disk](root), policy([FileRule("deny", ("/denied/**",))]))
    seen: set[bytes] = set()

    async def attack() -> None:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                seen.add((await files.read(await files.real("/d/file"))).data)
                await files.write(await files.real("/d/file"), b"inside\n")
            except FileProblem:
                await asyncio.sleep(0)

    with swapping(root, "denied"):
        run(attack())
    assert seen <= {b"inside\n"}
    assert (root / "denied/file").read_bytes() == b"denied\n"


async def _read(files: FileSystem) -> bytes:
    return (await files.read("/d/file")).data


async def _write(files: FileSystem) -> bytes:
    await files.write("/d/file", b"inside\n")
    return b""


async def _make(files: FileSystem) -> bytes:
    await files.write("/d/new/file", b"inside\n")
    return b""


async def _move(files: FileSystem) -> bytes:
    await files.move("/d/file", "/taken", replace=True)
    data = (await files.read("/taken")).data
    await files.move("/taken", "/d/file", replace=True)
    return data


async def _remove(files: FileSystem) -> bytes:
    await files.remove("/d/file")
    return b""
