"""What tests of the shell tools are given."""

from pathlib import Path

import pytest

from tests.capabilities.shell_tools.kit import SHELLS, Making


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Making:
    """Makes shells in a folder of the test's own, on every sandbox."""
    make = SHELLS[request.param]
    return lambda: make(tmp_path)
