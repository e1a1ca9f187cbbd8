"""Globs, .gitignore files and patterns: the same with ripgrep and without."""

import asyncio
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from longrein.testing.filesystem_cases.setting import all_of, lines
from longrein.workspace.base import Grep
from longrein.workspace.disk import DiskFiles
from longrein.workspace.globs import fits
from longrein.workspace.ignore import Ignores
from longrein.workspace.matching import matcher
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.problems import BadPattern
from tests.support import children, run

NAMES = ("a", "b", "ab", "a.b", ".a", "b.a")
IGNORES = st.lists(
    # Lines without a name in them mean nothing to git and something odd to ripgrep.
    st.text("ab.*?/!", min_size=1, max_size=6).filter(lambda line: line.strip("!/*")),
    max_size=3,
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders in folders, two deep, with files of every name."""
    root = tmp_path_factory.mktemp("tree")
    for folder in ("", "d/", "d/a/", "a/", "a/b.a/"):
        (root / folder).mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            if not (root / folder / name).exists() and f"{folder}{name}" not in (
                "a",
                "d/a",
                "a/b.a",
            ):
                (root / folder / name).write_bytes(b"text\n")
    return root


@given(IGNORES, IGNORES, st.sampled_from(["/", "/d", "/a/b.a"]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(["a/"], ["!a"], "/")
@example(["/d/*", "!/d/a/"], [], "/d")
@example(["**/a", "b/**"], ["*"], "/")
@example(["a//", "//a"], ["?//", "d//a"], "/")
def test_gitignore_files_mean_what_ripgrep_says(
    tree: Path, outer: list[str], inner: list[str], under: str
) -> None:
    (tree / ".gitignore").write_text("\n".join(outer))
    (tree / "d/.gitignore").write_text("\n".join(inner))
    with_it, without = DiskFiles(tree), DiskFiles(tree, ripgrep="")
    assert run(all_of(without.glob("**", under))) == run(all_of(with_it.glob("**", under)))


def test_a_repository_inside_is_searched_like_any_folder(tmp_path: Path) -> None:
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("*.log\n")
    for name in ("repo/a.log", "repo/b", "repo/.git/config"):
        (tmp_path / name).write_text("x\n")
    for files in (DiskFiles(tmp_path), DiskFiles(tmp_path, ripgrep="")):
        assert run(all_of(files.glob("repo/**"))) == ["/repo/b"]
        assert run(all_of(files.glob("**", "/repo"))) == ["/repo/b"]


def test_what_is_around_the_root_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / ".gitignore").write_text("*\n")
    (tmp_path / "root/.ignore").write_text("a\n")
    (tmp_path / "root/a").write_text("x\n")
    assert run(all_of(DiskFiles(tmp_path / "root").glob("**"))) == ["/.ignore", "/a"]


@given(st.text("ab*?/", min_size=1, max_size=8), st.text("ab/", max_size=8))
@settings(max_examples=300)
def test_a_glob_never_raises_anything_else(pattern: str, path: str) -> None:
    try:
        fits(pattern)("/" + path)
    except BadPattern:
        pass


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("a*b*c", "/axbxbxc", True),
        ("a*b*c", "/axbxcx", False),
        ("*ab", "/aab", True),
        ("**/a/**/b", "/x/a/b", True),
        ("**/a/**/b", "/a/x/a/y/b", True),
        ("**/a/**/b", "/ab", False),
        ("/a/**/b/**/c", "/a/x/b/y/b/c", True),
        ("[]a]", "/]", True),
        ("[^a]", "/b", True),
        (r"\*", "/*", True),
        (r"\*", "/a", False),
        ("{a,{b,c}}", "/c", True),
        ("{a}", "/{a}", True),
        ("a{,b}", "/a", True),
        ("[a", "/[a", True),
        ("x/{a,b}/*", "/x/b/c", True),
    ],
)
def test_globs_fit(pattern: str, path: str, expected: bool) -> None:
    assert fits(pattern)(path) is expected


def test_ignored_folders_with_odd_names_are_anchored(tmp_path: Path) -> None:
    (tmp_path / "a[b]*/c").mkdir(parents=True)
    (tmp_path / "a[b]*/.gitignore").write_text("/c/x\n*.log\n")
    for name in ("x", "y", "z.log"):
        (tmp_path / "a[b]*/c" / name).write_text("")
    for files in (DiskFiles(tmp_path), DiskFiles(tmp_path, ripgrep="")):
        assert run(all_of(files.glob("**", "/a[b]*/c"))) == ["/a[b]*/c/y"]


def test_a_line_that_cannot_be_read_leaves_nothing_out() -> None:
    rules = Ignores().inside("/", "[z-a]\n/\n!\nb\n")
    assert [rules.leaves_out(path) for path in ("/a", "/b")] == [False, True]


def test_a_pattern_that_takes_too_long_is_stopped() -> None:
    async def search() -> None:
        async with matcher(Grep("^(a+)+$"), patience=0.5) as lines:
            await lines.hits(b"a" * 60 + b"!")

    before = time.monotonic()
    with pytest.raises(BadPattern, match="takes too long"):
        run(search())
    assert time.monotonic() - before < 20


@pytest.mark.parametrize("ripgrep", [None, ""], ids=["ripgrep", "none"])
def test_a_search_that_is_cancelled_ends_its_process(tmp_path: Path, ripgrep: str | None) -> None:
    (tmp_path / "a").write_bytes(b"x\n" * 1_000_000)

    async def cancelled() -> None:
        begun = asyncio.Event()

        async def search() -> None:
            async for _ in DiskFiles(tmp_path, ripgrep=ripgrep).grep(Grep("x|y")):
                begun.set()

        task = asyncio.create_task(search())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    before = children()
    run(cancelled())
    assert children() <= before


def test_context_goes_over_the_ends_of_blocks() -> None:
    files = MemoryFiles()
    run(files.write("/a", b"x" * (1024 * 1024 - 2) + b"\nneedle\nafter\n"))
    found = run(lines(files, Grep("needle", before=1, after=1)))
    assert [(number, text[:7]) for _, number, text in found] == [
        (1, "-xxxxxx"),
        (2, "needle"),
        (3, "-after"),
    ]


def test_options_in_patterns_names_and_the_environment_do_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rc").write_text("--files-with-matches\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rc"))
    (tmp_path / "-rf").mkdir()
    (tmp_path / "-rf/--pre=sh").write_bytes(b"--pre=sh\n")
    files = DiskFiles(tmp_path)
    assert run(lines(files, Grep("--pre=sh", "/-rf"))) == [("/-rf/--pre=sh", 1, "--pre=sh")]
    assert run(lines(files, Grep("-e", "/-rf/--pre=sh"))) == []
