"""The fold of observations: what is known of a thread, and what a rewind leaves of it."""

from typing import Any

import msgspec
import pytest

from longrein.capabilities.observing.notes import (
    FAILED,
    OBSERVATIONS,
    OBSERVED,
    REFLECTED,
    Failed,
    Observation,
    Observations,
    Span,
    fold,
)
from longrein.core.events import Event, Recorded, Rewound, RunStarted
from tests.capabilities.observing.kit import observed
from tests.capabilities.thread import Thread


def folded(*events: Event) -> Observations:
    known = Observations()
    for event in events:
        known = fold(known, event)
    return known


def fact(kind: str, data: Any) -> Recorded:
    return Recorded(kind, msgspec.to_builtins(data))


def ids(known: Observations) -> list[str]:
    return [one.id for one in known.observations]


O1 = fact(OBSERVED, observed("o1", 0, 10, seen=50))
O2 = fact(OBSERVED, observed("o2", 10, 20, seen=90))
O3 = fact(OBSERVED, observed("o3", 20, 30, seen=130))
R4 = fact(
    REFLECTED,
    observed("r4", 0, 20, seen=90, tokens=4, of=(Span("o1", 0, 10), Span("o2", 10, 20))),
)


def test_observations_follow_one_another() -> None:
    known = folded(O1, O2)
    assert (ids(known), known.upto, known.count, known.tokens) == (["o1", "o2"], 20, 2, 20)


def test_the_same_range_is_not_observed_twice() -> None:
    assert ids(folded(O1, O2, O2, O1)) == ["o1", "o2"]


def test_what_does_not_join_on_changes_nothing() -> None:
    assert ids(folded(O1, O3)) == ["o1"]


@pytest.mark.parametrize("data", [None, 7, {}, {"id": "o1"}, {"id": "o1", "notes": "x"}, []])
@pytest.mark.parametrize("kind", [OBSERVED, REFLECTED, FAILED])
def test_a_fact_that_cannot_be_read_changes_nothing(kind: str, data: Any) -> None:
    known = folded(O1)
    assert fold(known, Recorded(kind, data)) is known


def test_a_reflection_stands_for_what_it_was_made_of() -> None:
    known = folded(O1, O2, O3, R4)
    assert (ids(known), known.upto, known.settled) == (["r4", "o3"], 30, 14)
    assert known.span("o2") == Span("o2", 10, 20)
    assert known.span("r4") == Span("r4", 0, 20)
    assert known.span("o9") is None


def test_a_reflection_of_what_is_gone_changes_nothing() -> None:
    gone = Rewound("cmd", before=60, seq=140)
    assert ids(folded(O1, O2, O3, gone, R4)) == ["o1"]


def test_a_rewind_takes_what_is_gone_and_leaves_the_rest() -> None:
    assert ids(folded(O1, O2, O3, Rewound("cmd", before=91, seq=140))) == ["o1", "o2"]


def test_a_rewind_of_files_alone_takes_nothing() -> None:
    known = folded(O1, O2)
    assert fold(known, Rewound("cmd", before=1, files=True, conversation=False)) is known


def test_a_rewind_before_what_a_reflection_is_about_takes_it() -> None:
    assert ids(folded(O1, O2, O3, R4, Rewound("cmd", before=60, seq=140))) == []


def test_an_observation_of_what_was_rewound_meanwhile_does_not_count() -> None:
    known = folded(O1, Rewound("cmd", before=60, seq=100), O2)
    assert ids(known) == ["o1"]
    after = fact(OBSERVED, observed("o2", 10, 20, seen=101))
    assert ids(fold(known, after)) == ["o1", "o2"]


def test_undoing_a_rewind_brings_them_back_and_undoing_that_takes_them_again() -> None:
    gone = folded(O1, O2, Rewound("cmd", before=60, seq=100))
    back = fold(gone, Rewound("", before=100, undo=True, seq=101))
    again = fold(back, Rewound("", before=101, undo=True, seq=102))
    assert (ids(gone), ids(back), ids(again)) == (["o1"], ["o1", "o2"], ["o1"])


def test_the_way_back_ends_with_the_next_input() -> None:
    known = folded(O1, O2, Rewound("cmd", before=60, seq=100), RunStarted(()))
    assert known.left is None
    assert ids(fold(known, Rewound("", before=100, undo=True, seq=120))) == ["o1"]


def test_a_failure_is_kept_until_something_was_observed() -> None:
    failed = fact(FAILED, Failed("observer", 10, 20, 500, "it broke"))
    assert folded(O1, failed).failed == 500
    assert folded(O1, failed, O2).failed == 0


def test_a_reflector_that_failed_is_through_with_what_there_is() -> None:
    assert folded(O1, fact(FAILED, Failed("reflector", 0, 10, 700, "no"))).settled == 700


def test_other_events_mean_nothing() -> None:
    known = folded(O1)
    assert fold(known, RunStarted(("cmd",))) is known
    assert fold(known, Recorded("todos", {})) is known


def test_what_is_known_survives_a_snapshot() -> None:
    thread = Thread(OBSERVATIONS)
    for event in (O1, O2, O3, R4):
        thread.record(event.kind, event.data)
    before = thread.read(OBSERVATIONS)
    thread.restart()
    assert thread.read(OBSERVATIONS) == before
    assert isinstance(before.observations[0], Observation)
