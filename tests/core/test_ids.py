"""Ids are unique, sort by time and are proper version 7 UUIDs."""

from uuid import UUID

from longrein.core.ids import SystemClock, TimeOrderedIds
from longrein.testing.clock import ManualClock


def test_ids_sort_by_the_time_they_were_made() -> None:
    clock = ManualClock()
    ids = TimeOrderedIds(clock)
    made: list[str] = []
    for _ in range(100):
        made.append(ids.new("run"))
        clock.advance(0.001)
    assert made == sorted(made)


def test_ids_of_one_moment_are_all_different() -> None:
    ids = TimeOrderedIds(ManualClock())
    assert len({ids.new("cmd") for _ in range(5000)}) == 5000


def test_an_id_is_its_prefix_and_a_version_7_uuid_with_its_time() -> None:
    clock = ManualClock(now=1_700_000_000_123_456)
    prefix, digits = TimeOrderedIds(clock).new("thr").split("_")
    uuid = UUID(digits)
    assert prefix == "thr"
    assert uuid.version == 7
    assert uuid.variant == "specified in RFC 4122"
    assert uuid.int >> 80 == 1_700_000_000_123


def test_the_clock_tells_microseconds_since_1970() -> None:
    clock = SystemClock()
    assert 1_700_000_000_000_000 < clock.now() < 10_000_000_000_000_000
    assert clock.monotonic() <= clock.monotonic()
