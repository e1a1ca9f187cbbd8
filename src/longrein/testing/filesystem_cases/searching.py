"""Glob and grep."""

from contextlib import aclosing

from longrein.testing.filesystem_cases.setting import all_of, counts, filled, lines, raised
from longrein.workspace.base import FileSystem, Grep
from longrein.workspace.problems import BadPattern, Missing

TREE = ("/a.py", "/a/b.py", "/a/b/c.py", "/a/b.md", "/.hidden/.d.py", "/z/A.PY")


async def glob_finds_files_in_order(files: FileSystem) -> None:
    await filled(files, *TREE)
    everything = ["/.hidden/.d.py", "/a/b/c.py", "/a/b.md", "/a/b.py", "/a.py", "/z/A.PY"]
    assert await all_of(files.glob("**")) == everything
    assert await all_of(files.glob("*")) == everything


async def globs_mean_what_they_say(files: FileSystem) -> None:
    await filled(files, *TREE)
    for pattern, under, found in (
        ("*.py", "/", ["/.hidden/.d.py", "/a/b/c.py", "/a/b.py", "/a.py"]),
        ("*.py", "/a", ["/a/b/c.py", "/a/b.py"]),
        ("/*.py", "/", ["/a.py"]),
        ("./*.py", "/a", ["/a/b.py"]),
        ("/a/*.py", "/z", []),
        ("a/*", "/", ["/a/b.md", "/a/b.py"]),
        ("a/**", "/", ["/a/b/c.py", "/a/b.md", "/a/b.py"]),
        ("**/b/*", "/", ["/a/b/c.py"]),
        ("a/**/c.py", "/", ["/a/b/c.py"]),
        ("?.{py,md}", "/", ["/a/b/c.py", "/a/b.md", "/a/b.py", "/a.py"]),
        ("[a-b].py", "/", ["/a/b.py", "/a.py"]),
        ("[!b].*", "/a", ["/a/b/c.py"]),
        ("b", "/", []),
    ):
        assert await all_of(files.glob(pattern, under)) == found, pattern


async def searches_leave_out_what_gitignore_names(files: FileSystem) -> None:
    await files.write("/.gitignore", b"*.log\n/build/\n!keep.log\n# nothing\n\ndeep/x\n")
    await files.write("/sub/.gitignore", b"!again.log\nlocal\n")
    await filled(
        files, "/a.log", "/keep.log", "/build/x", "/sub/build/x", "/sub/again.log", "/sub/b.log"
    )
    await filled(files, "/sub/local", "/local", "/deep/x/y", "/sub/deep/x", "/.git/config")
    shown = ["/keep.log", "/local", "/sub/again.log", "/sub/build/x", "/sub/deep/x"]
    found = [path for path in await all_of(files.glob("**")) if not path.endswith(".gitignore")]
    assert found == shown
    assert list(await counts(files, Grep("text", show="files"))) == shown
    below = [p for p in await all_of(files.glob("**", "/sub")) if not p.endswith(".gitignore")]
    assert below == shown[2:]
    whole = await all_of(files.glob("*.log", ignored=True))
    assert whole == ["/a.log", "/keep.log", "/sub/again.log", "/sub/b.log"]


async def a_search_may_begin_in_what_is_left_out(files: FileSystem) -> None:
    await files.write("/.gitignore", b"modules/\n")
    await filled(files, "/modules/x/a.js")
    assert await all_of(files.glob("*.js")) == []
    assert await all_of(files.glob("*.js", "/modules")) == ["/modules/x/a.js"]
    assert list(await counts(files, Grep("text", "/modules", show="files"))) == ["/modules/x/a.js"]


async def grep_finds_lines_with_numbers(files: FileSystem) -> None:
    await files.write("/a", b"one\ntwo\r\nthree two\nno end two")
    await files.write("/b/c", b"TWO\n")
    found = [("/a", 2, "two"), ("/a", 3, "three two"), ("/a", 4, "no end two")]
    assert await lines(files, Grep("two")) == found
    assert await lines(files, Grep("two$", "/a")) == found
    assert await lines(files, Grep("^tw+o$")) == found[:1]
    assert await lines(files, Grep("TWO", "/b", literal=True)) == [("/b/c", 1, "TWO")]
    assert len(await lines(files, Grep("Two", ignore_case=True))) == 4
    assert len(await lines(files, Grep("Two", ignore_case=True, literal=True))) == 4


