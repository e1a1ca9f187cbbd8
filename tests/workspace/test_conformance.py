"""Every file system keeps the contract of the port."""

from pathlib import Path

import pytest

from longrein.testing.filesystems import FileSystemCase, filesystem_cases
from tests.support import run
from tests.workspace.backends import BACKENDS


@pytest.mark.parametrize("case", filesystem_cases(), ids=str)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_file_system_keeps_its_promise(
    backend: str, case: FileSystemCase, tmp_path: Path
) -> None:
    run(case.check(BACKENDS[backend](tmp_path)))
