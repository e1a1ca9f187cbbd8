"""Slices: folded beside everything else, through snapshots, versions and failures."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Struct

from longrein.core.codec import decode_state, encode_state
from longrein.core.errors import UsageError
from longrein.core.events import Event, Recorded
from longrein.core.slices import Folding, Slice, standing_still
from longrein.core.state import State

LOG = tuple(Recorded("word", word, seq=n) for n, word in enumerate("abcdef", 1))


class Words(Struct, frozen=True):
    """What was recorded, in order."""

    said: tuple[str, ...] = ()


def add(words: Words, event: Event) -> Words:
    if not isinstance(event, Recorded) or event.kind != "word":
        return words
    return Words((*words.said, event.data))


def stumble(words: Words, event: Event) -> Words:
    if isinstance(event, Recorded) and event.data == "c":
        raise ValueError("no c, please")
    return add(words, event)


WORDS = Slice("words", Words, Words(), add)
STUMBLING = Slice("words", Words, Words(), stumble)


def folded(folding: Folding, *events: Event, state: State | None = None) -> State:
    """The state after events, from the beginning where none is given."""
    state = folding.begun(State()) if state is None else state
    for event in events:
        state = folding(state, event)
    return state


def reopened(state: State, before: Folding, after: Folding, log: tuple[Event, ...] = LOG) -> State:
    """The state of a thread that one process kept as a snapshot and another opened."""
    kept = after.begun(decode_state(encode_state(before.stamped(state))))
    mark = after.behind(kept)
    return kept if mark is None else after.catch_up(kept, log[mark:])


def said(state: State, name: str = "words") -> str:
    return "".join(state.slices[name].value.said)


def test_a_slice_is_folded_with_every_event() -> None:
    assert said(folded(Folding([WORDS]), *LOG)) == "abcdef"


def test_a_value_comes_back_from_a_snapshot_in_its_own_type() -> None:
    folding = Folding([WORDS])
    after = reopened(folded(folding, *LOG[:3]), folding, folding)
    assert after.slices["words"].value == Words(("a", "b", "c"))
    assert said(folded(folding, *LOG[3:], state=after)) == "abcdef"


def test_a_slice_that_is_up_to_date_is_not_folded_again() -> None:
    folding = Folding([WORDS])
    kept = decode_state(encode_state(folding.stamped(folded(folding, *LOG))))
    assert folding.behind(folding.begun(kept)) is None


def test_a_slice_that_is_new_is_folded_from_the_first_event() -> None:
    nothing = Folding()
    assert said(reopened(folded(nothing, *LOG), nothing, Folding([WORDS]))) == "abcdef"


def test_only_what_the_state_has_seen_is_folded_again() -> None:
    nothing = Folding()
    after = reopened(folded(nothing, *LOG[:2]), nothing, Folding([WORDS]))
    assert said(after) == "ab"
    assert said(folded(Folding([WORDS]), *LOG[2:], state=after)) == "abcdef"


def test_a_slice_that_is_not_installed_is_carried_along_through_snapshots() -> None:
    folding, nothing = Folding([WORDS]), Folding()
    without = reopened(folded(folding, *LOG[:2]), folding, nothing)
    without = folded(nothing, *LOG[2:4], state=without)
    again = reopened(without, nothing, nothing)
    assert again.slices["words"].value == {"said": ["a", "b"]}
    assert again.slices["words"].upto == 2
    assert nothing.installed(again) == {}


def test_a_slice_that_comes_back_is_folded_on_from_where_it_was() -> None:
    folding, nothing = Folding([WORDS]), Folding()
    without = reopened(folded(folding, *LOG[:2]), folding, nothing)
    without = folded(nothing, *LOG[2:4], state=without)
    kept = folding.begun(decode_state(encode_state(nothing.stamped(without))))
    assert folding.behind(kept) == 2
    back = folding.catch_up(kept, LOG[2:])
    assert said(back) == "abcd"
    assert folding.behind(back) is None


def test_another_version_is_folded_from_the_first_event() -> None:
    def shout(words: Words, event: Event) -> Words:
        after = add(words, event)
        return after if after is words else Words((*words.said, after.said[-1].upper()))

    before, after = Folding([WORDS]), Folding([Slice("words", Words, Words(), shout, version=2)])
    assert said(reopened(folded(before, *LOG), before, after)) == "ABCDEF"


def test_a_kept_value_that_does_not_fit_its_type_any_more_is_folded_again() -> None:
    before = Folding([Slice("words", str, "x", lambda value, event: value)])
    assert said(reopened(folded(before, *LOG), before, Folding([WORDS]))) == "abcdef"


def test_a_slice_whose_fold_raises_stands_still_and_the_thread_goes_on() -> None:
    state = folded(Folding([STUMBLING]), *LOG)
    assert state.seq == len(LOG)
    assert said(state) == "ab"
    (problem,) = standing_still(state.slices)
    assert "'words'" in problem
    assert "ValueError at event 3: no c, please" in problem


def test_the_other_slices_go_on_beside_one_that_stands_still() -> None:
    other = Slice("other", Words, Words(), add)
    assert said(folded(Folding([STUMBLING, other]), *LOG), "other") == "abcdef"


def test_a_slice_that_stands_still_does_so_through_a_snapshot() -> None:
    folding = Folding([STUMBLING])
    after = reopened(folded(folding, *LOG), folding, folding)
    assert said(after) == "ab"
    assert standing_still(after.slices)


def test_a_slice_that_raises_while_it_is_folded_again_stands_still() -> None:
    nothing = Folding()
    after = reopened(folded(nothing, *LOG), nothing, Folding([STUMBLING]))
    assert said(after) == "ab"
    assert standing_still(after.slices)


def test_a_mended_fold_with_a_new_version_knows_everything() -> None:
    before, mended = Folding([STUMBLING]), Folding([Slice("words", Words, Words(), add, version=2)])
    after = reopened(folded(before, *LOG), before, mended)
    assert said(after) == "abcdef"
    assert standing_still(after.slices) == []


@pytest.mark.parametrize(
    ("kind", "initial", "value"),
    [
        (int, 0, 7),
        (dict[int, str], {}, {1: "a"}),
        (tuple[str, ...], (), ("a", "b")),
        (frozenset[str], frozenset[str](), frozenset({"a"})),
        (Words | None, None, Words(("a",))),
        (Words | None, Words(), None),
    ],
    ids=str,
)
def test_a_value_of_any_type_that_json_can_hold_is_kept(
    kind: Any, initial: object, value: object
) -> None:
    fold: Callable[[object, Event], object] = lambda before, event: value  # noqa: E731
    folding = Folding([Slice("any", kind, initial, fold)])
    kept = folding.begun(decode_state(encode_state(folding.stamped(folded(folding, LOG[0])))))
    assert kept.slices["any"].value == value
    assert folding.behind(kept) is None


def test_a_value_that_json_cannot_hold_is_folded_again_instead_of_kept() -> None:
    class Opaque:
        pass

    def fold(before: object, event: Event) -> object:
        return Opaque()

    folding = Folding([WORDS, Slice("opaque", object, None, fold)])
    after = reopened(folded(folding, *LOG), folding, folding)
    assert isinstance(after.slices["opaque"].value, Opaque)
    assert said(after) == "abcdef"


def test_text_that_json_cannot_hold_is_mended_in_a_snapshot() -> None:
    event = Recorded("word", "\ud800", seq=1)
    folding = Folding([WORDS])
    assert said(reopened(folded(folding, event), folding, folding, (event,))) == "\ufffd"


def test_two_slices_cannot_have_one_name() -> None:
    with pytest.raises(UsageError, match="'words'"):
        Folding([WORDS, STUMBLING])
