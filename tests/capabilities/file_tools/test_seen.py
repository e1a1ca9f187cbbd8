"""What the model knows of files: bounded, and forgotten with the conversation."""

from longrein.capabilities.file_tools.seen import KIND, MOST, Knowledge, Known, fold
from longrein.core.events import Event, Recorded, Rewound


def folded(*events: Event) -> Knowledge:
    seen: Knowledge = {}
    for event in events:
        seen = fold(seen, event)
    return seen


def saw(path: str, revision: str, seq: int) -> Recorded:
    return Recorded(KIND, {"type": "saw", "path": path, "revision": revision}, seq=seq)


def test_the_last_revision_counts() -> None:
    assert folded(saw("/a", "1", 1), saw("/a", "2", 2)) == {"/a": Known("2", 2)}


def test_only_the_newest_paths_are_kept() -> None:
    seen = folded(*(saw(f"/{n}", "1", n) for n in range(1, MOST + 2)), saw("/2", "2", 9_999))
    assert len(seen) == MOST
    assert "/1" not in seen
    assert list(seen)[-1] == "/2"


def test_what_is_gone_is_forgotten_with_all_in_it() -> None:
    lost = Recorded(KIND, {"type": "lost", "path": "/a"})
    assert list(folded(saw("/a/b", "1", 1), saw("/ab", "1", 2), lost)) == ["/ab"]


def test_what_moves_is_known_where_it_went() -> None:
    moved = Recorded(KIND, {"type": "moved", "source": "/a", "target": "/c"})
    seen = folded(saw("/a/b", "1", 1), saw("/c", "1", 2), moved)
    assert seen == {"/c/b": Known("1", 1)}


def test_a_rewind_of_the_conversation_forgets_what_was_seen_since() -> None:
    seen = folded(saw("/a", "1", 3), saw("/b", "1", 8), Rewound("inp", 5, seq=9))
    assert list(seen) == ["/a"]


def test_a_rewind_of_files_alone_and_other_events_change_nothing() -> None:
    seen = folded(saw("/a", "1", 3))
    assert fold(seen, Rewound("inp", 2, files=True, conversation=False, seq=9)) is seen
    assert fold(seen, Recorded("other", {"type": "lost", "path": "/a"})) is seen
    assert fold(seen, Recorded(KIND, {"type": "nonsense"})) is seen
