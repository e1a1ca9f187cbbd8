"""One at a time: files of the user that several processes want to change."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from longrein.cli.own_files import OwnFile
from longrein.core.errors import UsageError
from longrein.settings.locking import locked
from longrein.settings.places import Places, find_places
from longrein.settings.trusted import TrustBook


@pytest.fixture
def places(tmp_path: Path) -> Places:
    project = tmp_path / "project"
    (project / ".longrein").mkdir(parents=True)
    names = ("CONFIG", "DATA", "STATE")
    return find_places(project, {f"XDG_{one}_HOME": str(tmp_path / one) for one in names})


def test_who_comes_second_waits_until_the_first_is_done(tmp_path: Path) -> None:
    path, order = tmp_path / "there" / "file", list[str]()

    def second() -> None:
        with locked(path):
            order.append("second")

    with ThreadPoolExecutor(1) as pool:
        with locked(path):
            waiting = pool.submit(second)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.1)
            order.append("first")
        waiting.result(timeout=30)
    assert order == ["first", "second"]


def test_who_waits_too_long_is_told_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with (
        locked(path),
        pytest.raises(UsageError, match=r"Another longrein .* try again"),
        locked(path, seconds=0.05),
    ):
        pass


def test_verdicts_that_are_given_at_the_same_time_are_all_kept(places: Places) -> None:
    files = [Path(f"/project/{number}") for number in range(40)]

    def trust(file: Path) -> None:
        TrustBook(places.state).write(file, b"x", True)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(trust, files))
    assert all(TrustBook(places.state).verdict(file, b"x") for file in files)


def test_a_project_file_that_changes_between_reading_and_writing_is_not_trusted_for_it(
    places: Places,
) -> None:
    file = OwnFile(places, project=True)
    assert file.write(b"a = 1", before=None)
    read = file.read()
    file.path.write_bytes(b"evil = 1")
    with pytest.raises(UsageError, match="was just changed by somebody else"):
        file.write(b"a = 2", before=read)
    assert file.read() == b"evil = 1"
    assert TrustBook(places.state).verdict(file.path, b"evil = 1") is None
