"""Patterns: what they fit, and that no pattern and no text makes them slow."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.permissions import patterns
from longrein.permissions.patterns import Kind, exact, literal, matches

quick = settings(deadline=None, derandomize=True, max_examples=500)
HUGE = 100_000


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("", "", True),
        ("", "a", False),
        ("*", "", True),
        ("*", "two\nlines/and more", True),
        ("**", "anything", True),
        ("?", "", False),
        ("?", "\n", True),
        ("git *", "git push", True),
        ("git *", "git", False),
        ("git*", "git", True),
        ("git *", "sudo git push", False),
        ("*.env", ".env", True),
        ("a*b*c", "a/x/b/y/c", True),
        ("a*b*c", "acb", False),
        ("Git", "git", False),
        ("*/*", "ab", False),
        ("**/**", "ab", False),
        ("a[*]b", "a*b", True),
        ("a[*]b", "axb", False),
        ("[[]x]", "[x]", True),
        ("[?]", "?", True),
        ("[]]", "]", True),
        ("[ab]", "a", False),
        ("[ab]", "[ab]", True),
    ],
)
def test_a_pattern_fits_free_text(pattern: str, text: str, fits: bool) -> None:
    assert matches(pattern, text) is fits


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("/a/*", "/a/b", True),
        ("/a/*", "/a/.env", True),
        ("/a/*", "/a/b/c", False),
        ("/a/*", "/a", False),
        ("/a/?", "/a/b", True),
        ("/a?b", "/a/b", False),
        ("/a/**", "/a", True),
        ("/a/**", "/a/.b/.c", True),
        ("/a/**", "/ab", False),
        ("/**", "/", True),
        ("/**", "/a/b", True),
        ("**", "/a/b", True),
        ("**/.env", "/.env", True),
        ("**/.env", "/a/b/.env", True),
        ("**/.env", "/a/b/x.env", False),
        ("/a/**/b", "/a/b", True),
        ("/a/**/b", "/a/x/y/b", True),
        ("/a/**/b", "/a/xb", False),
        ("/a/**/**", "/a", True),
        ("/a/**/**/b", "/a/b", True),
        ("/a/**.py", "/a/b/c.py", True),
        ("/a/b**", "/a/bc/d", True),
        ("/a/***", "/a/b/c", True),
        ("/a/*/c", "/a/b/c", True),
        ("/a/*/c", "/a/b/b/c", False),
        ("/A", "/a", False),
        ("/a/[*]", "/a/*", True),
        ("/a/[*]", "/a/b", False),
    ],
)
def test_a_pattern_fits_a_path(pattern: str, path: str, fits: bool) -> None:
    assert matches(pattern, path, "path") is fits


@pytest.mark.parametrize(
    ("pattern", "host", "fits"),
    [
        ("example.com", "EXAMPLE.com.", True),
        ("Example.COM.", "example.com", True),
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("*example.com", "badexample.com", True),
        ("example.com", "example.com.evil.net", False),
        ("10.0.0.?", "10.0.0.7", True),
    ],
)
def test_a_pattern_fits_a_host(pattern: str, host: str, fits: bool) -> None:
    assert matches(pattern, host, "host") is fits


@pytest.mark.parametrize(
    ("pattern", "command", "fits"),
    [
        ("git status *", "git status", True),
        ("git status *", "git status -s 'a b'", True),
        ("git status *", "git statusx", False),
        ("git status *", "git", False),
        ("git status", "git status -s", False),
        ("git *", "git", True),
        ("git *", "gitx", False),
        ("git *", "/elsewhere/git status", False),
        ("git *", "GIT_PAGER=x git status", False),
        ("git [*]", "git", False),
        ("git [*]", "git *", True),
        ("git ?", "git", False),
        (" *", "", True),
        ("*", "rm -r .", True),
        ("git * *", "git a", True),
        ("git * *", "git", False),
    ],
)
def test_a_pattern_fits_a_command(pattern: str, command: str, fits: bool) -> None:
    assert matches(pattern, command, "command") is fits


small_patterns = st.text("ab/*?", max_size=8)
small_texts = st.text("ab/", max_size=8)
path_patterns = st.lists(
    st.sampled_from(["/", "**", "*", "a", "/**", "/**/", "?"]), max_size=6
).map("".join)


@quick
@given(small_patterns, small_texts)
def test_free_text_fits_as_the_plainest_way_to_do_it_says(pattern: str, text: str) -> None:
    assert matches(pattern, text) == _plain_text(pattern, text)


@settings(quick, max_examples=1_000)
@given(small_patterns | path_patterns, small_texts)
def test_paths_fit_as_the_plainest_way_to_do_it_says(pattern: str, path: str) -> None:
    assert matches(pattern, path, "path") == _plain_path(pattern, path)


@quick
@given(st.text("ab/*?[]\n.", max_size=8), st.text("ab/*?[]\n.", max_size=8))
def test_a_literal_pattern_fits_its_text_and_no_other(one: str, other: str) -> None:
    kinds: tuple[Kind, ...] = ("text", "path")
    for kind in kinds:
        assert matches(literal(one), one, kind)
        assert matches(literal(one), other, kind) == (one == other)


@quick
@given(st.text())
def test_a_literal_pattern_is_read_back_as_its_text(text: str) -> None:
    assert exact(literal(text)) == text


@pytest.mark.parametrize("pattern", ["*", "a?", "/a/**"])
def test_a_pattern_with_wildcards_is_no_single_text(pattern: str) -> None:
    assert exact(pattern) is None


@pytest.mark.parametrize("kind", ["text", "path", "host"])
@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("*a" * 20 + "*b", "a" * HUGE),
        ("**a" * 20 + "**b", "a" * HUGE),
        ("**a*b**", "a" * HUGE),
        ("*" + "a" * 1_000 + "b", "a" * HUGE),
        ("*" + "?" * 500 + "b", "a" * HUGE),
        ("/**/a" * 20 + "b", "/a" * (HUGE // 2)),
        ("*/" * 50 + "b", "a/" * (HUGE // 2)),
        ("a" * HUGE, "a" * (HUGE - 1) + "b"),
    ],
)
def test_no_pattern_is_slow_on_a_long_text(pattern: str, text: str, kind: Kind) -> None:
    before = time.process_time()
    assert not matches(pattern, text, kind)
    assert time.process_time() - before < 5


def test_what_is_kept_ready_is_bounded() -> None:
    for number in range(2_000):
        matches(f"{number}*", "")
    before = patterns._kept.cache_info()  # pyright: ignore[reportPrivateUsage]
    matches("*" * (patterns.LONGEST_KEPT + 1), "")
    after = patterns._kept.cache_info()  # pyright: ignore[reportPrivateUsage]
    assert before.currsize == before.maxsize == after.currsize
    assert before.misses == after.misses


def _plain_text(pattern: str, text: str) -> bool:
    """By regular expression, which is right and can take for ever."""
    parts = {"*": ".*", "?": "."}
    expression = "".join(parts.get(one) or re.escape(one) for one in pattern)
    return re.fullmatch(expression, text, re.DOTALL) is not None


def _plain_path(pattern: str, path: str, start: bool = True) -> bool:
    """By trying every way to begin."""
    pattern = re.sub(r"\*{3,}", "**", pattern)
    ends = range(len(path) + 1)
    if not pattern:
        return not path
    if pattern == "/**":
        return path == "" or path[0] == "/"
    if pattern.startswith("/**/"):
        begins = [at for at in ends if at == 0 or path[0] == "/"]
        return any(_plain_path(pattern[3:], path[at:], False) for at in begins)
    if start and pattern.startswith("**/"):
        begins = [at for at in ends if at == 0 or path[at - 1] == "/"]
        return any(_plain_path(pattern[3:], path[at:]) for at in begins)
    if pattern.startswith("**"):
        return any(_plain_path(pattern[2:], path[at:], False) for at in ends)
    if pattern.startswith("*"):
        runs = [at for at in ends if "/" not in path[:at]]
        return any(_plain_path(pattern[1:], path[at:], False) for at in runs)
    fits = path != "" and (pattern[0] == path[0] or (pattern[0] == "?" and path[0] != "/"))
    return fits and _plain_path(pattern[1:], path[1:], False)
