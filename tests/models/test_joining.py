"""Deltas that came with one read."""

from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from longrein.models.assembly import Assembly
from longrein.models.base import CallDelta, Delta, ReasoningDelta, Stopped, TextDelta
from longrein.models.joining import joined

_INDICES = st.integers(0, 2)
_TEXTS = st.text("ab", max_size=3)
_IDS = st.sampled_from(("", "", "x"))
_DELTAS = st.one_of(
    st.builds(TextDelta, _TEXTS),
    st.builds(CallDelta, _INDICES, _TEXTS, _IDS, _IDS),
    st.builds(ReasoningDelta, _TEXTS, _INDICES, _IDS, _IDS, st.booleans()),
)


class _Counted:
    """Ids that are the same each time."""

    def __init__(self) -> None:
        self._numbers = count()

    def new(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers)}"


def _whole(deltas: list[Delta]) -> Assembly:
    whole = Assembly()
    for delta in deltas:
        whole.add(delta)
    return whole


@given(st.lists(_DELTAS, max_size=12))
def test_a_reply_is_the_same_however_its_deltas_are_joined(deltas: list[Delta]) -> None:
    one, other = _whole(deltas), _whole(list(joined(deltas)))

    assert one.parts("m", _Counted()) == other.parts("m", _Counted())


def test_what_follows_each_other_is_one_delta() -> None:
    deltas: list[Delta] = [
        ReasoningDelta("th"),
        ReasoningDelta("ink", signature="s"),
        TextDelta("to"),
        TextDelta("day"),
        CallDelta(0, "{", "look", "c"),
        CallDelta(0, "}"),
        CallDelta(1, "", "look"),
        Stopped("calls"),
    ]

    assert list(joined(deltas)) == [
        ReasoningDelta("think", signature="s"),
        TextDelta("today"),
        CallDelta(0, "{}", "look", "c"),
        CallDelta(1, "", "look"),
        Stopped("calls"),
    ]


def test_what_something_else_came_between_stays_apart() -> None:
    deltas: list[Delta] = [TextDelta("a"), CallDelta(0, "{}", "look"), TextDelta("b")]

    assert list(joined(deltas)) == deltas
