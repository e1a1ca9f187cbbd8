"""Where content was carried: what is erased stands nowhere any more, and the rest is as it was."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.context.history import conversation
from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.codec import encode_event, encode_state
from longrein.core.copies import copies
from longrein.core.erase import erased
from longrein.core.messages import Text, ToolCall
from longrein.core.outcomes import Aborted, Failed, Finished, Problem
from longrein.core.policy import Grant, Touches
from longrein.core.records import Approval, CallFacts, Input, Question
from tests.core.logs import folded, numbered
from tests.loop.always import well_formed
from tests.loop.moves import pick
from tests.loop.simulate import Wish, World


def asking(arguments: str, text: str = "", problem: str = "") -> e.StepEnded:
    """A reply with one call."""
    facts = CallFacts("call_1", problem)
    return e.StepEnded(
        "step_1", (Text(text), ToolCall("call_1", "look", arguments)), "tools", calls=(facts,)
    )


def test_the_arguments_of_a_call_go_wherever_they_stand() -> None:
    given = '{"path":"/home"}'
    log = numbered(
        asking(given, "I look."),
        e.ApprovalRequested(Approval("apr_1", "call_1", "look", "read", given, "rule", "why")),
        e.GrantAdded(Grant("grant_1", "rule", "look", paths=("/home",)), cause="cmd_2"),
        e.ApprovalAnswered("apr_1", "approved", arguments='{"path":"/root"}', cause="cmd_2"),
        e.ToolStarted("call_1", "look", '{"path":"/root"}'),
        e.CallReexamined("call_1", CallFacts("call_1", touches=Touches(("/home",)))),
        e.QuestionAsked(Question("qst_1", "call_1", "Really look into /home?")),
        e.QuestionAnswered("qst_1", "yes"),
        e.Recorded("looked", {"where": "/home"}, "call_1"),
        e.ToolEnded("call_1", "ok", (Text("a.txt"),)),
        e.ToolStarted("call_2", "look", given),
    )
    assert copies(log, 1) == {2, 3, 4, 5, 6, 7, 9}
    assert copies(log, 5) == {1, 2, 3, 4, 6, 7, 9}


def test_a_result_goes_without_the_words_of_the_model() -> None:
    log = numbered(
        asking('{"path":"a"}', "I look at a."),
        e.ToolStarted("call_1", "look", '{"path":"a"}'),
        e.ToolEnded("call_1", "ok", (Text("a"),)),
        e.Recorded("seen", {"text": "a"}, "call_1"),
        e.StepEnded("step_2", (Text("It says a."),), "end"),
    )
    assert copies(log, 3) == {4}


def test_an_answer_goes_with_the_result_that_passes_it_on_but_without_its_question() -> None:
    log = numbered(
        asking('{"question":"Who?"}'),
        e.QuestionAsked(Question("qst_1", "call_1", "Who?")),
        e.QuestionAnswered("qst_1", 'Ada "the first"'),
        e.ToolEnded("call_1", "ok", (Text('{"answer":"Ada \\"the first\\""}'),)),
        e.Recorded("told", {"by": 'Ada "the first"'}, "call_1"),
    )
    assert copies(log, 3) == {4, 5}
    assert copies(log, 4) == {3, 5}
    assert copies(log, 2) == {1}


def test_a_question_of_the_tools_own_goes_alone() -> None:
    log = numbered(
        asking('{"target":"prod"}'), e.QuestionAsked(Question("qst_1", "call_1", "Are you sure?"))
    )
    assert copies(log, 2) == set()


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (e.ApprovalAnswered("apr_1", "replaced", result="Not today."), "Not today."),
        (
            e.ApprovalAnswered("apr_1", "declined", reason="Not today."),
            "The user declined this call. The reason given: Not today.",
        ),
    ],
)
def test_what_a_person_said_of_a_call_goes_with_its_result(
    answer: e.ApprovalAnswered, result: str
) -> None:
    log = numbered(
        asking("{}"),
        e.ApprovalRequested(Approval("apr_1", "call_1", "look", "read", "{}", "rule", "why")),
        answer,
        e.ToolEnded("call_1", "declined", (Text(result),)),
    )
    assert copies(log, 3) == {4}
    assert copies(log, 4) == {3}


def test_what_a_hook_said_of_a_call_goes_with_its_result() -> None:
    log = numbered(
        asking("{}"),
        e.HookEnded("hook_1", "before_tool", "call_1", "refused", "guard", "On a Friday?"),
        e.ToolEnded("call_1", "refused", (Text("On a Friday?"),)),
    )
    assert copies(log, 2) == {3}


def test_what_a_hook_told_the_model_goes_with_the_note() -> None:
    log = numbered(
        e.HookEnded("hook_1", "before_finish", "", "go_on", "guard", "Tests fail."),
        e.NoteAdded("Tests fail.", "guard"),
        e.NoteAdded("Something else.", "guard"),
    )
    assert copies(log, 1) == {2}


def test_a_problem_with_the_arguments_goes_with_them() -> None:
    log = numbered(
        asking("{", problem="The arguments are not JSON: {"),
        e.ToolEnded("call_1", "error", (Text("The arguments are not JSON: {"),)),
    )
    assert copies(log, 1) == {2}


def test_the_answer_of_a_run_goes_with_its_end() -> None:
    log = numbered(
        e.StepEnded("step_1", (Text("Wait."),), "end"),
        e.StepEnded("step_2", (Text("Done."),), "end"),
        e.RunEnded(Finished("Done.")),
        e.RunEnded(Finished("Done."), run="run_2"),
    )
    assert copies(log, 2) == {3}
    assert copies(log, 3) == {2}


def test_why_an_answer_does_not_fit_goes_with_it() -> None:
    log = numbered(
        e.StepEnded("step_1", (Text("five"),), "end", misfit="'five' is not a number"),
        e.NoteAdded("Your answer does not fit: 'five' is not a number", "output"),
        e.RunEnded(Failed(Problem("output", "No answer fits: 'five' is not a number"))),
    )
    assert copies(log, 1) == {2, 3}


def test_the_reason_of_a_stop_goes_with_the_end_of_the_run() -> None:
    log = numbered(
        e.QuestionAsked(Question("qst_1", "call_1", "Sure?")),
        e.QuestionAnswered("qst_1", None, reason="enough", cause="cmd_1"),
        e.Interrupted("enough", cause="cmd_1"),
        e.RunEnded(Aborted("enough")),
    )
    assert copies(log, 2) == {3, 4}


def test_a_failure_goes_with_the_end_of_the_run() -> None:
    log = numbered(
        e.StepFailed("step_1", Problem("auth", "sk-12 is wrong.")),
        e.RunEnded(Failed(Problem("auth", "sk-12 is wrong."))),
    )
    assert copies(log, 1) == {2}


def test_an_input_goes_with_what_it_was_before_it_was_edited() -> None:
    log = numbered(
        e.InputAdmitted(Input("cmd_1", "send", "run_1", (Text("first"),))),
        e.InputAdmitted(Input("cmd_2", "send", "run_1", (Text("other"),))),
        e.InputEdited("cmd_1", (Text("second"),)),
    )
    assert copies(log, 3) == {1}
    assert copies(log, 1) == {3}


def test_a_title_made_of_the_conversation_goes_with_it_and_one_that_was_given_stays() -> None:
    log = numbered(
        e.InputAdmitted(Input("cmd_1", "send", "run_1", (Text("My salary"),))),
        e.ThreadRenamed("Talk"),
        e.ThreadRenamed("A salary", "model"),
        e.InputAdmitted(Input("cmd_2", "send", "run_1", (Text("More"),))),
    )
    assert copies(log, 1) == {3}
    assert copies(log, 3) == set()
    assert copies(log, 4) == set()


def test_a_system_text_goes_wherever_it_was_used() -> None:
    log = numbered(
        e.PrefixStarted("pre_1", "first", "test:model", "Be brief.", (), "0"),
        e.PrefixStarted("pre_2", "model", "test:other", "Be brief.", (), "0"),
        e.PrefixStarted("pre_3", "system", "test:other", "Be long.", (), "0"),
    )
    assert copies(log, 2) == {1}


class Course:
    """A course of a thread in which everything that is said has a word of its own.

    Each move says whether there was anything to do.
    """

    def __init__(self) -> None:
        self.world = World()
        self._words = 0

    def word(self) -> str:
        self._words += 1
        return f"word{self._words:04d}x"

    def say(self, n: int) -> bool:
        kind = pick(("send", "queue", "steer", "signal"), n)
        return self._tell(self.world.saying(kind, self.word()))

    def edit(self, n: int) -> bool:
        waiting = self.world.state.queue
        changed = (Text(self.word()),)
        return bool(waiting) and self._tell(
            c.EditInput(pick(waiting, n).id, changed, id=self._id())
        )

    def change(self, n: int) -> bool:
        id = self._id()
        changes: tuple[c.Command, ...] = (
            c.Rename(self.word(), id=id),
            c.Tag((self.word(),), id=id),
            c.Configure({"key": self.word()}, id=id),
            c.UpdateState({"key": self.word()}, id=id),
            c.Record("kind", {"key": self.word()}, id=id),
            c.Interrupt(self.word(), id=id),
            c.Release(id=id),
        )
        return self._tell(pick(changes, n))

    def speak(self, n: int) -> bool:
        step = self.world.state.step
        if step is None or step.id not in self.world.flying:
            return False
        if step.id in self.world.cancelled:
            self.world.stop_flying(step.id, pick(("", self.word()), n))
        elif n == 0:
            self.world.fail(pick(("retry", "next", "fail"), self._words))
        else:
            self.world.reply(pick((self.word(), ""), n), *self._wishes()[n % 8 :])
        return True

    def _wishes(self) -> list[Wish]:
        return [
            ("look", f'{{"path":"{self.word()}"}}'),
            ("nothing", f'{{"path":"{self.word()}"}}'),
            ("write", f"not JSON {self.word()}"),
            ("peek", f'{{"path":{{"not":"{self.word()}"}}}}'),
            ("fetch", f'{{"url":"{self.word()}"}}'),
            ("confirm", "{}"),
            ("write", f'{{"path":"{self.word()}"}}'),
        ]

    def work(self, n: int) -> bool:
        step = self.world.state.step
        running = [id for id in self.world.flying if step is None or id != step.id]
        if not running:
            return False
        if n % 3:
            self.world.end(pick(running, n), pick(("ok", "error", "timeout"), n), self.word())
        else:
            self.world.ask(pick(running, n), pick(((), ("yes", "no")), n))
        return True

    def answer(self, n: int) -> bool:
        id = self._id()
        if questions := self.world.state.questions:
            asked = pick(questions, n)
            said = "yes" if asked.choices else self.word()
            decline = c.Decline(asked.id, self.word(), bool(n % 2), id=id)
            return self._tell(pick((c.AnswerQuestion(asked.id, said, id=id), decline), n // 2))
        if not self.world.state.approvals:
            return False
        about = pick(self.world.state.approvals, n)
        key = "url" if about.tool == "fetch" else "path"
        answers: tuple[c.Command, ...] = (
            c.Approve(about.id, id=id),
            c.Approve(about.id, remember="call", id=id),
            c.Approve(about.id, f'{{"{key}":"{self.word()}"}}', id=id),
            c.Decline(about.id, self.word(), id=id),
            c.Decline(about.id, self.word(), True, id=id),
            c.Replace(about.id, self.word(), id=id),
        )
        return self._tell(pick(answers, n))

    def fate(self, n: int) -> bool:
        if self.world.resting.wait.timer:
            self.world.due()
        elif n == 1 and self.world.state.seq > 20:
            self.world.fork()
        else:
            self.world.crash()
        return True

    def _tell(self, command: c.Command) -> bool:
        before = self.world.state.seq
        self.world.tell_at_once(command)
        return self.world.state.seq > before

    def _id(self) -> str:
        return self.world.ids.new("cmd")


MOVES: tuple[Callable[[Course, int], bool], ...] = (
    Course.answer, Course.speak, Course.work, Course.say, Course.edit, Course.change, Course.fate,
)  # fmt: skip
moves = st.lists(
    st.tuples(st.sampled_from([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5, 6]), st.integers(0, 11)),
    min_size=30,
    max_size=60,
)


def played(made: list[tuple[int, int]]) -> list[e.Event]:
    """The log of a course; a move for which there is nothing to do is left to the next kind."""
    course = Course()
    for first, n in made:
        next(move for move in (*MOVES[first:], Course.say) if move(course, n))
    return course.world.log


def _words(data: bytes) -> set[bytes]:
    return set(re.findall(rb"word\d{4}x", data))


@settings(max_examples=20, deadline=None, derandomize=True)
@given(moves)
def test_whatever_happened_what_is_erased_stands_nowhere_any_more(
    made: list[tuple[int, int]],
) -> None:
    log = played(made)
    data = [encode_event(event) for event in log]
    for event in log:
        if not (gone := _words(encode_event(event))):
            continue
        numbers = {event.seq, *copies(log, event.seq)}
        after = [erased(one) if one.seq in numbers else one for one in log]
        state = folded(after)
        assert not gone & _words(b"".join(map(encode_event, after)) + encode_state(state))
        assert [encode_event(one) for one in after if one.seq not in numbers] == [
            one for seq, one in enumerate(data, 1) if seq not in numbers
        ]
        well_formed(conversation(state))
