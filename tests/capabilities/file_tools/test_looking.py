"""ls and read_file."""

import os
import time
from pathlib import Path

import pytest

from longrein.core.messages import File
from longrein.workspace.disk import DiskFiles
from tests.capabilities.file_tools.kit import Bench, text_of
from tests.support import run

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def test_a_folder_is_listed_with_folders_and_sizes() -> None:
    bench = Bench()
    bench.put(a_txt=b"hello", src__b_py=b"")
    assert bench.use("ls") == "a.txt (5 bytes)\nsrc/"
    assert bench.use("ls", path="src") == "b.py (0 bytes)"


def test_an_empty_folder_says_so_and_a_missing_one_is_told() -> None:
    bench = Bench()
    assert bench.use("ls") == "(empty)"
    assert "no such folder" in bench.fail("ls", path="src")


def test_a_long_listing_is_cut_and_says_how_to_see_more(tmp_path: Path) -> None:
    for n in range(501):
        (tmp_path / f"{n:03}").touch()
    lines = Bench(DiskFiles(tmp_path)).use("ls").split("\n")
    assert len(lines) == 501
    assert "use glob" in lines[-1]


def test_links_and_pipes_are_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    told = Bench(DiskFiles(tmp_path)).use("ls")
    assert told == "link (link)\npipe (device, pipe or socket)"


def test_lines_have_numbers_and_the_header_says_how_many_there_are() -> None:
    bench = Bench()
    bench.put(a_txt=b"one\r\n\ttwo\nthree")
    assert bench.use("read_file", path="a.txt") == "a.txt: 3 lines\n1\tone\n2\t\ttwo\n3\tthree"


def test_a_part_of_a_file_has_a_header_with_range_total_and_how_to_go_on() -> None:
    bench = Bench()
    bench.put(a_txt=b"".join(b"%d\n" % n for n in range(1, 11)))
    told = bench.use("read_file", path="a.txt", offset=3, limit=2)
    assert told == "a.txt: lines 3-4 of 10; go on with offset=5\n3\t3\n4\t4"
    told = bench.use("read_file", path="a.txt", offset=9, limit=5)
    assert told == "a.txt: lines 9-10 of 10\n9\t9\n10\t10"


def test_an_offset_of_0_is_the_first_line() -> None:
    bench = Bench()
    bench.put(a_txt=b"one")
    assert bench.use("read_file", path="a.txt", offset=0) == "a.txt: 1 line\n1\tone"


def test_an_empty_file_and_an_offset_beyond_the_end_are_told() -> None:
    bench = Bench()
    bench.put(a_txt=b"", b_txt=b"x\n")
    assert bench.use("read_file", path="a.txt") == "a.txt is empty."
    assert "has 1 line; there is no line 5" in bench.fail("read_file", path="b.txt", offset=5)


@pytest.mark.parametrize("wrong", [{"offset": -1}, {"limit": 0}])
def test_numbers_that_cannot_be_are_told(wrong: dict[str, int]) -> None:
    bench = Bench()
    bench.put(a_txt=b"x")
    assert "from 1" in bench.fail("read_file", path="a.txt", **wrong)


def test_a_very_long_line_is_cut_and_says_so() -> None:
    bench = Bench()
    bench.put(a_txt="\u00e9".encode() * 10_000 + b"\nnext\n")
    lines = bench.use("read_file", path="a.txt").split("\n")
    assert lines[0] == "a.txt: 2 lines"
    assert lines[1].endswith("\u00e9... (cut: the line is longer)")
    assert len(lines[1]) < 2_100
    assert lines[2] == "2\tnext"


def test_many_lines_are_given_up_to_what_a_result_can_hold() -> None:
    bench = Bench()
    bench.put(a_txt=b"x" * 99 + b"\n" + (b"y" * 99 + b"\n") * 999)
    told = bench.use("read_file", path="a.txt")
    assert len(told) < 31_000
    assert told.startswith("a.txt: lines 1-289 of 1,000; go on with offset=290\n")


def test_latin_1_and_utf_16_are_read_and_named() -> None:
    bench = Bench()
    bench.put(a_txt=b"caf\xe9\n", b_txt="caf\u00e9\r\nth\u00e9".encode("utf-16"))
    assert bench.use("read_file", path="a.txt") == "a.txt (latin-1): 1 line\n1\tcaf\u00e9"
    told = bench.use("read_file", path="b.txt", offset=2)
    assert told == "b.txt (UTF-16): lines 2-2 of 2\n2\tth\u00e9"


