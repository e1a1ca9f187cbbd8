"""Plans for shorter requests: whatever was said, they hold together."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from longrein.context.clearing import LARGE, stub
from longrein.context.compaction import Crowd, Need, newest_step
from longrein.context.estimate import estimate_messages
from longrein.context.history import conversation
from longrein.context.summary import transcript
from longrein.core import events as e
from longrein.core.evolve import evolve
from longrein.core.messages import Assistant, Message, Note, Text, ToolCall, ToolResult, User
from longrein.core.state import Mark, Run, State
from longrein.core.usage import Limits, Usage
from longrein.core.window import Digest
from tests.loop.always import well_formed

WORD = "word "


def step(number: int, calls: int, size: int) -> list[Message]:
    """One step of a model: a message with calls, and their results."""
    ids = [f"call_{number}_{n}" for n in range(calls)]
    asked = [ToolCall(id, "look", '{"path":"' + "p" * (size % 900) + '"}') for id in ids]
    results = [ToolResult(id, "look", (Text(WORD * size),)) for id in ids]
    return [Assistant((Text("So."), *asked)), *results]


def user(number: int, size: int) -> Message:
    return User((Text(f"Do {number}. " + WORD * size),), f"cmd_{number}")


def crowd(state: State, *, must: bool = True, readable: bool = True) -> Crowd:
    before = estimate_messages(conversation(state))
    limit = max(before, 1)
    aim = int(limit * 0.7)
    need = Need("full", before, 0, limit, aim, before - aim, limit // 4, must)
    return Crowd(state, need, readable=readable)


def after(state: State, cut: e.Compacted) -> State:
    return evolve(state, replace(cut, compaction="cmp_1", seq=state.seq + 1))


moves = st.lists(
    st.one_of(
        st.tuples(st.just("step"), st.integers(1, 4), st.integers(0, 400)),
        st.tuples(st.just("user"), st.just(0), st.integers(0, 400)),
        st.tuples(st.just("note"), st.just(0), st.integers(0, 50)),
        st.tuples(st.just("compact"), st.integers(0, 3), st.integers(0, 80)),
    ),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(moves)
def test_requests_stay_well_formed_never_grow_and_keep_the_newest_step(
    done: list[tuple[str, int, int]],
) -> None:
    state = State(run=Run("run_1", Limits(), 0))
    for number, (kind, some, size) in enumerate(done):
        if kind == "compact":
            state = _compacted(state, some, size)
            continue
        said = {
            "step": lambda: step(number, some, size),  # noqa: B023
            "user": lambda: [user(number, size)],  # noqa: B023
            "note": lambda: [Note(WORD * (size + 1), "app")],  # noqa: B023
        }[kind]()
        state = replace(state, messages=state.messages.append(*said))
        well_formed(conversation(state))


def _compacted(state: State, means: int, size: int) -> State:
    plan = crowd(state)
    upto = min(len(state.messages), size)
    cut = (
        plan.clear,
        lambda: plan.digest(Digest("So far all is well.", upto)),
        lambda: plan.summarise("All is well."),
        plan.leave_out,
    )[means]()
    if cut is None:
        return state
    newest = list(state.messages[newest_step(state.messages) :])
    shorter = after(state, cut)
    held = conversation(shorter)
    well_formed(held)
    assert list(held[len(held) - len(newest) :]) == newest, "the newest step stays whole"
    assert estimate_messages(held) <= plan.need.before
    assert list(shorter.messages) == list(state.messages), "the thread itself stays"
    return shorter


def _long(steps: int, size: int = 300) -> State:
    said: list[Message] = [user(0, 5)]
    for number in range(steps):
        said += step(number, 1, size)
    return replace(State(), messages=State().messages.append(*said))


def test_old_results_become_stubs_that_name_a_path() -> None:
    state = _long(20)
    cut = crowd(state).clear()
    assert cut is not None
    held = conversation(after(state, cut))
    assert "/offload/call_0_0.txt" in held[2].text
    assert held[-1] is state.messages[-1]


def test_what_is_small_is_no_stub() -> None:
    small = ToolResult("call_1", "look", (Text("x" * LARGE),))
    assert stub(small) is small


def test_stubs_are_not_worth_it_where_they_free_little() -> None:
    assert crowd(_long(20, size=20)).clear() is None


def test_a_digest_is_taken_only_up_to_a_boundary() -> None:
    state = _long(20)
    cut = crowd(state).digest(Digest("Files were looked at.", 10))
    assert cut is not None
    assert not isinstance(state.messages[cut.start], ToolResult)
    assert cut.start <= 10


def test_as_few_steps_are_left_out_as_will_do() -> None:
    state = _long(20)
    plan = crowd(state)
    cut = plan.leave_out()
    assert cut is not None
    assert cut.after <= plan.need.aim
    assert cut.start < newest_step(state.messages)


def test_nothing_can_be_left_out_of_one_step() -> None:
    state = replace(State(), messages=State().messages.append(*step(1, 8, 400)))
    assert crowd(state).leave_out() is None
    assert crowd(state).summarise("Brief.") is None


def _unanswered(run: str, state: State) -> State:
    """Somebody said something in a run that ended without an answer, and then something else."""
    long, short = user(7, 400), user(8, 1)
    place = len(state.messages)
    marks = (
        Mark("cmd_7", 1, "run_7", 0, "send", place, "", 0, Usage()),
        Mark("cmd_8", 2, "run_8", 0, "send", place + 1, "", 0, Usage()),
    )
    going = Run(run, Limits(), 0) if run else None
    return replace(state, messages=state.messages.append(long, short), marks=marks, run=going)


def test_what_was_never_answered_in_an_ended_run_can_be_left_out() -> None:
    cut = crowd(_unanswered("run_8", _long(1, 5))).leave_out()
    assert cut is not None
    assert cut.start == 4
    cut = crowd(_unanswered("run_7", _long(1, 5))).leave_out()
    assert cut is not None
    assert cut.start == 3


def test_of_an_idle_thread_all_that_was_never_answered_can_be_summarised() -> None:
    state = _unanswered("", _long(1, 5))
    cut = crowd(replace(state, messages=state.messages.first(4))).summarise("So.")
    assert cut is not None
    assert cut.start == 4


def test_the_oldest_steps_stay_where_too_little_would_come_free() -> None:
    said = [user(0, 5), *step(1, 1, 20), *step(2, 1, 400)]
    state = replace(State(), messages=State().messages.append(*said))
    assert crowd(state, must=False).leave_out() is None
    assert crowd(state, must=True).leave_out() is not None


def test_nothing_becomes_a_stub_that_the_model_cannot_read() -> None:
    state = _long(20)
    plan = crowd(state, readable=False)
    assert plan.clear() is None
    cut = plan.leave_out()
    assert cut is not None
    assert "/offload" not in "".join(m.text for m in conversation(after(state, cut)))


def test_what_is_asked_takes_no_more_of_a_small_window_than_is_there() -> None:
    said = [user(0, 4_000), *step(1, 1, 5), user(1, 4_000), *step(2, 1, 5)]
    state = replace(State(), messages=State().messages.append(*said))
    need = Need("full", 12_000, 0, 3_000, 2_000, 500, 700, must=True)
    cut = Crowd(state, need).leave_out()
    assert cut is not None
    assert cut.after <= need.limit


def test_a_summary_that_is_as_long_as_what_it_stands_for_is_none() -> None:
    assert crowd(_long(20)).summarise(WORD * 6_000) is None


def test_the_newest_step_begins_with_what_the_user_said_last() -> None:
    said: Sequence[Message] = [user(0, 1), *step(1, 2, 1), user(1, 1), Note("n"), user(2, 1)]
    assert newest_step(said) == 4
    assert newest_step(said[:4]) == 1
    assert newest_step([*said[:4], Note("n")]) == 1
    assert newest_step([]) == 0


def test_a_transcript_is_bounded_and_keeps_both_ends() -> None:
    text = transcript(list(_long(50).messages), 4_000)
    assert estimate_messages([Note(text)]) < 5_000
    assert "User: Do 0." in text
    assert "Result of look (ok)" in text
