"""Real shells with stub commands that write down the words that they are given."""

import os
import shutil
import subprocess
from pathlib import Path

from longrein.workspace.shell.script import Command

SHELLS = ("bash", "sh")
_STUB = """#!/bin/sh
printf '%s\\0' "${0##*/}" "$@" "A=${A-}" > "$LOG/$$"
"""


class Recorder:
    """An empty folder, and stubs for these names as the only programs there are."""

    def __init__(self, place: Path, names: str) -> None:
        self._folder, self._stubs, self._log = place / "work", place / "stubs", place / "log"
        self._folder.mkdir()
        self._stubs.mkdir()
        for name in names.split():
            stub = self._stubs / name
            stub.write_text(_STUB)
            stub.chmod(0o755)

    def run(self, shell: str, line: str) -> list[list[str]]:
        """The words of every stub that the line ran, sorted: in a pipe they run at once."""
        shutil.rmtree(self._log, ignore_errors=True)
        self._log.mkdir()
        subprocess.run(
            [f"/bin/{shell}", "-c", line],
            cwd=self._folder,
            env={"PATH": str(self._stubs), "LOG": str(self._log), "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=10,
            check=False,
        )
        runs = [path.read_bytes() for path in self._log.iterdir()]
        return sorted([os.fsdecode(word) for word in run.split(b"\0")[:-1]] for run in runs)

    def files(self) -> list[str]:
        """What lies in the folder now."""
        return sorted(path.name for path in self._folder.iterdir())


def expected(commands: tuple[Command, ...]) -> list[list[str]]:
    """What the stubs would write down for these commands, if all of them run."""
    return sorted(
        [*(word.text for word in one.words), f"A={dict(_texts(one)).get('A', '')}"]
        for one in commands
        if one.words
    )


def _texts(command: Command) -> list[tuple[str, str]]:
    return [(name, word.text) for name, word in command.assignments]
