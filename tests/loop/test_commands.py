"""Every command is answered: applied, already, stale, missing, or refused without a change."""

import pytest

from longrein.core import commands as c
from longrein.core.errors import UsageError
from longrein.core.messages import File, Text
from longrein.core.policy import Rule
from tests.loop.simulate import World

WRITE = ("write", '{"path":"/a"}')


def test_the_same_command_again_changes_nothing_and_names_the_same_run() -> None:
    world = World()
    say = world.saying("send")
    first = world.tell(say)
    before = world.state
    assert world.tell(say) == c.Answer("already", first.run)
    assert world.state is before


def test_a_command_repeated_in_one_write_is_carried_out_once() -> None:
    world = World()
    say = world.saying("queue")
    first, second = world.tell_at_once(say, say)
    assert isinstance(first, c.Answer)
    assert second == c.Answer("already", first.run)


@pytest.mark.parametrize("kind", ["send", "queue", "steer", "signal"])
def test_saying_nothing_is_refused(kind: str) -> None:
    world = World()
    match kind:
        case "send" | "queue" | "steer" | "signal":
            _refused(world, c.Say(kind, "run_1", (Text(""),), id="say"), "nothing to say")
        case _:
            raise ValueError(kind)


def test_a_file_without_a_text_is_something_to_say() -> None:
    world = World()
    command = c.Say("send", "run_1", (Text(""), File("image/png", "b1")), id="say")
    assert world.tell(command) == c.Answer("applied", "run_1")


def test_there_is_nothing_to_proceed_with_in_an_empty_thread() -> None:
    _refused(World(), c.Say("proceed", "run_1", id="go"), "empty")


def test_releasing_what_is_not_held_changes_nothing() -> None:
    world = World()
    before = world.state
    assert world.tell(c.Release(id="release")).status == "applied"
    assert world.state is before


@pytest.mark.parametrize(
    "command",
    [
        c.EditInput("cmd_none", (Text("x"),), id="1"),
        c.WithdrawInput("cmd_none", id="1"),
        c.ReorderQueue(("cmd_none",), id="1"),
        c.Approve("apr_none", id="1"),
        c.Decline("apr_none", id="1"),
        c.Replace("apr_none", "x", id="1"),
        c.AnswerQuestion("qst_none", "x", id="1"),
        c.RemoveRule("rule_none", id="1"),
        c.RevokeGrant("grant_none", id="1"),
    ],
    ids=lambda command: type(command).__name__,
)
def test_what_is_not_there_is_missing_and_nothing_changes(command: c.Command) -> None:
    world = World()
    before = world.state
    answer = world.tell(command)
    assert answer.status == "missing"
    assert "none" in answer.message
    assert world.state is before


@pytest.mark.parametrize("kind", [c.EditInput, c.WithdrawInput, c.ReorderQueue])
def test_an_input_that_is_before_the_model_already_is_stale(
    kind: type[c.EditInput | c.WithdrawInput | c.ReorderQueue],
) -> None:
    world = World()
    say = world.saying("send")
    world.tell(say)
    if kind is c.EditInput:
        command: c.Command = c.EditInput(say.id, (Text("x"),), id="1")
    elif kind is c.WithdrawInput:
        command = c.WithdrawInput(say.id, id="1")
    else:
        command = c.ReorderQueue((say.id,), id="1")
    assert world.tell(command).status == "stale"


def test_editing_an_input_to_nothing_is_refused() -> None:
    world = World()
    world.send()
    later = world.saying("queue")
    world.tell(later)
    _refused(world, c.EditInput(later.id, (Text(""),), id="1"), "withdraw")


def test_an_approval_answered_twice_is_stale_the_second_time() -> None:
    world = _asked()
    approval = world.state.approvals[0]
    assert world.approve(approval.id).status == "applied"
    before = world.state
    for command in (
        c.Approve(approval.id, id="again"),
        c.Decline(approval.id, id="no"),
        c.Replace(approval.id, "x", id="instead"),
    ):
        assert world.tell(command) == c.Answer("stale", approval.run, "It was settled already.")
    assert world.state is before


def test_an_approval_answered_twice_at_once_counts_the_first_time() -> None:
    world = _asked()
    approval = world.state.approvals[0].id
    yes, no = world.tell_at_once(c.Approve(approval, id="yes"), c.Decline(approval, id="no"))
    assert [a.status for a in (yes, no) if isinstance(a, c.Answer)] == ["applied", "stale"]
    assert world.phases() == ["started"]


