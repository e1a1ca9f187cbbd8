"""Marks and their slices: bounded, small in snapshots, the same however they are folded."""

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.codec import decode_state, encode_state
from longrein.core.copies import copies
from longrein.core.markdown import markdown
from longrein.core.messages import Text, ToolCall
from longrein.core.outcomes import Finished, LimitReached, Problem
from longrein.core.records import Input
from longrein.core.restored import MOST_PATHS, REWIND, RestoreReport, Untouched, in_all
from longrein.core.rewinds import MOST_MARKS, points
from longrein.core.slices import Folding, Slice
from longrein.core.state import State
from tests.core.logs import folded, numbered

Words = tuple[str, ...]


def add(words: Words, event: e.Event) -> Words:
    if not isinstance(event, e.Recorded):
        return words
    return (*words, event.data)[-3:]


WORDS: Slice[Words] = Slice("words", Words, (), add, rewinds="conversation")


def talk(*texts: str, words: bool = True) -> list[e.Event]:
    """A log in which these things are said, each in a run of its own that records a fact."""
    log: list[e.Event] = [e.ThreadCreated("thr_1", "ada")]
    for text in texts:
        id, run = f"cmd_{text}", f"run_{text}"
        log += [
            e.InputAdmitted(Input(id, "send", run, (Text(text),))),
            e.RunStarted((id,), run=run),
            *((e.Recorded("word", text, run=run),) if words else ()),
            e.StepStarted("step_1", 1, "test:model", run=run),
            e.StepEnded("step_1", (Text(f"re {text}"),), "end", run=run),
            e.RunEnded(Finished(f"re {text}"), run=run),
        ]
    return [replace(event, seq=seq) for seq, event in enumerate(log, 1)]


def going_back(log: list[e.Event], to: str, *, undo: bool = False) -> list[e.Event]:
    """The log after a rewind, or its undoing."""
    started = (one for one in log if isinstance(one, e.RunStarted) and to in one.inputs)
    before = log[-1].seq if undo else next(started).seq
    return [*log, e.Rewound(to, before, undo=undo, seq=len(log) + 1)]


def reopened(state: State, before: Folding, after: Folding, log: list[e.Event]) -> State:
    """The state of a thread that one process kept as a snapshot and another opened."""
    kept = after.begun(decode_state(encode_state(before.stamped(state))))
    mark = after.behind(kept)
    return kept if mark is None else after.catch_up(kept, log[mark:])


def folded_with(folding: Folding, log: list[e.Event]) -> State:
    state = folding.begun(State())
    for event in log:
        state = folding(state, event)
    return state


def plain(state: State) -> State:
    """A state without what counts only in a snapshot."""
    kept = {name: replace(one, upto=0) for name, one in state.slices.items()}
    return replace(state, slices=kept)


def test_only_the_newest_inputs_are_points() -> None:
    log = talk(*(str(n) for n in range(MOST_MARKS + 5)))
    state = folded(log)
    assert len(state.marks) == MOST_MARKS
    assert [points(state)[0].text, points(state)[-1].text] == [str(MOST_MARKS + 4), "5"]


def test_a_slice_that_is_new_knows_the_same_of_many_inputs() -> None:
    log = talk(*(str(n) for n in range(MOST_MARKS + 50)))
    nothing, folding = Folding(), Folding([WORDS])
    live = folded_with(folding, log)
    assert len(live.slices["words"].past) == MOST_MARKS
    assert plain(reopened(folded_with(nothing, log), nothing, folding, log)) == plain(live)


def test_a_value_that_stays_is_kept_once() -> None:
    folding = Folding([WORDS])
    state = folded_with(folding, talk("a", "b", "c", words=False))
    assert len(state.slices["words"].past) == 1
    sizes = [len(_snapshot(folding, count)) for count in (100, 200, 400)]
    assert (sizes[2] - sizes[1]) < 2.2 * (sizes[1] - sizes[0])


def _snapshot(folding: Folding, count: int) -> bytes:
    return encode_state(folding.stamped(folded_with(folding, talk(*map(str, range(count))))))


