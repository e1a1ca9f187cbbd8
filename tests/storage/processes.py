"""How tests start the programs of `programs.py`, with or without the shim under them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def start(name: str, path: Path, argument: str = "", **environment: str) -> subprocess.Popen[str]:
    """A program that runs on the database at `path`."""
    paths = os.pathsep.join(entry for entry in sys.path if entry)
    return subprocess.Popen(
        [sys.executable, "-m", "tests.storage.programs", name, str(path), argument],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str], *, status: int = 0) -> str:
    """What a program printed, once it ended as it should."""
    try:
        output, errors = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == status, errors
    return output.strip()


def build_shim(directory: Path) -> str:
    """The shared library of `shim.c`; the test is skipped where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs Linux and a C compiler")
    library = directory / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"],
        check=True,
        timeout=60,
    )
    return str(library)
