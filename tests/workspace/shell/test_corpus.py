"""The lines of tests/corpora/shell.jsonl against the rules that they are to get past."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from msgspec import Struct

from longrein.core.policy import Rule, Touches
from longrein.permissions.evaluate import Action, evaluate
from longrein.workspace.shell.commands import touching
from longrein.workspace.shell.judging import judged
from longrein.workspace.shell.running import running
from longrein.workspace.shell.script import Command
from tests.workspace.shell.recording import SHELLS, Recorder, expected

_FILE = Path(__file__).parents[2] / "corpora" / "shell.jsonl"
FOLDER = "/project"


class Line(Struct, frozen=True):
    """A line, why it is there, the rules ("prover": none), and what must come out."""

    line: str
    why: str
    rules: str
    verdict: str

    def __str__(self) -> str:
        return f"{self.rules}: {ascii(self.line)[:60]}"


LINES = [Line(**json.loads(line)) for line in _FILE.read_text("utf-8").splitlines()]
HARMLESS = [one for one in LINES if one.verdict == "allow" and one.rules == "prover"]


def _verdict(line: str, rules: list[Rule]) -> str:
    facts = touching(line, FOLDER)
    paths = tuple(dict.fromkeys((*facts.writes, *facts.reads, *facts.proof.reads)))
    touches = Touches(paths, facts.commands, (), judged(facts, "execute"))
    action = Action("execute", "execute", {"command": line}, touches)
    return type(evaluate(action, rules, [], "ask")).__name__.lower()


@pytest.mark.parametrize("one", LINES, ids=str)
def test_a_line_comes_out_as_the_corpus_says(one: Line) -> None:
    effect, _, pattern = one.rules.partition(" ")
    rules = {
        "allow": [Rule("allow", tool="execute", command=pattern)],
        "deny": [Rule("allow", tool="execute"), Rule("deny", tool="execute", command=pattern)],
        "prover": [],
    }[effect]
    verdict = _verdict(one.line, rules)
    assert verdict != "allow" if one.verdict == "not allow" else verdict == one.verdict


def test_the_corpus_is_large_and_every_line_has_a_reason() -> None:
    assert all(one.why for one in LINES)
    assert len({(one.line, one.rules) for one in LINES}) == len(LINES)
    assert sum(one.verdict != "allow" for one in LINES) >= 280
    assert len(HARMLESS) >= 80


def test_no_hostile_line_is_allowed_by_a_rule_for_another_command() -> None:
    rules = [Rule("allow", tool="execute", command="cargo test *")]
    hostile = [one.line for one in LINES if one.verdict != "allow"]
    assert [line for line in hostile if _verdict(line, rules) == "allow"] == []


@pytest.mark.parametrize("shell", SHELLS)
def test_harmless_lines_run_to_what_they_say(tmp_path: Path, shell: str) -> None:
    names = {word.words[0].text for one in HARMLESS for word in _commands(one.line)}
    recorder = Recorder(tmp_path, " ".join(sorted(names - _BUILTINS)))
    for one in HARMLESS:
        said = [run for run in expected(_commands(one.line)) if run[0] not in _BUILTINS]
        done = recorder.run(shell, one.line)
        assert all(run in said for run in done), one.line
        if not re.search("&&|[|][|]|cd ", one.line):  # else some may not run
            assert done == said, one.line
    assert recorder.files() == []


def test_harmless_lines_really_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("a.txt", "b.txt", "src/a.py"):
        (tmp_path / name).write_text("one\ntwo\n")
    before = _contents(tmp_path)
    for one in HARMLESS:
        subprocess.run(
            ["bash", "-c", one.line.replace(FOLDER, str(tmp_path))],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=10,
            check=False,
        )
    assert _contents(tmp_path) == before


def _contents(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    return {
        str(path): (path.read_bytes() if path.is_file() else b"", stat.st_mode, stat.st_mtime_ns)
        for path in (folder, *folder.rglob("*"))
        for stat in [path.stat()]
    }


_BUILTINS = {"echo", "printf", "pwd", "test", "true", "false", ":", "cd"}
"""They run in the shell itself, so no stub hears of them."""


def _commands(line: str) -> tuple[Command, ...]:
    return running(line, FOLDER).commands
