"""Changing what is there."""

import asyncio

from longrein.testing.filesystem_cases.setting import all_of, filled, raised
from longrein.workspace.base import FileSystem
from longrein.workspace.problems import (
    Changed,
    Exists,
    FileProblem,
    Missing,
    NotAFile,
    NotAFolder,
    Refused,
    TooLarge,
)


async def a_write_replaces_the_whole_file(files: FileSystem) -> None:
    await files.write("/a", b"a longer text")
    await files.write("/a", b"short")
    assert (await files.read("/a")).data == b"short"


async def the_revision_changes_with_the_content(files: FileSystem) -> None:
    first = await files.write("/a", b"1")
    again = await files.stat("/a")
    assert again is not None
    assert again.revision == first.revision
    assert (await files.write("/a", b"2")).revision != first.revision


async def a_write_that_expects_another_revision_changes_nothing(files: FileSystem) -> None:
    first = await files.write("/a", b"1")
    await files.write("/a", b"22", expected=first.revision)
    said = await raised(files.write("/a", b"333", expected=first.revision), Changed)
    assert "Read it again" in said
    assert (await files.read("/a")).data == b"22"
    await files.remove("/a")
    await raised(files.write("/a", b"333", expected=first.revision), Changed)
    assert await files.stat("/a") is None


async def a_file_that_must_be_new_replaces_nothing(files: FileSystem) -> None:
    await files.write("/d/a", b"1", expected="")
    await raised(files.write("/d/a", b"2", expected=""), Exists)
    assert (await files.read("/d/a")).data == b"1"


async def of_several_who_expect_the_same_one_writes(files: FileSystem) -> None:
    first = await files.write("/a", b"0")
    tries = (files.write("/a", b"%d" % n, expected=first.revision) for n in range(1, 9))
    done = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(one, Changed) for one in done) == 7


async def of_several_who_make_the_same_file_one_does(files: FileSystem) -> None:
    tries = (files.write("/new/a", b"%d" % n, expected="") for n in range(8))
    done = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(one, Exists) for one in done) == 7


async def the_mode_stays_unless_it_is_given(files: FileSystem) -> None:
    await files.write("/run.sh", b"1", mode=0o755)
    assert (await files.write("/run.sh", b"2")).mode == 0o755
    assert (await files.write("/run.sh", b"3", mode=0o600)).mode == 0o600


async def a_write_leaves_nothing_else_behind(files: FileSystem) -> None:
    await files.write("/d/a", b"1")
    await files.write("/d/a", b"2")
    await raised(files.write("/d/a", b"3", expected="other"), Changed)
    assert [one.name for one in (await files.entries("/d")).entries] == ["a"]


async def a_file_cannot_be_where_a_folder_is_or_below_a_file(files: FileSystem) -> None:
    await filled(files, "/folder/file")
    await raised(files.write("/folder", b""), NotAFile)
    await raised(files.write("/", b""), NotAFile)
    await raised(files.write("/folder/file/below", b""), NotAFolder)


async def what_is_too_large_is_refused(files: FileSystem) -> None:
    await raised(files.write("/a", bytes(64 * 1024 * 1024 + 1)), TooLarge)
    assert await files.stat("/a") is None


async def names_that_look_the_same_are_not_made_beside_each_other(files: FileSystem) -> None:
    await files.write("/caf\u00e9/men\u00fc", b"1")
    for path in ("/cafe\u0301/other", "/caf\u00e9/menu\u0308"):
        said = await raised(files.write(path, b"2"), Exists)
        assert "looks the same" in said
    assert (await files.read("/caf\u00e9/men\u00fc")).data == b"1"


async def names_of_all_scripts_are_kept(files: FileSystem) -> None:
    names = [
        "\u65e5\u672c\u8a9e.md",
        "\u05e9\u05dc\u05d5\u05dd",
        "a b'c\"d",
        "\U0001f600",
        "e\u0301",
    ]
    await filled(files, *(f"/{name}" for name in names))
    assert {one.name for one in (await files.entries("/")).entries} == set(names)
    assert set(await all_of(files.glob("*"))) == {f"/{name}" for name in names}


async def files_are_removed(files: FileSystem) -> None:
    await filled(files, "/d/a", "/d/b")
    await files.remove("/d/a")
    assert [one.name for one in (await files.entries("/d")).entries] == ["b"]


async def a_full_folder_goes_only_if_that_is_said(files: FileSystem) -> None:
    await filled(files, "/d/a", "/d/e/b", "/dx")
    await raised(files.remove("/d"), Refused)
    await files.remove("/d", recursive=True)
    assert await files.stat("/d") is None
    assert await files.stat("/dx") is not None


async def the_root_cannot_be_removed_or_moved(files: FileSystem) -> None:
    await filled(files, "/a")
    for path in ("/", "/x/..", "."):
        await raised(files.remove(path, recursive=True), Refused)
        await raised(files.move(path, "/b"), Refused)
        await raised(files.move("/a", path, replace=True), Refused)
    assert await files.stat("/a") is not None


async def a_file_moves_with_its_bytes_and_mode(files: FileSystem) -> None:
    await files.write("/a", b"1\r\n", mode=0o700)
    await files.move("/a", "/new/folder/b")
    content = await files.read("/new/folder/b")
    assert (content.data, content.stat.mode) == (b"1\r\n", 0o700)
    assert await files.stat("/a") is None


async def a_folder_moves_with_all_in_it(files: FileSystem) -> None:
    await filled(files, "/d/a", "/d/e/b", "/dx")
    await files.move("/d", "/moved")
    assert await all_of(files.glob("**")) == ["/dx", "/moved/a", "/moved/e/b"]
    await raised(files.move("/moved", "/moved/into"), Refused)


async def a_move_replaces_a_file_only_if_that_is_said(files: FileSystem) -> None:
    await files.write("/a", b"1")
    await files.write("/b", b"2")
    await filled(files, "/folder/x")
    await raised(files.move("/a", "/b"), Exists)
    await files.move("/a", "/b", replace=True)
    assert (await files.read("/b")).data == b"1"
    for replace in (False, True):
        await raised(files.move("/b", "/folder", replace=replace), FileProblem)
        await raised(files.move("/folder", "/b", replace=replace), FileProblem)


async def a_move_to_itself_changes_nothing(files: FileSystem) -> None:
    await files.write("/a", b"1")
    await files.move("/a", "/x/../a")
    assert (await files.read("/a")).data == b"1"
    await raised(files.move("/none", "/none"), Missing)
