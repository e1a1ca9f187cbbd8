"""Files that are reached by commands: the contract of the port, and what is special about them."""

import asyncio
import os
import shlex
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from threading import Event, Thread

import msgspec
import pytest

from longrein.testing.filesystem_cases.setting import all_of
from longrein.testing.filesystems import FileSystemCase, filesystem_cases, try_everything
from longrein.workspace.base import Grep
from longrein.workspace.problems import FileProblem, Linked, NotAFile, Outside, Refused
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import Command, Sandbox
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.host import HostShell
from longrein.workspace.sandbox.running import Running
from longrein.workspace.sandbox_files import SandboxFiles
from tests.support import run
from tests.workspace.corpus import SECRET, hostile_paths, outside, trap


class PlainShell(HostShell):
    """Lines for the plainest shell there is, whatever the machine prefers."""

    async def start(self, command: Command) -> Running:
        line = f"exec /bin/sh -c {shlex.quote(command.line)}"
        return await super().start(msgspec.structs.replace(command, line=line))


@asynccontextmanager
async def files_in(
    root: Path, sandbox: Sandbox | None = None
) -> AsyncGenerator[SandboxFiles, None]:
    """The files of a folder through a sandbox."""
    sandbox = sandbox or PlainShell()
    try:
        yield SandboxFiles(sandbox, str(root))
    finally:
        await sandbox.close()


@pytest.mark.parametrize("case", filesystem_cases(), ids=str)
def test_files_through_commands_keep_the_promise(case: FileSystemCase, tmp_path: Path) -> None:
    async def check() -> None:
        async with files_in(tmp_path) as files:
            await case.check(files)

    run(check())


def test_no_path_ends_a_run_or_gets_out(tmp_path: Path) -> None:
    root = trap(tmp_path)
    before = outside(tmp_path)
    refused = [one.path for one in hostile_paths() if one.becomes is None]
    led_out = [one.path for one in hostile_paths() if one.path.startswith(("/link-", "/in/link-"))]
    odd = ["/pipe", "/-rf", "/$(id)`id`", "/a b'\"", "/*", "/in/ "]

    async def attack() -> None:
        async with files_in(root) as files:
            for path in refused:  # none of them reaches the sandbox
                assert len(await try_everything(files, path)) == 5, path
            for path in led_out:
                with pytest.raises(FileProblem):
                    await files.read(path)
            for path in ("/link-out/new", "/link-dangling", "/link-file", "/in/link-deep/new"):
                with pytest.raises(FileProblem):
                    await files.write(path, b"")
            for path in odd:
                await try_everything(files, path)

    run(attack(), seconds=150)
    assert outside(tmp_path) == before


@pytest.mark.parametrize(
    "path", ["/link-out/secret.txt", "/link-abs", "/link-up/secret.txt", "/link-proc/etc/passwd"]
)
def test_a_link_that_leads_out_is_not_resolved(path: str, tmp_path: Path) -> None:
    async def check() -> None:
        async with files_in(trap(tmp_path)) as files:
            with pytest.raises(Outside):
                await files.real(path)

    run(check())


def test_links_that_stay_inside_are_resolved_and_never_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_bytes(b"1")
    (tmp_path / "to-folder").symlink_to("folder")
    (tmp_path / "to-file").symlink_to(tmp_path / "to-folder" / "file")
    (tmp_path / "circle").symlink_to("circle")

    async def check() -> None:
        async with files_in(tmp_path) as files:
            assert await files.real("/to-file") == "/folder/file"
            assert await files.real("/to-folder/new/one") == "/folder/new/one"
            assert await files.real("/to-folder", last=False) == "/to-folder"
            with pytest.raises(Linked):
                await files.real("/circle/x")
            for path in ("/to-file", "/to-folder/file"):
                with pytest.raises(Linked):
                    await files.read(path)
            found = await files.stat("/to-file")
            assert found is not None
            assert (found.kind, found.target) == ("link", str(tmp_path / "to-folder" / "file"))
            await files.remove("/to-folder")

    run(check())
    assert (tmp_path / "folder" / "file").read_bytes() == b"1"


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    async def check() -> None:
        async with files_in(tmp_path) as files:
            for call in (files.read("/pipe"), files.write("/pipe", b"x")):
                with pytest.raises(NotAFile):
                    await call

    run(check())


