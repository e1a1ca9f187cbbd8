"""What the tests of the command line share."""

from pathlib import Path

import pytest

from tests.cli.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)
