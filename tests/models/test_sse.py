"""Server-sent events in all their spellings."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longrein.models.sse import EventReader

STREAM = (
    b": a comment\n\n"
    b"event: greeting\ndata: one\n\n"
    b'data: {"text":"\xc3\xa4\xf0\x9f\x99\x82"}\n\n'
    b"id: 7\ndata: two\ndata:lines\nretry: 10\n\n"
    b"event: nothing\n\n"
    b"data:\n\n"
    b"data: last\n\n"
)
EVENTS = [b"one", '{"text":"ä🙂"}'.encode(), b"two\nlines", b"", b"last"]


def pieces(stream: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(stream), *(cut % len(stream) for cut in cuts)})
    return [stream[a:b] for a, b in pairwise(places)]


@given(st.lists(st.integers(0, 10_000), max_size=30), st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_events_do_not_depend_on_how_the_bytes_were_cut(cuts: list[int], ending: bytes) -> None:
    reader = EventReader()
    stream = STREAM.replace(b"\n", ending)
    found = [event for piece in pieces(stream, cuts) for event in reader.feed(piece)]
    assert found + reader.end() == EVENTS


def test_many_events_of_one_read_come_together() -> None:
    assert EventReader().feed(b"data: x\n\n" * 1000) == [b"x"] * 1000


def test_a_byte_order_mark_is_skipped() -> None:
    assert EventReader().feed(b"\xef\xbb\xbfdata: x\n\n") == [b"x"]


@pytest.mark.parametrize("tail", [b"data: x", b"data: x\n", b"data: x\r", b"event: e\ndata: x"])
def test_a_last_event_without_its_blank_line_is_given_at_the_end(tail: bytes) -> None:
    reader = EventReader()
    assert reader.feed(tail) == []
    assert reader.end() == [b"x"]
    assert reader.end() == []