def test_arguments_that_do_not_fit_are_refused() -> None:
    world = _asked()
    approval = world.state.approvals[0].id
    _refused(world, c.Approve(approval, "not JSON", id="1"), "write")
    _refused(world, c.Approve(approval, '{"wrong":1}', id="1"), "write")


def test_a_refused_command_can_be_given_again_with_its_id() -> None:
    world = _asked()
    approval = world.state.approvals[0].id
    _refused(world, c.Approve(approval, "not JSON", id="1"), "write")
    assert world.tell(c.Approve(approval, '{"path":"/b"}', id="1")).status == "applied"


@pytest.mark.parametrize(
    ("choices", "several", "given", "kept"),
    [
        ((), False, "anything", "anything"),
        (("a", "b"), False, "a", "a"),
        (("a", "b"), False, ("b",), "b"),
        (("a", "b"), True, ("a", "b"), ("a", "b")),
        (("a", "b"), True, "a", ("a",)),
        (("a", "b"), True, (), ()),
    ],
)
def test_an_answer_that_fits_is_kept(
    choices: tuple[str, ...],
    several: bool,
    given: str | tuple[str, ...],
    kept: str | tuple[str, ...],
) -> None:
    world = _questioned(choices, several=several)
    world.tell(c.AnswerQuestion(world.state.questions[0].id, given, id="1"))
    assert world.call("confirm").answers[0].value == kept


@pytest.mark.parametrize(
    ("choices", "several", "given"),
    [
        ((), False, ("a", "b")),
        (("a", "b"), False, "c"),
        (("a", "b"), False, ("a", "b")),
        (("a", "b"), False, ()),
        (("a", "b"), True, ("a", "c")),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(
    choices: tuple[str, ...], several: bool, given: str | tuple[str, ...]
) -> None:
    world = _questioned(choices, several=several)
    _refused(
        world,
        c.AnswerQuestion(world.state.questions[0].id, given, id="1"),
        "is needed|is not one of",
    )


def test_a_question_answered_twice_is_stale_the_second_time() -> None:
    world = _questioned(())
    question = world.state.questions[0].id
    world.tell(c.AnswerQuestion(question, "yes", id="1"))
    assert world.tell(c.AnswerQuestion(question, "no", id="2")).status == "stale"
    assert world.tell(c.Decline(question, id="3")).status == "stale"


def test_a_mode_that_there_is_not_is_refused() -> None:
    _refused(World(), c.SwitchMode("turbo", id="1"), "build, plan, bare")


@pytest.mark.parametrize(
    "command",
    [c.SwitchMode("build", id="1"), c.SwitchModel("", id="1"), c.SetTrust("ask", id="1")],
    ids=lambda command: type(command).__name__,
)
def test_switching_to_what_is_in_use_writes_nothing(command: c.Command) -> None:
    world = World()
    before = world.state
    assert world.tell(command).status == "applied"
    assert world.state is before


def test_a_rule_gets_an_id_and_can_be_removed_by_it() -> None:
    world = World()
    world.tell(c.AddRule(Rule("deny", tool="write"), id="1"))
    (rule,) = world.state.rules
    assert rule.id
    assert world.tell(c.RemoveRule(rule.id, id="2")).status == "applied"
    assert world.state.rules == ()


def test_a_title_is_one_line() -> None:
    world = World()
    world.tell(c.Rename("  A\n title ", id="1"))
    assert world.state.title == "A title"


def _asked() -> World:
    world = World()
    world.send()
    world.reply("", WRITE)
    return world


def _questioned(choices: tuple[str, ...], *, several: bool = False) -> World:
    world = World()
    world.send()
    world.reply("", ("confirm", "{}"))
    world.ask(world.flying[0], choices, several=several)
    return world


def _refused(world: World, command: c.Command, text: str) -> None:
    before = world.state
    with pytest.raises(UsageError, match=text):
        world.tell(command)
    assert world.state is before


def test_a_command_that_came_to_nothing_comes_to_nothing_again() -> None:
    world = World()
    stop = c.Interrupt(id="mine")
    (first,) = world.tell_at_once(stop, chosen=True)
    world.send()
    (again,) = world.tell_at_once(stop, chosen=True)
    assert first == again == c.Answer("stale", message="Nothing runs.")
    assert world.state.run is not None
    assert not world.state.run.stop


def test_a_rule_cannot_take_the_id_of_another() -> None:
    world = World()
    world.tell(c.AddRule(Rule("ask", tool="look", id="mine"), id="1"))
    for taken in ("default:edit", "mine"):
        _refused(world, c.AddRule(Rule("deny", id=taken), id="2"), "already")
