"""Whatever tools and commands did: every point can be gone back to, and on from there."""

import os
import random
import shutil
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.support import run
from tests.workspace.checkpoints.setting import Thread, working

Tree: TypeAlias = dict[str, tuple[str, object]]

NAMES = ("a", "b", "d/a", "d/b", "d/e/a", "f")


def tree(root: Path) -> Tree:
    """Everything below a folder: what it is, and what is in it."""
    found: Tree = {}
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))
        elif path.is_dir():
            found[name] = ("folder", "")
        else:
            found[name] = ("file", (path.read_bytes(), path.stat().st_mode & 0o777))
    return found


def clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif path.is_symlink() or path.exists():
        path.unlink()


def change(draw: random.Random, root: Path) -> None:
    """What a command may do to a file, and what is in its way."""
    path = root / draw.choice(NAMES)
    for above in reversed(path.relative_to(root).parents[:-1]):
        if not (root / above).is_dir() or (root / above).is_symlink():
            clear(root / above)
            (root / above).mkdir()
    match draw.randrange(6):
        case 0:
            clear(path)
        case 1:
            clear(path)
            path.mkdir()
        case 2:
            clear(path)
            path.symlink_to(draw.choice(NAMES))
        case 3 if path.is_file() and not path.is_symlink():
            path.chmod(draw.choice((0o600, 0o644, 0o755, 0o444)))
        case _:
            clear(path)
            path.write_text(str(draw.random()))


async def step(draw: random.Random, thread: Thread, seq: int) -> None:
    path = thread.root / draw.choice(NAMES)
    writable = path.is_file() and not path.is_symlink() and path.stat().st_mode & 0o200
    above = path.parent.is_dir() and path.parent.resolve() == path.parent
    nothing = not path.is_symlink() and not path.exists()
    if draw.randrange(3) == 0 and above and (writable or nothing):
        await thread.edit(seq, str(path.relative_to(thread.root)), str(draw.random()))
    else:
        await thread.shell(seq, lambda: [change(draw, thread.root) for _ in range(3)])


@pytest.mark.parametrize("seed", range(12))
def test_every_point_can_be_gone_back_to_and_on(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)

    async def scenario() -> None:
        async with working(tmp_path) as thread:
            for _ in range(4):
                change(draw, thread.root)
            points: dict[int, Tree] = {}
            for seq in range(1, 11):
                points[seq] = tree(thread.root)
                await step(draw, thread, seq)
            for seq in range(11, 18):
                points[seq] = tree(thread.root)
                to = draw.choice(list(points))
                plan, restored = await thread.rewind(to, seq)
                assert plan.foreign == restored.foreign == restored.failed == ()
                assert tree(thread.root) == points[to]

    run(scenario())
