"""glob and grep."""

from pathlib import Path

import pytest

from longrein.workspace.disk import DiskFiles
from tests.capabilities.file_tools.kit import Bench


def tree() -> Bench:
    bench = Bench(base="/project")
    bench.put(
        project__a_py=b"import os\nx = 1\ny = 2\nprint(x)\n",
        project__src__b_py=b"X = 3\n",
        project__src__c_md=b"x.y\nnothing\n",
        project___gitignore=b"*.log\n",
        project__d_log=b"x\n",
    )
    return bench


def test_files_are_found_by_name_and_shown_from_the_working_folder() -> None:
    assert tree().use("glob", pattern="*.py") == "a.py\nsrc/b.py"
    assert tree().use("glob", pattern="*.py", path="src") == "src/b.py"
    assert tree().use("glob", pattern="src/*") == "src/b.py\nsrc/c.md"


def test_a_pattern_that_begins_elsewhere_is_searched_for_there() -> None:
    bench = tree()
    bench.put(notes__x_md=b"x\n")
    assert bench.use("glob", pattern="/notes/**") == "/notes/x.md"
    assert bench.use("glob", pattern="/notes/*.md", path="src") == "/notes/x.md"
    assert bench.use("glob", pattern="/project/src/*.py") == "src/b.py"
    assert bench.use("glob", pattern="/**/*.md") == "src/c.md"


def test_where_nothing_fits_that_is_said_with_what_is_left_out() -> None:
    assert (
        tree().use("glob", pattern="*.log")
        == "No files fit. What .gitignore names is left out, unless path is inside it."
    )
    assert tree().use("grep", pattern="zzz").startswith("Nothing found.")


def test_many_files_are_cut_with_a_word_on_how_to_see_more(tmp_path: Path) -> None:
    for n in range(250):
        (tmp_path / f"{n:03}.txt").write_text("x\n")
    bench = Bench(DiskFiles(tmp_path))
    lines = bench.use("glob", pattern="*.txt").split("\n")
    assert len(lines) == 201
    assert "narrow" in lines[-1]
    lines = bench.use("grep", pattern="x", show="files").split("\n")
    assert len(lines) == 101
    assert lines[-1] == "(the first 100; narrow the search or raise limit)"


def test_lines_are_grouped_by_file() -> None:
    assert tree().use("grep", pattern="x") == "a.py\n2:x = 1\n4:print(x)\nsrc/c.md\n1:x.y"


def test_case_literal_and_include_narrow_and_widen() -> None:
    assert "X = 3" in tree().use("grep", pattern="x", ignore_case=True)
    assert tree().use("grep", pattern="x.y", literal=True) == "src/c.md\n1:x.y"
    assert tree().use("grep", pattern="x", include="*.md") == "src/c.md\n1:x.y"
    assert tree().use("grep", pattern="x", path="src/c.md") == "src/c.md\n1:x.y"


def test_context_is_told_from_hits() -> None:
    told = tree().use("grep", pattern="y = ", context=1)
    assert told == "a.py\n2-x = 1\n3:y = 2\n4-print(x)"


def test_files_and_counts_alone_are_short() -> None:
    assert tree().use("grep", pattern="x", show="files") == "a.py\nsrc/c.md"
    assert tree().use("grep", pattern="x", show="counts") == "a.py: 2\nsrc/c.md: 1"


def test_the_limit_counts_hits_and_keeps_the_context_of_the_last() -> None:
    bench = Bench()
    bench.put(a=b"".join(b"%d\n" % n for n in range(1, 100)))
    told = bench.use("grep", pattern="[05]$", limit=2, context=1)
    assert told == (
        "a\n4-4\n5:5\n6-6\n9-9\n10:10\n11-11\n(the first 2; narrow the search or raise limit)"
    )


def test_long_lines_and_long_results_are_cut() -> None:
    bench = Bench()
    bench.put(a=b"x" * 1_000 + b"\n" + (b"y" * 290 + b"\n") * 500)
    assert bench.use("grep", pattern="x") == f"a\n1:{'x' * 300}... (cut)"
    told = bench.use("grep", pattern="y", limit=1_000)
    assert len(told) < 31_000
    assert told.endswith("(cut here; narrow the search, or show files or counts)")


@pytest.mark.parametrize(
    "wrong", [{"pattern": "("}, {"pattern": ""}, {"pattern": "x", "limit": 0}, {"pattern": "(?=x)"}]
)
def test_patterns_and_numbers_that_cannot_be_are_told(wrong: dict[str, object]) -> None:
    assert tree().fail("grep", **wrong)


def test_a_glob_that_cannot_be_read_is_told() -> None:
    assert tree().fail("glob", pattern="[z-a]")


def test_a_folder_that_is_not_there_is_told() -> None:
    assert "'no'" in tree().fail("glob", pattern="*", path="no")
    assert "'no'" in tree().fail("grep", pattern="x", path="no")


def test_a_folder_as_a_glob_and_a_file_to_search_in_are_told_with_what_to_do() -> None:
    bench = Bench()
    bench.put(src__a_py=b"x")
    for pattern in ("src", "src/"):
        assert "src is a folder; only files are found. Use the pattern src/**" in bench.use(
            "glob", pattern=pattern
        )
    told = bench.use("glob", pattern="*.txt", path="src/a.py")
    assert told == "No files fit: src/a.py is a file. Give the folder to search as path."


def test_a_pattern_that_is_no_regular_expression_is_told_with_literal() -> None:
    bench = Bench()
    bench.put(a=b"f(x")
    assert bench.fail("grep", pattern="f(").endswith("is meant as it stands, set literal.")
    assert bench.use("grep", pattern="f(", literal=True) == "a\n1:f(x"