async def grep_shows_lines_around_once(files: FileSystem) -> None:
    await files.write("/a", b"1\n2\nx3\n4\nx5\n6\n7\n8\n9\nx10\n")
    found = await lines(files, Grep("x", before=1, after=2))
    texts = ["-2", "x3", "-4", "x5", "-6", "-7", "-9", "x10"]
    assert [text for _, _, text in found] == texts
    assert [number for _, number, _ in found] == [2, 3, 4, 5, 6, 7, 9, 10]


async def grep_counts_and_names_files(files: FileSystem) -> None:
    await files.write("/a", b"x\nx x\ny\n")
    await files.write("/b", b"y\nx")
    await files.write("/c", b"y")
    assert await counts(files, Grep("x", show="counts")) == {"/a": 2, "/b": 1}
    assert list(await counts(files, Grep("x", show="files"))) == ["/a", "/b"]


async def grep_looks_only_into_included_files(files: FileSystem) -> None:
    await filled(files, *TREE)
    for include, found in (
        ("*.md", ["/a/b.md"]),
        ("a/*.py", ["/a/b.py"]),
        ("*.{md,PY}", ["/a/b.md", "/z/A.PY"]),
        ("**/b/**", ["/a/b/c.py"]),
    ):
        query = Grep("text", include=include, show="files")
        assert list(await counts(files, query)) == found, include


async def a_literal_is_no_pattern(files: FileSystem) -> None:
    await files.write("/a", b"f(x) [1] {2} a.b\\d $5 --no\nfx\n")
    for text in ("f(x)", "[1] {2}", "a.b\\d $5", "--no", "(x"):
        assert len(await lines(files, Grep(text, literal=True))) == 1, text


async def patterns_mean_the_same_everywhere(files: FileSystem) -> None:
    await files.write("/a", "func main() {\nword words\nüber 42 [x]\n-e\nA\n".encode())
    for pattern, numbers in (
        (r"main\(\) {", [1]),
        (r"\<word\>", [2]),
        (r"\bwords?\z", [2]),
        (r"^[[:lower:]]+ ", [1, 2]),
        (r"[[]x[]]", [3]),
        (r"\d{2}", [3]),
        (r"^\w+ \d+", [3]),
        (r"-e|main", [1, 4]),
        (r"^.$", [5]),
        (r"(?i)^a$", [5]),
    ):
        found = [number for _, number, _ in await lines(files, Grep(pattern))]
        assert found == numbers, pattern


async def a_bad_pattern_says_so(files: FileSystem) -> None:
    await filled(files, "/a")
    for pattern in ("(", "a)", "*a", "[z-a]", "(?=x)", r"(a)\1", "a\nb", "", "x" * 5_000, "\\"):
        await raised(_search(files, Grep(pattern)), BadPattern)
    await raised(_search(files, Grep("a", before=10_000)), BadPattern)
    for glob in ("", "x" * 5_000, "../a", "{a,b}" * 20, "[z-a]/b"):
        await raised(_glob(files, glob), BadPattern)


async def a_pattern_that_could_take_for_ever_ends(files: FileSystem) -> None:
    await files.write("/a", b"a" * 24 + b"!\n")
    assert await lines(files, Grep("^(a|aa)+$")) == []
    await files.write(f"/{'a' * 200}b", b"")
    assert await all_of(files.glob("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*ac")) == []


async def grep_leaves_out_what_is_no_text(files: FileSystem) -> None:
    await files.write("/a", b"\x00\x01needle\n")
    await files.write("/b", b"needle\n" + bytes(100))
    await files.write("/c", b"needle caf\xe9\n")
    assert await lines(files, Grep("needle")) == [("/c", 1, "needle caf\ufffd")]


async def a_very_long_line_is_cut(files: FileSystem) -> None:
    await files.write("/a", b"x" * 50_000 + b"needle\nneedle\n")
    (_, first, text), (_, second, _) = await lines(files, Grep("needle"))
    assert (first, second) == (1, 2)
    assert text == "x" * 2_000


async def searches_may_be_left_early(files: FileSystem) -> None:
    await filled(files, *(f"/d/{n}" for n in range(50)), data=b"x\n" * 1_000)
    async with aclosing(files.grep(Grep("x"))) as found:
        assert await anext(found)
    async with aclosing(files.glob("**")) as paths:
        assert await anext(paths) == "/d/0"


async def a_search_where_nothing_is_says_so(files: FileSystem) -> None:
    await raised(_search(files, Grep("x", "/nowhere")), Missing)
    await raised(_glob(files, "**", "/nowhere"), Missing)


async def _search(files: FileSystem, query: Grep) -> None:
    await all_of(files.grep(query))


async def _glob(files: FileSystem, pattern: str, under: str = "/") -> None:
    await all_of(files.glob(pattern, under))
