"""Windows in the fold: rewinds, forks, snapshots, erasing, and what is paid."""

from msgspec.structs import replace

from longrein.context.history import conversation
from longrein.core import events as e
from longrein.core.codec import decode_state, encode_state
from longrein.core.copies import copies
from longrein.core.erase import ERASED, erased
from longrein.core.fold_windows import pinned_late, window_of
from longrein.core.lead import LEFT_OUT, SUMMARISED, lead_of
from longrein.core.messages import Message, Note, Text, User
from longrein.core.offload import HISTORY, OFFLOAD
from longrein.core.outcomes import Finished, Problem
from longrein.core.records import Input
from longrein.core.state import State
from longrein.core.usage import Usage
from longrein.core.window import MOST_ASKED, MOST_WINDOWS
from tests.core.logs import folded, numbered

USED = Usage(1000, 100)


def said(number: int, text: str = "") -> list[e.Event]:
    """A run of one input and one answer."""
    input = Input(f"cmd_{number}", "send", f"run_{number}", (Text(text or f"Do {number}."),))
    return [
        e.InputAdmitted(input),
        e.RunStarted((input.id,), run=input.run),
        e.StepStarted(f"step_{number}", 1, "test:model"),
        e.StepEnded(f"step_{number}", (Text(f"Done {number}."),), "end", USED),
        e.RunEnded(Finished(f"Done {number}."), run=input.run),
    ]


def compacted(start: int, summary: str = "All is well.") -> e.Compacted:
    return e.Compacted("cmp_1", "full", "summary", start, start, summary, "", 900, 100)


def log(*parts: e.Event | list[e.Event]) -> list[e.Event]:
    events: list[e.Event] = [e.ThreadCreated("thr_1", "user", "build"), e.Opened("one")]
    for part in parts:
        events += part if isinstance(part, list) else [part]
    return numbered(*events)


def lead(state: State, made: e.Compacted | None = None) -> tuple[Message, ...]:
    window = window_of(state, made) if made else state.windows[-1]
    return lead_of(state.messages, window)


def shown(state: State) -> list[str]:
    return [message.text for message in conversation(state)]


def rewound(events: list[e.Event], to: str, *, undo: bool = False) -> list[e.Event]:
    state = folded(events)
    mark = next((one for one in state.marks if one.input == to), None)
    before = mark.seq if mark else (state.undo.seq if state.undo else 0)
    return numbered(*events, e.Rewound(to, before, False, True, undo))


def test_a_request_holds_the_lead_and_what_comes_after() -> None:
    state = folded(log(said(1), said(2), said(3), compacted(4)))
    assert [text[:12] for text in shown(state)] == [
        "Do 1.", "Do 2.", "The conversa", "Do 3.", "Done 3.",
    ]  # fmt: skip
    assert len(state.messages) == 6


def test_a_rewind_brings_back_the_window_of_then() -> None:
    events = log(said(1), said(2), compacted(2), said(3), compacted(4), said(4))
    state = folded(rewound(events, "cmd_3"))
    assert state.window is not None
    assert state.window.start == 2
    assert shown(state)[-2:] == ["Do 2.", "Done 2."]


def test_a_rewind_to_before_every_window_brings_back_all_there_was() -> None:
    state = folded(rewound(log(said(1), said(2), compacted(2), said(3)), "cmd_2"))
    assert state.window is None
    assert shown(state) == ["Do 1.", "Done 1."]


def test_an_undone_rewind_brings_back_the_window() -> None:
    events = log(said(1), said(2), compacted(2), said(3))
    back = rewound(rewound(events, "cmd_2"), "cmd_2", undo=True)
    assert folded(back).windows == folded(events).windows


def test_a_rewind_beyond_what_is_kept_counts_anew() -> None:
    parts: list[e.Event | list[e.Event]] = [said(1), said(2), compacted(2), said(3)]
    for number in range(4, 4 + MOST_WINDOWS):
        parts += [compacted(4), said(number)]
    events = log(*parts)
    state = folded(rewound(events, "cmd_3"))
    assert state.window is None
    assert (state.last, state.heard) == (Usage(), 0)
    assert len(folded(events).windows) == MOST_WINDOWS


def test_only_windows_that_a_rewind_can_lead_to_are_kept() -> None:
    events = log(said(1), said(2), compacted(2), compacted(3), said(3), compacted(4), compacted(4))
    assert [window.start for window in folded(events).windows] == [3, 4]


def test_a_snapshot_does_not_grow_with_what_is_pinned() -> None:
    parts: list[e.Event | list[e.Event]] = [said(1, "x" * 50_000), e.InputPinned("cmd_1")]
    for number in range(2, 12):
        parts += [said(number), compacted(2 * number)]
    state = folded(log(*parts))
    assert len(lead(state)[0].text) == 50_000
    assert len(state.windows) == 10
    assert len(encode_state(state)) < 2 * 50_000


def test_a_fork_keeps_the_window() -> None:
    events = log(said(1), said(2), compacted(2))
    forked = folded(numbered(*events, e.Forked("thr_2", "thr_1", len(events))))
    assert forked.window == folded(events).window


