"""Settings of the whole test suite."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

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
