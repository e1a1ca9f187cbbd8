"""Files into a workspace and out of it."""

from pathlib import Path

from longrein.workspace.carrying import put_files, take_files
from longrein.workspace.disk import DiskFiles
from tests.support import run


def test_what_is_put_in_can_be_taken_out(tmp_path: Path) -> None:
    contents = {"/a.bin": b"\r\n\xff", "/d/e/f": b"", "/.gitignore": b"*.bin\n"}
    (tmp_path / "link").symlink_to("a.bin")
    files = DiskFiles(tmp_path)
    run(put_files(files, contents))

    async def taken(ignored: bool) -> dict[str, bytes]:
        return {path: one.data async for path, one in take_files(files, ignored=ignored)}

    assert run(taken(True)) == contents
    assert set(run(taken(False))) == {"/d/e/f", "/.gitignore"}


def test_a_file_is_put_where_a_link_leads(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    run(put_files(DiskFiles(tmp_path), {"/link/a": b"1"}))
    assert (tmp_path / "real/a").read_bytes() == b"1"
