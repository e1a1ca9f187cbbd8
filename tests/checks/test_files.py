"""Files stay short."""

from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
LIMIT = 400
LONGER: dict[str, int] = {}
"""The exceptions by path, each with a limit of its own."""


def test_no_python_file_is_too_long() -> None:
    lengths = {
        path.relative_to(REPOSITORY).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for folder in ("src", "tests", "scripts", "bench")
        for path in (REPOSITORY / folder).rglob("*.py")
    }
    too_long = {
        path: length for path, length in lengths.items() if length > LONGER.get(path, LIMIT)
    }
    assert too_long == {}
    assert LONGER.keys() <= lengths.keys(), "an exception for a file that is gone"
