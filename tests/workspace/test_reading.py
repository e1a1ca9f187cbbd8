"""Lines of files, whatever their pieces."""

from collections.abc import AsyncGenerator

from hypothesis import given
from hypothesis import strategies as st

from longrein.workspace.base import Stat
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.reading import COUNTED, read_lines
from tests.support import run


class Pieces(MemoryFiles):
    """A file that comes in given pieces, and says how many were asked for."""

    def __init__(self, *pieces: bytes, size: int) -> None:
        super().__init__()
        self._pieces, self._size = pieces, size
        self.given = 0

    async def stat(self, path: str) -> Stat | None:
        return Stat("file", self._size)

    async def chunks(self, path: str, offset: int = 0) -> AsyncGenerator[bytes, None]:
        for piece in self._pieces:
            self.given += 1
            yield piece


@given(
    st.lists(st.binary(min_size=1, max_size=6).map(lambda b: b.replace(b"a", b"\n")), max_size=8),
    st.integers(0, 6),
    st.integers(1, 6),
    st.booleans(),
)
def test_lines_are_the_same_whatever_the_pieces(
    pieces: list[bytes], offset: int, limit: int, large: bool
) -> None:
    data = b"".join(pieces)
    every = data.split(b"\n")
    every = [line + b"\n" for line in every[:-1]] + ([every[-1]] if every[-1] else [])
    files = Pieces(*pieces, size=COUNTED + 1 if large else len(data))
    found = run(read_lines(files, "/a", offset, limit))
    assert [line.data for line in found.lines] == every[offset : offset + limit]
    assert found.more == (len(every) > offset + limit) or offset > len(every)
    assert found.total in ([None, len(every)] if large else [len(every)])


def test_a_large_file_is_read_no_further_than_needed() -> None:
    files = Pieces(b"1\n2\n", b"3\n4\n", b"5\n", b"6\n", size=1 << 40)
    found = run(read_lines(files, "/a", 1, 2))
    assert [line.data for line in found.lines] == [b"2\n", b"3\n"]
    assert (found.more, found.total, files.given) == (True, None, 2)


def test_a_long_line_is_cut_and_the_next_is_found() -> None:
    files = Pieces(b"x" * 50, b"x" * 50 + b"\nnext\n", size=106)
    found = run(read_lines(files, "/a", longest=10))
    assert [(line.data, line.cut) for line in found.lines] == [
        (b"x" * 10, True),
        (b"next\n", False),
    ]


def test_a_line_without_end_is_given_up() -> None:
    files = Pieces(*[b"x" * 1_000_000] * 100, size=100_000_000)
    found = run(read_lines(files, "/a"))
    assert [(len(line.data), line.cut) for line in found.lines] == [(65_536, True)]
    assert (found.more, found.total) == (True, None)
    assert files.given < 10
