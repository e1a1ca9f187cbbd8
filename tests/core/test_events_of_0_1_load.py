"""What version 0.1 wrote is read for ever. Lines may be added to the data, never changed."""

from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from longrein.core import events as e
from longrein.core.codec import decode_event, encode_event
from longrein.core.evolve import evolve
from longrein.core.state import State
from tests.core.samples import EVENTS

LINES = (Path(__file__).parent / "data" / "events-0.1.jsonl").read_bytes().splitlines()


@pytest.mark.parametrize("line", LINES, ids=lambda line: msgspec.json.decode(line)["type"])
def test_events_of_0_1_load(line: bytes) -> None:
    event = decode_event(line)
    assert not isinstance(event, e.Unknown)
    _all_of(msgspec.json.decode(line), msgspec.json.decode(encode_event(event)))


def _all_of(old: Any, new: Any) -> None:
    """Whatever the old JSON says, the new one says too."""
    if isinstance(old, dict):
        for key, value in cast("dict[str, Any]", old).items():
            _all_of(value, new[key])
    elif isinstance(old, list):
        items = cast("list[Any]", old)
        assert len(items) == len(new)
        for value, other in zip(items, new, strict=True):
            _all_of(value, other)
    else:
        assert old == new


def test_every_kind_of_event_of_0_1_is_in_the_data() -> None:
    kinds = {type(decode_event(line)) for line in LINES}
    assert kinds | {e.Unknown} >= {type(event) for event in EVENTS}


@pytest.mark.parametrize("line", LINES, ids=lambda line: msgspec.json.decode(line)["type"])
def test_events_of_0_1_fold_even_where_they_make_no_sense(line: bytes) -> None:
    event = msgspec.structs.replace(decode_event(line), seq=1)
    assert evolve(State(), event).seq == 1