def test_a_byte_order_mark_is_not_shown() -> None:
    bench = Bench()
    bench.put(a_txt=b"\xef\xbb\xbfx")
    assert bench.use("read_file", path="a.txt") == "a.txt: 1 line\n1\tx"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.png", PNG, "image/png"),
        ("a", b"\xff\xd8\xff\0", "image/jpeg"),
        ("a.bin", b"GIF89a\0", "image/gif"),
        ("a.webp", b"RIFF\0\0\0\0WEBP", "image/webp"),
        ("a.pdf", b"%PDF-1.7\n\0", "application/pdf"),
        ("a.mp3", b"ID3\4\0", "audio/mpeg"),
        ("a.mp3", b"\xff\xfb\x90\0", "audio/mpeg"),
        ("a.wav", b"RIFF\0\0\0\0WAVE", "audio/wav"),
        ("a.mp4", b"\0\0\0\x18ftypisom", "video/mp4"),
        ("a.mov", b"\0\0\0\x18ftypqt  ", "video/quicktime"),
        ("a.webm", b"\x1aE\xdf\xa3\0", "video/webm"),
    ],
)
def test_pictures_audio_video_and_pdf_come_as_they_are(name: str, data: bytes, kind: str) -> None:
    bench = Bench()
    run(bench.files().write(f"/{name}", data))
    ended = run(bench.call("read_file", path=name))
    assert text_of(ended).startswith(f"{name}: {kind}, ")
    (file,) = [part for part in ended.parts if isinstance(part, File)]
    assert (file.media_type, file.name, bench.blobs[file.blob]) == (kind, name, data)


def test_a_picture_that_is_too_large_is_told_with_what_to_do() -> None:
    bench = Bench()
    bench.put(a_png=PNG + b"\0" * 4_000_000)
    told = bench.fail("read_file", path="a.png")
    assert "image/png of 3.8 MB; at most 3.6 MB" in told


def test_other_bytes_are_a_note_with_kind_and_size() -> None:
    bench = Bench()
    bench.put(a_bin=b"\0\1\2", a_zip=b"PK\x03\x04\0")
    assert bench.use("read_file", path="a.bin") == (
        "a.bin: not text (application/octet-stream, 3 bytes); it cannot be shown."
    )
    assert "application/zip" in bench.use("read_file", path="a.zip")


def test_a_text_that_has_the_name_of_a_picture_is_text() -> None:
    bench = Bench()
    bench.put(a_png=b"see ID3 or ftyp\n")
    assert bench.use("read_file", path="a.png") == "a.png: 1 line\n1\tsee ID3 or ftyp"


def test_pipes_and_devices_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    bench = Bench(DiskFiles(tmp_path))
    assert "pipe" in bench.fail("read_file", path="pipe")
    assert "pipe" in bench.fail("write_file", path="pipe", content="x")


def test_paths_begin_at_the_working_folder_and_are_shown_from_there() -> None:
    bench = Bench(base="/project/app")
    bench.put(project__app__a_txt=b"x", project__b_txt=b"y", c_txt=b"z")
    assert bench.use("read_file", path="a.txt").startswith("a.txt: ")
    assert bench.use("read_file", path="/project/app/a.txt").startswith("a.txt: ")
    assert bench.use("read_file", path="../b.txt").startswith("/project/b.txt: ")
    assert bench.use("read_file", path="/c.txt").startswith("/c.txt: ")
    assert bench.use("ls") == "a.txt (1 byte)"
    assert bench.fail("read_file", path="no.txt").startswith("'no.txt': There is no such file.")


def test_a_home_folder_is_a_clear_error() -> None:
    assert "no home folder" in Bench().fail("read_file", path="~/.ssh/id_rsa")


def test_100_lines_of_a_gigabyte_take_hardly_any_time(tmp_path: Path) -> None:
    with open(tmp_path / "big.txt", "wb") as big:
        big.write(b"a line of some text\n" * 10_000)
        big.truncate(1 << 30)
    bench = Bench(DiskFiles(tmp_path))

    async def read() -> list[float]:
        took: list[float] = []
        for _ in range(9):
            began = time.process_time()
            ended = await bench.call("read_file", path="big.txt", limit=100)
            took.append(time.process_time() - began)
            assert text_of(ended).startswith(
                "big.txt: lines 1-100 of 1.0 GB; go on with offset=101"
            )
        return took

    assert min(run(read())) < 0.005
