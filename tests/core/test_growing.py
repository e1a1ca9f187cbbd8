"""Trails and indexes are values: growing one never changes another."""

from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.core.growing import Index, Trail

Choice = tuple[int, int]
"""Which version grows, and by what."""

choices = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)), max_size=40)


@settings(deadline=None, derandomize=True)
@given(choices)
def test_every_version_of_a_trail_stays_what_it_was(branches: list[Choice]) -> None:
    versions: list[tuple[Trail[int], list[int]]] = [(Trail(), [])]
    for which, count in branches:
        trail, model = versions[which % len(versions)]
        added = list(range(count % 4))
        versions.append((trail.append(*added), model + added))
    for trail, model in versions:
        assert list(trail) == model
        assert len(trail) == len(model)
        assert trail == Trail(model)
        assert trail[::-1] == model[::-1]
        assert trail[1:-1] == model[1:-1]
        assert list(reversed(trail)) == model[::-1]


@settings(deadline=None, derandomize=True)
@given(choices)
def test_every_version_of_an_index_stays_what_it_was(branches: list[Choice]) -> None:
    versions: list[tuple[Index[int], dict[str, int]]] = [(Index(), {})]
    for n, (which, key) in enumerate(branches):
        index, model = versions[which % len(versions)]
        versions.append((index.put(str(key), n), {str(key): n} | model))
    for index, model in versions:
        assert dict(index) == model
        assert index == Index(model)
        assert {str(key) for key in range(7) if str(key) in index} == set(model)


@given(st.lists(st.integers()), st.slices(10))
def test_slices_of_a_trail_are_those_of_a_list(items: list[int], cut: slice) -> None:
    longer = Trail(items).append(1, 2, 3)
    assert Trail(items)[cut] == items[cut]
    assert longer[cut] == [*items, 1, 2, 3][cut]


def test_a_trail_does_not_show_what_a_later_version_holds() -> None:
    old = Trail(["a"])
    old.append("b")
    assert len(old) == 1
    assert old[-1] == "a"
    assert old[5:] == []
    assert "b" not in old


def test_an_empty_default_never_holds_the_items_of_others() -> None:
    nothing: Trail[str] = Trail()
    one, other = nothing.append("a"), nothing.append("b")
    assert (list(nothing), list(one), list(other)) == ([], ["a"], ["b"])
    assert nothing._items == []  # pyright: ignore[reportPrivateUsage]


def test_a_key_is_put_once_and_stays() -> None:
    index = Index({"a": 1})
    assert index.put("a", 2) is index


def test_a_branch_may_put_a_key_that_another_branch_has() -> None:
    root = Index({"a": 1})
    left, right = root.put("b", 2), root.put("b", 3)
    assert (left["b"], right["b"]) == (2, 3)
    assert "b" not in root
