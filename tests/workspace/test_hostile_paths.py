"""Hostile paths: each against the pure function and every file system."""

from pathlib import Path

import pytest

from longrein.testing.filesystem_cases.setting import all_of
from longrein.testing.filesystems import try_everything
from longrein.workspace.base import FileSystem, Grep
from longrein.workspace.paths import canonical
from longrein.workspace.problems import BadPath, FileProblem
from tests.support import run
from tests.workspace.backends import BACKENDS
from tests.workspace.corpus import SECRET, Hostile, hostile_paths, outside, trap

CORPUS = hostile_paths()
LED_OUT = [one for one in CORPUS if one.path.startswith(("/link-", "/in/link-"))]


def test_the_corpus_is_large_and_says_why() -> None:
    assert len(CORPUS) >= 150
    assert all(one.why for one in CORPUS)
    assert len({one.path for one in CORPUS}) == len(CORPUS)


@pytest.mark.parametrize("hostile", CORPUS, ids=str)
def test_a_path_has_one_canonical_form_or_none(hostile: Hostile) -> None:
    if hostile.becomes is None:
        with pytest.raises(BadPath) as refused:
            canonical(hostile.path)
        assert str(refused.value).isprintable()
        assert len(str(refused.value)) < 600
    else:
        assert canonical(hostile.path) == hostile.becomes
        assert canonical(hostile.becomes) == hostile.becomes


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_path_ends_a_run_or_gets_out(backend: str, tmp_path: Path) -> None:
    root = trap(tmp_path)
    before = outside(tmp_path)
    files = BACKENDS[backend](root)

    async def attack() -> None:
        for hostile in CORPUS:
            problems = await try_everything(files, hostile.path)
            if hostile.becomes is None:
                assert len(problems) == 5, hostile.path

    run(attack(), seconds=150)
    assert outside(tmp_path) == before


@pytest.mark.parametrize("hostile", LED_OUT, ids=str)
@pytest.mark.parametrize("backend", ["disk", "disk without ripgrep and openat2"])
def test_a_way_out_shows_nothing_of_what_is_outside(
    backend: str, hostile: Hostile, tmp_path: Path
) -> None:
    files = BACKENDS[backend](trap(tmp_path))
    run(_looks_and_is_refused(files, hostile.path))


async def _looks_and_is_refused(files: FileSystem, path: str) -> None:
    for call in (files.read(path), files.real(path), files.write(path, b"")):
        with pytest.raises(FileProblem):
            await call
    for pattern in (path, "/"):
        try:
            found = await all_of(files.grep(Grep(SECRET.decode().strip(), pattern)))
            named = await all_of(files.glob("secret*", pattern))
        except FileProblem:
            continue
        assert (found, named) == ([], [])
