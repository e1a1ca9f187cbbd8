"""Both stores keep the public contract."""

from pathlib import Path

import pytest

from longrein.storage.memory import MemoryStore
from longrein.storage.sqlite import SqliteStore
from longrein.testing.stores import StoreCase, store_cases
from tests.support import run


@pytest.mark.parametrize("case", store_cases(), ids=str)
def test_memory_keeps(case: StoreCase) -> None:
    store = MemoryStore()
    run(case.check(lambda: store))


@pytest.mark.parametrize("case", store_cases(), ids=str)
def test_sqlite_keeps(case: StoreCase, tmp_path: Path) -> None:
    run(case.check(lambda: SqliteStore(tmp_path / "test.db")))
