"""write_file and edit_file."""

from pathlib import Path

from longrein.workspace.disk import DiskFiles
from tests.capabilities.file_tools.kit import Bench
from tests.support import run


def replacing(old: str, new: str, **more: bool) -> dict[str, object]:
    return {"edits": [{"old_string": old, "new_string": new, **more}]}


def test_a_new_file_is_made_with_its_folders() -> None:
    bench = Bench()
    told = bench.use("write_file", path="src/lib/a.py", content="one\ntwo\n")
    assert told == "Created src/lib/a.py (2 lines)."
    assert bench.get("/src/lib/a.py") == b"one\ntwo\n"


def test_overwriting_says_so_with_a_short_diff() -> None:
    bench = Bench()
    bench.use("write_file", path="a", content="one\ntwo\n")
    told = bench.use("write_file", path="a", content="one\n2\n3\n")
    assert told == ("Overwrote a (3 lines, +2 -1).\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3")


def test_a_file_that_was_not_read_is_not_overwritten() -> None:
    bench = Bench()
    bench.put(a=b"mine")
    told = bench.fail("write_file", path="a", content="yours")
    assert "you have not read it" in told
    assert bench.get("/a") == b"mine"
    bench.use("read_file", path="a")
    bench.use("write_file", path="a", content="yours")


def test_an_empty_file_may_be_overwritten_unread() -> None:
    bench = Bench()
    bench.put(a=b"")
    assert bench.use("write_file", path="a", content="x").startswith("Overwrote a")


def test_writing_what_is_there_already_changes_nothing() -> None:
    bench = Bench()
    bench.use("write_file", path="a", content="x")
    assert "exactly this content already" in bench.use("write_file", path="a", content="x")


def test_overwriting_keeps_mode_line_ends_and_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_bytes(b"\xef\xbb\xbfone\r\n")
    (tmp_path / "a.sh").chmod(0o755)
    bench = Bench(DiskFiles(tmp_path))
    bench.use("read_file", path="a.sh")
    bench.use("write_file", path="a.sh", content="two\nthree\n")
    assert (tmp_path / "a.sh").read_bytes() == b"\xef\xbb\xbftwo\r\nthree\r\n"
    assert (tmp_path / "a.sh").stat().st_mode & 0o777 == 0o755


def test_a_large_file_is_overwritten_without_a_diff() -> None:
    bench = Bench()
    bench.put(a=b"x\n" * 3_000_000)
    bench.use("read_file", path="a", limit=1)
    shown = run(bench.preview("write_file", path="a", content="y"))
    assert shown == "Overwrite /a (5.7 MB) with 1 byte."
    told = bench.use("write_file", path="a", content="y")
    assert told == "Overwrote a (1 line), which had 5.7 MB."


def test_an_edit_tells_how_many_places_and_shows_the_diff() -> None:
    bench = Bench()
    bench.put(a_py=b"x = 1\r\ny = 2\r\n")
    told = bench.use("edit_file", path="a.py", **replacing("x = 1", "x = 3"))
    assert told == "Edited a.py (1 place, +1 -1).\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 3\n y = 2"
    assert bench.get("/a.py") == b"x = 3\r\ny = 2\r\n"


def test_all_places_are_replaced_with_replace_all() -> None:
    bench = Bench()
    bench.put(a=b"x x")
    assert "(2 places" in bench.use("edit_file", path="a", **replacing("x", "y", replace_all=True))


def test_several_edits_are_made_or_none() -> None:
    bench = Bench()
    bench.put(a=b"one two")
    edits = [
        {"old_string": "one", "new_string": "1"},
        {"old_string": "three", "new_string": "3"},
    ]
    told = bench.fail("edit_file", path="a", edits=edits)
    assert told.startswith("a: Edit 2 of 2: ")
    assert bench.get("/a") == b"one two"


def test_a_note_about_ignored_spaces_is_told() -> None:
    bench = Bench()
    bench.put(a=b"x  \ny\n")
    assert "Note: spaces at the ends" in bench.use("edit_file", path="a", **replacing("x\ny", "z"))


def test_an_edit_needs_no_reading_before() -> None:
    bench = Bench()
    bench.put(a=b"x")
    bench.use("edit_file", path="a", **replacing("x", "y"))


def test_an_edit_of_what_changed_since_it_was_read_is_refused() -> None:
    bench = Bench()
    bench.put(a=b"x")
    bench.use("read_file", path="a")
    bench.put(a=b"x and more")
    assert "changed since you last saw it" in bench.fail(
        "edit_file", path="a", **replacing("x", "y")
    )
    assert "changed since you last saw it" in bench.fail("write_file", path="a", content="z")
    bench.use("read_file", path="a")
    bench.use("edit_file", path="a", **replacing("x", "y"))


def test_after_an_edit_the_file_is_known_and_may_be_edited_again() -> None:
    bench = Bench()
    bench.put(a=b"x")
    bench.use("edit_file", path="a", **replacing("x", "y"))
    bench.use("edit_file", path="a", **replacing("y", "z"))
    bench.use("write_file", path="a", content="w")


def test_a_folder_a_missing_file_and_bytes_that_are_no_text_are_told() -> None:
    bench = Bench()
    bench.put(src__a=b"x", b_bin=b"\0x")
    assert "folder" in bench.fail("write_file", path="src", content="x")
    assert "no such file" in bench.fail("edit_file", path="no", **replacing("x", "y"))
    assert "no text file" in bench.fail("edit_file", path="b.bin", **replacing("x", "y"))


def test_the_preview_of_a_write_or_edit_is_a_diff_with_the_whole_path() -> None:
    bench = Bench(base="/project")
    bench.put(project__a=b"one\n")
    shown = run(bench.preview("write_file", path="a", content="two\n"))
    assert shown == "--- /project/a\n+++ /project/a\n@@ -1 +1 @@\n-one\n+two"
    shown = run(bench.preview("edit_file", path="a", **replacing("one", "1")))
    assert shown.endswith("-one\n+1")
    shown = run(bench.preview("write_file", path="b", content="two\n"))
    assert shown.startswith("--- /dev/null\n+++ /project/b\n")
    assert bench.get("/project/a") == b"one\n"


def test_the_preview_of_an_edit_that_cannot_be_made_says_why() -> None:
    bench = Bench()
    bench.put(a=b"one\n")
    assert "not in the file" in run(bench.preview("edit_file", path="a", **replacing("two", "2")))


def test_lanes_are_by_file_however_its_path_is_written() -> None:
    tools = Bench(base="/project").tools
    lanes = {
        tools[name].lane(f'{{"path": "{path}", {more}}}')
        for name, more in (("write_file", '"content": ""'), ("edit_file", '"edits": []'))
        for path in ("a.py", "./a.py", "src/../a.py", "/project/a.py")
    }
    assert lanes == {(False, "file:/project/a.py")}
    assert tools["read_file"].lane('{"path": "a.py"}') == (False, "file:/project/a.py")