def test_names_that_a_disk_holds_and_nobody_can_give_are_not_shown(tmp_path: Path) -> None:
    for name in (b"a\nb", b"caf\xe9", b"..x", b"\x1b[2J", b".longrein-0123456789abcdef.tmp"):
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))).write_bytes(b"")

    async def check() -> None:
        async with files_in(tmp_path) as files:
            assert [one.name for one in (await files.entries("/")).entries] == ["..x"]

    run(check())


def test_a_write_that_is_broken_off_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"before")

    async def check() -> None:
        async with files_in(tmp_path) as files:
            for seconds in (0.001, 0.01, 0.02, 0.04):
                writing = asyncio.create_task(files.write("/a", bytes(20_000_000)))
                await asyncio.sleep(seconds)
                writing.cancel()
                await asyncio.wait([writing])
                found = await files.stat("/a")
                assert found is not None
                assert found.size in (6, 20_000_000)
            assert [one.name for one in (await files.entries("/")).entries] == ["a"]

    run(check())


def test_a_file_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "a").chmod(0o444)

    async def check() -> None:
        async with files_in(tmp_path) as files:
            with pytest.raises(Refused, match="read-only"):
                await files.write("/a", b"2")

    run(check())


def test_a_large_file_is_read_as_far_as_needed(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.write(b"begin")
        file.truncate(3_000_000_000)
        file.seek(2_999_999_997)
        file.write(b"end")

    async def check() -> None:
        async with files_in(tmp_path) as files:
            async with aclosing(files.chunks("/large")) as chunks:
                assert (await anext(chunks)).startswith(b"begin")
            assert (await files.read("/large", 2_999_999_990)).data == bytes(7) + b"end"

    run(check())


def test_a_root_that_is_not_there_says_so(tmp_path: Path) -> None:
    async def check() -> None:
        async with files_in(tmp_path / "none") as files:
            with pytest.raises(Refused, match="not there"):
                await files.read("/a")

    run(check())


def test_what_the_sandbox_forbids_is_forbidden(tmp_path: Path) -> None:
    for name in ("secret", "fixed"):
        (tmp_path / name).write_text(name)
    rules = [
        FileRule("deny", (f"{tmp_path}/secret",)),
        FileRule("deny", (f"{tmp_path}/fixed",), ("write",)),
    ]

    async def check() -> None:
        async with files_in(tmp_path, Bubblewrap(tmp_path, rules=rules)) as files:
            await files.write("/new", b"\0\xff")
            assert (await files.read("/new")).data == b"\0\xff"
            assert (await files.read("/fixed")).data == b"fixed"
            for call in (files.read("/secret"), files.write("/fixed", b"")):
                with pytest.raises(FileProblem):
                    await call

    run(check())
    assert (tmp_path / "fixed").read_text() == "fixed"


def test_a_link_that_is_swapped_in_meanwhile_leads_nowhere(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for folder in (root / "real", tmp_path / "outside"):
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(SECRET if folder.name == "outside" else b"mine")
    (root / "link").symlink_to(tmp_path / "outside")
    over = Event()

    def swap() -> None:
        while not over.is_set():
            (root / "real").rename(root / "away")
            (root / "link").rename(root / "real")
            (root / "real").rename(root / "link")
            (root / "away").rename(root / "real")

    async def check() -> None:
        async with files_in(root) as files:
            seen = set[bytes]()
            for _ in range(100):
                try:
                    seen.add((await files.read("/real/file")).data)
                except FileProblem:
                    pass
            assert seen <= {b"mine"}

    swapping = Thread(target=swap)
    swapping.start()
    try:
        run(check())
    finally:
        over.set()
        swapping.join()


def test_a_closed_sandbox_is_a_problem_in_words(tmp_path: Path) -> None:
    async def check() -> None:
        async with files_in(tmp_path) as files:
            pass
        with pytest.raises(Refused, match="closed"):
            await files.read("/a")

    run(check())


def test_a_search_finds_nothing_outside(tmp_path: Path) -> None:
    async def check() -> None:
        async with files_in(trap(tmp_path)) as files:
            assert await all_of(files.grep(Grep(SECRET.decode().strip()))) == []
            assert await all_of(files.glob("**")) == ["/file.txt"]

    run(check())
