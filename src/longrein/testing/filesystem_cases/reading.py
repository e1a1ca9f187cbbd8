"""Looking at what is there."""

from contextlib import aclosing

from longrein.testing.filesystem_cases.setting import all_of, filled, raised
from longrein.workspace.base import FileSystem
from longrein.workspace.problems import Missing, NotAFile, NotAFolder
from longrein.workspace.reading import read_lines

BYTES = b"\xef\xbb\xbfone\r\ntwo\rthree\n\xff\xfe\x00 caf\xe9"


async def bytes_come_back_as_they_were(files: FileSystem) -> None:
    await files.write("/a/b.bin", BYTES)
    assert (await files.read("/a/b.bin")).data == BYTES
    assert b"".join(await all_of(files.chunks("/a/b.bin"))) == BYTES


async def an_empty_file_is_a_file(files: FileSystem) -> None:
    stat = await files.write("/empty", b"")
    assert (stat.kind, stat.size) == ("file", 0)
    assert (await files.read("/empty")).data == b""
    assert await all_of(files.chunks("/empty")) == []


async def a_part_of_a_file_can_be_read(files: FileSystem) -> None:
    await files.write("/a", b"0123456789")
    assert (await files.read("/a", 3, 4)).data == b"3456"
    assert (await files.read("/a", 8)).data == b"89"
    assert (await files.read("/a", 20, 5)).data == b""
    assert b"".join(await all_of(files.chunks("/a", 7))) == b"789"


async def stat_tells_what_is_there(files: FileSystem) -> None:
    await files.write("/folder/file", b"12345")
    file, folder = await files.stat("/folder/file"), await files.stat("/folder")
    assert file is not None
    assert folder is not None
    assert (file.kind, file.size) == ("file", 5)
    assert file.modified > 1_500_000_000_000_000
    assert file.revision
    assert folder.kind == "folder"
    assert await files.stat("/folder/other") is None
    assert await files.stat("/folder/file/below") is None
    root = await files.stat("/")
    assert root is not None
    assert root.kind == "folder"


async def content_tells_which_revision_it_is(files: FileSystem) -> None:
    written = await files.write("/a", b"1")
    assert (await files.read("/a")).stat.revision == written.revision


async def a_folder_is_listed_by_name(files: FileSystem) -> None:
    await filled(files, "/d/b", "/d/B", "/d/.hidden", "/d/a/deep", "/d/a.txt", "/other")
    listing = await files.entries("/d")
    assert [(one.name, one.kind) for one in listing.entries] == [
        (".hidden", "file"),
        ("B", "file"),
        ("a", "folder"),
        ("a.txt", "file"),
        ("b", "file"),
    ]
    assert listing.entries[0].size == 5
    assert not listing.more


async def a_listing_is_bounded_and_says_so(files: FileSystem) -> None:
    await filled(files, "/d/c", "/d/a", "/d/b")
    listing = await files.entries("/d", 2)
    assert [one.name for one in listing.entries] == ["a", "b"]
    assert listing.more
    assert not (await files.entries("/d", 3)).more


async def what_is_not_there_says_so_and_what_to_do(files: FileSystem) -> None:
    await filled(files, "/notes/Read Me.md")
    said = await raised(files.read("/notes/read me.md"), Missing)
    assert "/notes/read me.md" in said
    assert "Read Me.md" in said
    await raised(files.entries("/nowhere"), Missing)
    await raised(files.remove("/nowhere"), Missing)
    await raised(files.move("/nowhere", "/there"), Missing)


async def a_folder_is_no_file_and_a_file_no_folder(files: FileSystem) -> None:
    await filled(files, "/folder/file")
    await raised(files.read("/folder"), NotAFile)
    await raised(files.read("/"), NotAFile)
    await raised(_all_of_chunks(files, "/folder"), NotAFile)
    await raised(files.entries("/folder/file"), NotAFolder)


async def _all_of_chunks(files: FileSystem, path: str) -> None:
    """Read a file to its end."""
    await all_of(files.chunks(path))


async def paths_may_be_written_in_other_ways(files: FileSystem) -> None:
    await files.write("folder//./x/../file/", b"1")
    assert (await files.read("/folder/file")).data == b"1"
    assert await files.real("folder/file") == "/folder/file"


async def the_real_path_of_what_is_not_there_is_itself(files: FileSystem) -> None:
    assert await files.real("/new/folder/file") == "/new/folder/file"
    assert await files.real("/new/link", last=False) == "/new/link"


async def lines_are_read_from_anywhere(files: FileSystem) -> None:
    await files.write("/a", b"1\r\n2\n3\n4")
    some = await read_lines(files, "/a", 1, 2)
    assert [line.data for line in some.lines] == [b"2\n", b"3\n"]
    assert (some.first, some.more, some.total) == (2, True, 4)
    rest = await read_lines(files, "/a", 3)
    assert [line.data for line in rest.lines] == [b"4"]
    assert (rest.first, rest.more) == (4, False)
    assert (await read_lines(files, "/a", 9)).lines == ()


async def a_stream_may_be_left_early(files: FileSystem) -> None:
    await files.write("/a", b"x" * 900_000)
    async with aclosing(files.chunks("/a")) as chunks:
        assert await anext(chunks)
    assert len((await files.read("/a")).data) == 900_000
