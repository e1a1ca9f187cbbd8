"""What the tests of the command line share."""

import signal
from pathlib import Path

import pytest

from tests.cli.world import World

# A shell that starts the tests in the background has them ignore Ctrl-C, and so would the commands.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)