def test_what_rewound_inputs_left_behind_goes_with_the_next_input() -> None:
    folding = Folding([WORDS])
    log = going_back(talk("a", "b", "c"), "cmd_b")
    state = folded_with(folding, log)
    assert [then.value for then in state.slices["words"].past] == [
        (),
        ("a",),
        ("a", "b"),
        ("a", "b", "c"),
    ]
    assert state.undo is not None
    more = [replace(one, seq=len(log) + n) for n, one in enumerate(talk("d")[1:], 1)]
    state = folded_with(folding, [*log, *more])
    assert [then.value for then in state.slices["words"].past] == [(), ("a",)]
    assert state.undo is None


def test_a_slice_that_begins_to_rewind_is_folded_again() -> None:
    before = Folding([Slice("words", Words, (), add)])
    folding, log = Folding([WORDS]), talk("a", "b")
    state = reopened(folded_with(before, log), before, folding, log)
    back = going_back(log, "cmd_b")
    assert folding(state, back[-1]).slices["words"].value == ("a",)


def test_a_slice_that_stands_still_does_not_go_back() -> None:
    def stumble(words: Words, event: e.Event) -> Words:
        if isinstance(event, e.Recorded) and event.data == "b":
            raise ValueError("no b, please")
        return add(words, event)

    folding = Folding([Slice("words", Words, (), stumble, rewinds="conversation")])
    state = folded_with(folding, going_back(talk("a", "b"), "cmd_a"))
    assert state.slices["words"].value == ("a",)


def test_a_rewind_that_names_no_mark_changes_nothing() -> None:
    log = talk("a")
    state = folded(log)
    nowhere = e.Rewound("cmd_none", 3, seq=len(log) + 1)
    assert folded([*log, nowhere]) == replace(state, seq=state.seq + 1)


def test_what_ended_the_last_run_goes_with_it_and_comes_back_with_it() -> None:
    log = talk("a", "b")
    limit = Problem("limit_steps", "The run took 1 step, its limit.")
    log[-1] = e.RunEnded(LimitReached("steps", limit.message), run="run_b", seq=len(log))
    assert folded(log).problem == limit
    back = going_back(log, "cmd_b")
    assert folded(back).problem is None
    assert folded(going_back(back, "cmd_b", undo=True)).problem == limit
    only_files = replace(back[-1], conversation=False, files=True)
    assert folded([*log, only_files]).problem == limit


def test_an_old_state_is_not_changed_by_going_back_and_on() -> None:
    log = going_back(talk("a", "b"), "cmd_b")
    before = folded(log[:-1])
    kept = encode_state(before)
    after = [replace(one, seq=len(log) + n) for n, one in enumerate(talk("d")[1:], 1)]
    folded([*log, *after])
    assert encode_state(before) == kept


def test_a_transcript_says_where_it_was_rewound_and_repeats_nothing() -> None:
    log = going_back(talk("a", "b"), "cmd_b")
    log = going_back(log, "cmd_b", undo=True)
    report = RestoreReport(("/project/a_b.txt",))
    log.append(e.Rewound("cmd_a", 3, True, report=report, seq=len(log) + 1))
    text = markdown(log)
    assert "*The conversation was rewound to before “b”.*" in text
    assert "*The rewind was undone: what it left out counts again.*" in text
    assert "*The conversation and files were rewound to before “a”.*" in text
    assert "*1 file put back.*" in text
    assert text.count("> re b") == 1


def test_a_path_goes_from_the_report_with_the_call_that_named_it() -> None:
    asked = ToolCall("call_1", "write", '{"path":"notes/a.md","text":"x"}')
    report = RestoreReport(removed=("/project/notes/a.md",))
    log = numbered(
        e.StepEnded("step_1", (asked,), "tools"),
        e.Rewound("cmd_1", 1, True, False, report=report, cause="cmd_9"),
        e.NoteAdded("Removed: /project/notes/a.md", REWIND, cause="cmd_9"),
        e.Rewound("cmd_1", 1, True, report=RestoreReport(("/project/b.md",)), cause="cmd_8"),
        e.NoteAdded("Something else.", "app", cause="cmd_9"),
    )
    assert copies(log, 1) == {2, 3}
    assert copies(log, 3) == {1, 2}


def test_a_report_lists_so_many_paths_and_counts_the_others() -> None:
    many = tuple(f"/{n}" for n in range(MOST_PATHS))
    more = RestoreReport(("/more",), foreign=(Untouched("/x", "why"),), left_out=2)
    report = in_all([RestoreReport(many), more])
    assert (report.restored, report.left_out) == (many, 3)
    assert str(report) == "200 files put back, 1 changed by others and kept, 3 more"
    assert not in_all([])
