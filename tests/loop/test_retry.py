"""Failed model calls are made again when that can help, with patience that has an end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.core.errors import (
    Auth,
    BadRequest,
    ContextOverflow,
    Filtered,
    ModelError,
    Network,
    Overloaded,
    RateLimited,
)
from longrein.loop.retry import Again, GiveUp, NextModel, Retry, after_failure

quick = settings(deadline=None, derandomize=True)
POLICY = Retry()


@pytest.mark.parametrize("kind", [Auth, BadRequest, ContextOverflow, Filtered, ModelError])
def test_an_answer_that_would_be_the_same_again_is_not_asked_for_twice(
    kind: type[ModelError],
) -> None:
    error = kind("no", retry_after=1.0)
    assert after_failure(error, 0, 0, POLICY, 0.5) == GiveUp()
    assert after_failure(error, 0, 1, POLICY, 0.5) == NextModel()


@pytest.mark.parametrize("kind", [RateLimited, Overloaded, Network])
def test_a_failure_that_may_pass_is_tried_again(kind: type[ModelError]) -> None:
    assert isinstance(after_failure(kind("later"), 0, 1, POLICY, 0.5), Again)


def test_pauses_grow_with_each_failure() -> None:
    pauses = [_seconds(Network("x"), failures) for failures in range(5)]
    assert pauses == sorted(set(pauses))


def test_attempts_come_to_an_end() -> None:
    assert after_failure(Network("x"), POLICY.attempts - 1, 0, POLICY, 0.5) == GiveUp()
    assert after_failure(Network("x"), POLICY.attempts - 1, 2, POLICY, 0.5) == NextModel()


def test_a_hint_of_the_provider_is_followed() -> None:
    assert 20 <= _seconds(RateLimited("x", retry_after=20.0), 0) <= 21


def test_a_hint_that_is_too_long_is_not_waited_for() -> None:
    error = RateLimited("come back tomorrow", retry_after=86_400.0)
    assert after_failure(error, 0, 0, POLICY, 0.5) == GiveUp()


@quick
@given(
    st.integers(0, 10_000),
    st.none() | st.floats(-1e9, 1e9),
    st.floats(0, 1, exclude_max=True),
)
def test_no_pause_is_negative_or_longer_than_the_longest(
    failures: int, hint: float | None, chance: float
) -> None:
    policy = Retry(attempts=100_000)
    then = after_failure(Overloaded("x", retry_after=hint), failures, 0, policy, chance)
    if isinstance(then, Again):
        assert max(hint or 0, 0) <= then.seconds <= policy.longest_hint + 60
    else:
        assert hint is not None
        assert hint > policy.longest_hint


def test_sessions_that_failed_together_do_not_come_back_together() -> None:
    pauses = {_seconds(Network("x"), 2, chance / 10) for chance in range(10)}
    assert len(pauses) == 10


def _seconds(error: ModelError, failures: int, chance: float = 0.5) -> float:
    then = after_failure(error, failures, 0, POLICY, chance)
    assert isinstance(then, Again)
    return then.seconds
