"""Values that grow by appending, in constant time, without ever changing what was seen before.

A `Trail` is a sequence and an `Index` a mapping; both are values: `append` and `put` return a new
one and leave the old one as it was. Versions share one list or dict, of which each knows how much
belongs to it. Appending to the newest version only adds to what is shared; appending to an older
one (a write that failed, a fork) copies once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class Trail(Sequence[T]):
    """An immutable sequence with a cheap `append`."""

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)
        self._length = len(self._items)

    def append(self, *items: T) -> "Trail[T]":
        if not items:
            return self
        shared = self._items
        # An empty one is often a default that outlives every thread: it must not hold their items.
        if len(shared) != self._length or not shared:
            shared = shared[: self._length]
        shared.extend(items)
        grown = type(self).__new__(type(self))
        grown._items = shared
        grown._length = self._length + len(items)
        return grown

    def first(self, count: int) -> "Trail[T]":
        """As it was when it held only so many; costs nothing."""
        shorter = type(self).__new__(type(self))
        shorter._items = self._items
        shorter._length = min(count, self._length)
        return shorter

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._length)
            if step > 0:
                return self._items[start:stop:step]
            return [self._items[n] for n in range(start, stop, step)]
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(index)
        return self._items[index]

    def __iter__(self) -> Iterator[T]:
        return iter(self._items[: self._length])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trail) and list(self) == list(other)  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Trail({list(self)!r})"


class Index(Mapping[str, T], Generic[T]):
    """An immutable mapping from ids to values with a cheap `put`; a key is put once and stays."""

    __slots__ = ("_items", "_length")

    def __init__(self, items: Mapping[str, T] | None = None) -> None:
        self._items = {key: (n, value) for n, (key, value) in enumerate((items or {}).items())}
        self._length = len(self._items)

    def put(self, key: str, value: T) -> "Index[T]":
        if key in self:
            return self
        shared = self._items
        if len(shared) != self._length or not shared:
            shared = {key: entry for key, entry in shared.items() if entry[0] < self._length}
        shared[key] = (self._length, value)
        grown = type(self).__new__(type(self))
        grown._items = shared
        grown._length = self._length + 1
        return grown

    def __getitem__(self, key: str) -> T:
        position, value = self._items[key]
        if position >= self._length:
            raise KeyError(key)
        return value

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[str]:
        return iter([key for key, entry in self._items.items() if entry[0] < self._length])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Index) and dict(self) == dict(other)  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Index({dict(self)!r})"
