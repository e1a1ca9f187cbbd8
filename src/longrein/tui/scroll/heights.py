"""The heights of things that stand one below the other, and what stands where."""

from collections.abc import Iterable


class Heights:
    """A list of heights that knows its sums: every question and every change takes O(log n).

    >>> heights = Heights([2, 1, 4])
    >>> heights.total, heights.top(2), heights.find(2)
    (7, 3, 1)
    """

    def __init__(self, heights: Iterable[int] = ()) -> None:
        # A Fenwick tree: `_sums[n]` is the sum of the `n & -n` heights up to the n-th, from 1.
        self._heights: list[int] = []
        self._sums = [0]
        for height in heights:
            self.append(height)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def __setitem__(self, index: int, height: int) -> None:
        more = height - self._heights[index]
        if not more:
            return
        self._heights[index] = height
        place = index + 1
        while place < len(self._sums):
            self._sums[place] += more
            place += place & -place

    def append(self, height: int) -> None:
        self._heights.append(height)
        place = len(self._heights)
        total, below = height, place - 1
        while below > place - (place & -place):
            total += self._sums[below]
            below -= below & -below
        self._sums.append(total)

    def cut(self, length: int) -> None:
        """Keep only the first so many."""
        del self._heights[length:]
        del self._sums[length + 1 :]

    @property
    def total(self) -> int:
        return self.top(len(self._heights))

    def top(self, index: int) -> int:
        """The sum of the heights before this one."""
        total = 0
        while index:
            total += self._sums[index]
            index -= index & -index
        return total

    def find(self, y: int) -> int:
        """Which one is at this height; of an empty list the first, beyond the end the last."""
        place, step = 0, 1 << len(self._heights).bit_length()
        while step:
            further = place + step
            if further < len(self._sums) and self._sums[further] <= y:
                place = further
                y -= self._sums[further]
            step >>= 1
        return max(min(place, len(self._heights) - 1), 0)
