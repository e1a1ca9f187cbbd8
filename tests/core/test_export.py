"""Exports: what was written is read again as it was; what is broken is refused with a reason."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.core import events as e
from longrein.core.blobs import referred
from longrein.core.codec import encode_event
from longrein.core.errors import UsageError
from longrein.core.export import About, ExportWriter, read
from longrein.core.messages import File, Text
from longrein.core.records import Input
from longrein.core.searchable import text_of
from tests.core.logs import numbered
from tests.core.samples import EVENTS

BLOB = b"\x00\x01picture"
ABOUT = About("thr_1", "user-1", "A title", ("a", "b"), 5, 9)
NEWER = b'{"seq":2,  "type":"moon_rose","time":7,"phase":{"full":[1,2.50]},"of":"%b"}'


def written(*events: bytes, blobs: tuple[bytes, ...] = (), about: About = ABOUT) -> bytes:
    """An export, put together from its pieces."""
    writing = ExportWriter()
    pieces = [writing.begin(about), *map(writing.event, events), *map(writing.blob, blobs)]
    return b"".join([*pieces, writing.end()])


CREATED = encode_event(e.ThreadCreated("thr_1", "user-1", seq=1))


def test_an_export_is_read_as_it_was_written() -> None:
    digest = next(iter(msgspec.json.decode(written(blobs=(BLOB,)))["blobs"]))
    parts = (Text("Look"), File("image/png", digest))
    said = encode_event(e.InputAdmitted(Input("cmd_1", "send", "run_1", parts), seq=2))
    found = read(written(CREATED, said, blobs=(BLOB,)))
    assert found.about == ABOUT
    assert [line.data for line in found.lines] == [CREATED, said]
    assert found.blobs == {digest: BLOB}
    assert found.state.seq == 2
    assert found.state.queue[0].parts == parts


def test_an_export_has_one_event_on_a_line() -> None:
    said = encode_event(e.NoteAdded("a\nb", "app", seq=2))
    assert written(CREATED, said).split(b"\n")[3:5] == [CREATED + b",", said]


def test_an_empty_thread_can_be_exported() -> None:
    assert read(written()).lines == []


def test_an_event_of_a_newer_version_is_kept_byte_for_byte_with_its_blobs() -> None:
    digest = next(iter(msgspec.json.decode(written(blobs=(BLOB,)))["blobs"]))
    newer = NEWER % digest.encode()
    found = read(written(CREATED, newer, blobs=(BLOB,)))
    assert found.lines[1].data == newer
    assert list(referred(found.lines[1].event)) == [digest]


@settings(deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(EVENTS), max_size=8), st.text())
def test_whatever_the_log_holds_it_comes_back(events: list[e.Event], title: str) -> None:
    kept = [one for one in events if not any(referred(one))]
    log = numbered(e.ThreadCreated("thr_1", "user-1"), *kept)
    thread = next(
        one.thread for one in reversed(log) if isinstance(one, e.ThreadCreated | e.Forked)
    )
    data = [encode_event(one) for one in log]
    about = About(thread, "user-1", title.encode("utf-8", "replace").decode())
    found = read(written(*data, about=about))
    assert [line.data for line in found.lines] == data
    assert [line.event for line in found.lines] == log
    assert found.about == about


def _changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    whole = msgspec.json.decode(written(CREATED, blobs=(BLOB,)))
    change(whole)
    return msgspec.json.encode(whole)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "harness.export"),
        (b"[]", "harness.export"),
        (b'{"events":[]}', "longrein"),
        (b"[" * 100_000, "harness.export"),
        (written(CREATED)[:-9], "harness.export"),
        (_changed(lambda it: it.update(longrein=2)), "version 2"),
        (_changed(lambda it: it.pop("thread")), "thread"),
        (_changed(lambda it: it["thread"].update(id="thr_9")), "thr_9"),
        (_changed(lambda it: it["events"][0].update(seq=2)), "event 2"),
        (_changed(lambda it: it["events"].append({"type": "opened", "seq": 3})), "event 2 "),
        (_changed(lambda it: it["events"].append({"type": "opened", "seq": 2})), "session"),
        (_changed(lambda it: it["events"].append({"no": "type"})), "event 2"),
        (_changed(lambda it: it["events"].append(7)), "event 2"),
        (_changed(lambda it: it["blobs"].update({"00": "AAAA"})), "blob 00"),
        (_changed(lambda it: it["blobs"].update({"00": "no base64"})), "base64"),
        (written(encode_event(e.NoteAdded("x", "app", seq=1))), "none"),
        (
            written(CREATED, encode_event(e.ToolEnded("call_1", "ok", (), "0" * 64, seq=2))),
            "event 2 refers",
        ),
        (
            written(CREATED, b'{"type":"rule_added","seq":2,"rule":{"effect":"deny","path":"x"}}'),
            "event 2 cannot be read",
        ),
    ],
)
def test_a_broken_export_is_refused_with_a_reason(data: bytes, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read(data)


@settings(deadline=None, derandomize=True)
@given(st.integers(0, 600), st.binary(max_size=3))
def test_an_export_with_a_spot_is_read_or_refused(at: int, spot: bytes) -> None:
    data = written(CREATED, encode_event(e.NoteAdded("x", "app", seq=2)), blobs=(BLOB,))
    try:
        read(data[:at] + spot + data[at + 1 :])
    except UsageError:
        pass


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (e.InputAdmitted(Input("cmd_1", "send", "run_1", (Text("a"), Text("b")))), "a\nb"),
        (e.InputAdmitted(Input("cmd_1", "signal", "run_1", (Text("a"),))), ""),
        (e.InputEdited("cmd_1", (Text("c"), File("image/png", url="d"))), "c"),
        (e.StepEnded("step_1", (Text("e"),), "end"), "e"),
        (e.StepInterrupted("step_1", (Text("f"),), "steer"), "f"),
        (e.ToolEnded("call_1", "ok", (Text("g"),)), ""),
        (e.ThreadRenamed("h"), ""),
    ],
)
def test_what_was_said_can_be_searched_for(event: e.Event, text: str) -> None:
    assert text_of(encode_event(event)) == text


@settings(deadline=None, derandomize=True)
@given(st.binary(max_size=40))
def test_what_is_no_event_has_no_text(data: bytes) -> None:
    assert text_of(data) == ""
    assert text_of(b'{"type":"step_ended","parts":' + data) == ""
