"""Links put on the way while a sandbox is made, by whoever else writes in the workspace."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from longrein.testing.sandbox_cases.setting import ran
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import Sandbox, SandboxProblem
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.finding import find_bwrap
from tests.workspace.sandbox.support import said, within

SECRET = "the-secret"
NO_ENV = [FileRule("deny", ("**/.env",))]
LOOK = "cat ../outside ../side/secret 2>/dev/null; touch ../made 2>/dev/null; echo done"

# Exchanges a folder and a link to the folder above, until it is killed or its time is over.
SWAPPING = """
import ctypes, os, sys, time
folder, libc, end = sys.argv[1].encode(), ctypes.CDLL(None), time.time() + 20
os.symlink('..', b'link-' + folder)
while time.time() < end:
    libc.renameat2(-100, folder, -100, b'link-' + folder, 2)
    time.sleep(float(sys.argv[2]))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project, beside it what commands must not see."""
    root = tmp_path / "project"
    for folder in ("project/.agents", "project/deep/side", "side"):
        (tmp_path / folder).mkdir(parents=True)
    (root / "deep/.env").write_text("x")
    (tmp_path / "outside").write_text(SECRET)
    (tmp_path / "side/secret").write_text(SECRET)
    return root


def nothing_came_of_it(root: Path, output: str) -> bool:
    return SECRET not in output and sorted(os.listdir(root.parent)) == [
        "outside",
        "project",
        "side",
    ]


def swapped_late(root: Path, folder: str) -> str:
    """A bubblewrap before which a folder becomes a link, when all has been looked at."""
    bwrap, program = find_bwrap().path, root.parent.parent / f"{root.parent.name}-bwrap"
    program.write_text(
        f'#!/bin/sh\nif [ "$1" = --args ] && cd {root} && [ ! -L {folder} ]\n'
        f'then mv {folder} away; ln -s .. {folder}; fi\nexec {bwrap} "$@"\n'
    )
    program.chmod(0o700)
    return str(program)


@pytest.mark.parametrize("lasting", [True, False])
@pytest.mark.parametrize("folder", [".agents", "deep"])
def test_a_folder_that_becomes_a_link_leads_nowhere(folder: str, lasting: bool, root: Path) -> None:
    program = swapped_late(root, folder)
    make = lambda: Bubblewrap(root, rules=NO_ENV, program=program, lasting=lasting)  # noqa: E731
    (output,) = said(make, root, LOOK)
    assert output == "done"
    assert nothing_came_of_it(root, output)


@contextmanager
def swapping(root: Path, folder: str, pause: str) -> Generator[None, None, None]:
    words = [sys.executable, "-c", SWAPPING, folder, pause]
    with subprocess.Popen(words, cwd=root) as process:
        try:
            yield
        finally:
            process.kill()


@pytest.mark.parametrize("pause", ["0", "0.002"])
@pytest.mark.parametrize("folder", [".agents", "deep"])
def test_another_program_that_swaps_links_all_the_time_gets_nothing_shown(
    folder: str, pause: str, root: Path
) -> None:
    with swapping(root, folder, pause):
        for _ in range(8):
            try:
                (output,) = said(lambda: Bubblewrap(root, rules=NO_ENV), root, LOOK)
            except SandboxProblem:
                output = ""
            assert SECRET not in output
            assert not (root.parent / "made").exists()


def test_landlock_allows_nothing_through_a_link(root: Path) -> None:
    (root / "link").symlink_to("..")
    program = (
        "import sys\nfrom longrein.workspace.sandbox.inside.kernel import restrict\n"
        "restrict(4, 0, 0, [(sys.argv[1].encode(), 4)])\n"
        "print(open(sys.argv[2]).read())"
    )
    words = [sys.executable, "-c", program, f"{root}/link/side", f"{root.parent}/side/secret"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stdout == ""
    assert "replaced by a link" in done.stderr


def test_what_a_command_left_behind_cannot_swap_links_for_the_next(root: Path) -> None:
    (root / "swapping.py").write_text(SWAPPING)

    async def use(sandbox: Sandbox) -> list[str]:
        outputs: list[str] = []
        for _ in range(5):
            # A sandbox is made anew for a folder that rules forbid and that was not there.
            line = "mkdir new-$$; python3 swapping.py new-$$ 0 & sleep 0.3"
            await ran(sandbox, str(root), line)
            outputs.append((await ran(sandbox, str(root), LOOK))[0].decode().strip())
        return outputs

    rules = [FileRule("deny", (f"{root}/new-*",), ("write",))]
    outputs = within(lambda: Bubblewrap(root, rules=rules), use)
    assert outputs == ["done"] * 5
    assert nothing_came_of_it(root, "".join(outputs))
