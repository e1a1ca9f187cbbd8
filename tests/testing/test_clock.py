"""The clock and the ids of the testing kit."""

import re

import pytest

from longrein.testing.clock import CountingIds, ManualClock


def test_both_readings_advance_together() -> None:
    clock = ManualClock(now=0)
    clock.advance(0.25)
    clock.advance(1)
    assert (clock.now(), clock.monotonic()) == (1_250_000, 1.25)


def test_time_does_not_go_back() -> None:
    with pytest.raises(ValueError, match="go back"):
        ManualClock().advance(-1)


def test_ids_are_sorted_unique_and_well_formed() -> None:
    ids = CountingIds()
    made = [ids.new("call") for _ in range(300)]
    assert made == sorted(set(made))
    assert all(re.fullmatch(r"call_[0-9a-f]{32}", id) for id in made)
