"""Settings of the whole test suite."""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Also where the environment says otherwise: whoever starts an interpreter for each test should not
# compile everything anew each time.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The same examples on every machine: a green suite stays green. `--hypothesis-profile=search`
# looks for new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile("same")


@pytest.fixture(scope="session", autouse=True)
def own_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test sees the user's keys, settings or threads."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith("LONGREIN_") or name.endswith("_API_KEY"):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
        patch.setenv("XDG_DATA_HOME", str(home / "data"))
        yield


@pytest.fixture(scope="session")
def folders() -> Counter[str]:
    """How many folders there are for tests of each name."""
    return Counter()


@pytest.fixture
def tmp_path(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    folders: Counter[str],
) -> Path:
    """A folder for the test, named as pytest does it.

    Pytest looks through the folders of all tests before for a free name, which takes the longer
    the more there are; here the names are counted.
    """
    name = re.sub(r"\W", "_", request.node.name)[:30]
    path = tmp_path_factory.getbasetemp() / f"{name}{folders[name]}"
    folders[name] += 1
    path.mkdir(mode=0o700)
    return path
