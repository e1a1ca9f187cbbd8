"""No line takes long, however long or deeply nested it is."""

import time

import pytest

from longrein.workspace.shell.commands import touching

HUGE = {
    "long list": "a;" * 50_000,
    "many words": "echo " + "a " * 50_000,
    "nested substitutions": "$(" * 10_000 + "a" + ")" * 10_000,
    "nested subshells": "(" * 10_000 + "a" + ")" * 10_000,
    "nested at the bound": "$(" * 499 + "a" + ")" * 499,
    "unclosed quotes": "'" * 100_001,
    "operators at the bound": "<" * 1_000,
    "arrays at the bound": "a=(" * 1_000,
    "pipes at the bound": "a|" * 999 + "a",
    "empty functions": "()" * 500,
    "programs in programs": "sudo --x " * 3_000 + "rm",
    "known programs in programs": "env " * 8_000,
    "text in text": "eval " * 6_000,
    "many interpreters": 'sh "$(curl a)";' * 400,
    "dollars": "$" * 32_000,
    "backquotes": "`" * 32_000,
    "backslashes": "\\" * 32_000,
    "here-documents": "a <<E\n" * 300,
}


@pytest.mark.parametrize("line", HUGE.values(), ids=HUGE.keys())
def test_a_huge_line_is_judged_in_bounded_time_and_never_proven(line: str) -> None:
    start = time.process_time()
    facts = touching(line, "/project")
    assert time.process_time() - start < 3
    assert not facts.proof.safe or line.startswith("echo")
    assert sum(map(len, facts.commands)) < 2_000_000


@pytest.mark.parametrize("line", [HUGE["long list"], HUGE["nested substitutions"]])
def test_what_is_too_long_to_be_read_always_asks(line: str) -> None:
    assert "unreadable" in [found.id for found in touching(line, "/project").findings]


def test_an_ordinary_line_takes_well_under_a_millisecond() -> None:
    lines = [
        "ls -la src",
        "git status && git diff --stat",
        "cd /project && npm test 2>&1 | tail -5",
    ]
    touching(lines[0], "/project")
    best = min(_seconds(lines) for _ in range(20))
    assert best / len(lines) < 0.001


def _seconds(lines: list[str]) -> float:
    start = time.process_time()
    for line in lines:
        touching(line, "/project")
    return time.process_time() - start