def test_a_snapshot_holds_windows() -> None:
    state = folded(log(said(1), said(2), compacted(2), e.InputPinned("cmd_1"), said(3)))
    assert decode_state(encode_state(state)) == state


def test_a_window_never_begins_earlier_than_the_one_before() -> None:
    state = folded(log(said(1), said(2), said(3), compacted(4), compacted(2)))
    assert state.window is not None
    assert state.window.start == 4


def test_what_was_asked_is_bounded_in_the_lead_unless_it_is_pinned() -> None:
    events = log(said(1, "x" * 20_000), said(2), said(3))
    first = lead(folded(events), compacted(4))[0]
    assert isinstance(first, User)
    assert len(first.text) < MOST_ASKED + 200
    assert "/offload/cmd_1.txt" in first.text
    pinned = folded(numbered(*events, e.InputPinned("cmd_1")))
    assert lead(pinned, compacted(4))[0] is pinned.messages[0]


def test_what_is_pinned_late_is_missed_only_where_it_is_a_message() -> None:
    unanswered = said(1)[:2]
    on, more = Input("cmd_on", "proceed", "run_2"), Input("cmd_2", "send", "run_2", (Text("Do."),))
    both: list[e.Event] = [e.InputAdmitted(on), e.InputAdmitted(more)]
    both += [e.RunStarted(("cmd_on", "cmd_2"))]
    events = log(unanswered, e.RunEnded(Finished("")), both, said(3)[2:4], said(4), compacted(3))
    assert not pinned_late(folded(numbered(*events, e.InputPinned("cmd_on"))))
    late = numbered(*events, e.InputPinned("cmd_1"))
    assert pinned_late(folded(late))
    again = e.Compacted("cmp_2", "asked", "pinned", 3, 3)
    assert not pinned_late(folded(numbered(*late, again)))


def test_a_lead_names_no_path_where_the_model_cannot_read() -> None:
    state = folded(log(said(1, "x" * 20_000), said(2), said(3)))
    for summary in ("So.", ""):
        made = replace(compacted(4, summary), readable=False)
        text = "\n".join(message.text for message in lead(state, made))
        assert (SUMMARISED if summary else LEFT_OUT) in text
        assert HISTORY not in text
        assert OFFLOAD not in text


def test_what_capabilities_keep_is_said_where_only_stubs_are_made() -> None:
    cleared = e.Compacted("cmp_1", "full", "cleared", 0, 2, "", "Your todo list: bread.")
    state = folded(log(said(1), said(2), cleared))
    assert shown(state) == ["Your todo list: bread.", "Do 1.", "Done 1.", "Do 2.", "Done 2."]
    again = folded(log(said(1), said(2), compacted(2), replace(cleared, kept="Todo: milk.")))
    assert shown(again)[0] == "Do 1."
    assert shown(again)[2:4] == ["Todo: milk.", "Do 2."]


def test_a_summary_goes_with_what_it_may_repeat() -> None:
    events = log(said(1), said(2), compacted(2, "The key is 1234."), said(3))
    admitted, summary = events[2], next(one for one in events if isinstance(one, e.Compacted))
    assert summary.seq in copies(events, admitted.seq)
    later = events[-5]
    assert summary.seq not in copies(events, later.seq)
    gone = [erased(one) if one is summary else one for one in events]
    begins = lead(folded(gone))
    assert not any("1234" in message.text for message in begins)
    assert any(ERASED in message.text for message in begins if isinstance(message, Note))


def test_a_summary_goes_with_the_system_text_that_it_may_repeat() -> None:
    prefix = e.PrefixStarted("pre_1", "first", "test:model", "The key is 1234.", (), "d")
    events = log(prefix, said(1), said(2), compacted(2, "The key is 1234."))
    assert copies(events, 3) == {events[-1].seq}


def test_a_summary_lost_in_a_crash_counts_as_it_was_reserved() -> None:
    started = e.CompactionStarted("cmp_9", "asked", "test:model", 2, 900, "x", 500, 100)
    state = folded(log(said(1), said(2), started, e.Opened("two")))
    assert state.compaction is None
    assert state.wish is not None
    assert state.spent.cost == 500


def test_a_summary_that_failed_is_paid_for() -> None:
    started = e.CompactionStarted("cmp_9", "full", "test:model", 2)
    failed = e.CompactionFailed("cmp_9", Problem("compaction", "No."), "m", USED, 70)
    state = folded(log(said(1), said(2), started, failed))
    assert state.spent.cost == 70
    assert state.spent.steps == 2
    assert state.warnings


def test_a_summary_that_was_refused_costs_nothing_of_what_was_reserved() -> None:
    started = e.CompactionStarted("cmp_9", "full", "test:model", 2, reserved=500)
    failed = e.CompactionFailed("cmp_9", Problem("compaction", "No."), "m", cost=0)
    spent = folded(log(said(1), said(2), started, failed)).spent
    assert spent == folded(log(said(1), said(2))).spent


def test_an_interrupt_takes_back_the_wish_for_a_summary() -> None:
    state = folded(log(said(1), said(2), e.CompactionAsked("x"), e.Interrupted()))
    assert state.wish is None
