"""An erased event has no content any more, and everything else that it had."""

import pytest

from longrein.core import events as e
from longrein.core.codec import decode_event, encode_event
from longrein.core.commands import Answer
from longrein.core.erase import ERASED, erased, in_use
from longrein.core.errors import UsageError
from longrein.core.messages import File, Reasoning, Text, ToolCall
from longrein.core.outcomes import Aborted, Failed, Finished, LimitReached, Problem
from longrein.core.policy import Grant, Rule, Touches
from longrein.core.records import Approval, CallFacts, Input, Question
from longrein.core.restored import RestoreReport, Untouched
from longrein.permissions.patterns import matches
from tests.core.logs import folded, numbered
from tests.core.samples import EVENTS
from tests.loop.simulate import World

M = "MARK"
TOUCHES = Touches((f"/{M}",), (M,), (M,))
FACTS = CallFacts("call_1", M, True, M, TOUCHES)
GRANT = Grant("grant_1", "rule", "write", arguments={"path": M}, paths=(M,), commands=(M,))
PARTS = (Text(M), File("image/png", "0" * 64, f"https://example.org/{M}", M))
SAID = (Reasoning(M, M, "test:model"), Text(M), ToolCall("call_1", "look", f'{{"path":"{M}"}}'))
ASKED = Approval(
    "apr_1", "call_1", "write", "edit", M, "rule", M, "run_1", 0, TOUCHES, GRANT
)  # fmt: skip
QUESTION = Question("qst_1", "call_1", M, (M, M), True, "run_1", 0, "plan", M, True)

MARKED: tuple[e.Event, ...] = (
    e.ThreadRenamed(M, seq=3, time=4, run="run_1", epoch=2, cause="cmd_9"),
    e.ThreadTagged((M,)),
    e.SettingsChanged({M: M}),
    e.StateChanged({"name": M}, ("old",)),
    e.StateInvalid((M,), M),
    e.Recorded(M, {M: [M]}, "call_1"),
    e.CommandNoted(Answer("stale", "run_1", M)),
    e.InputAdmitted(Input("cmd_1", "send", "run_1", PARTS, M)),
    e.InputEdited("cmd_1", PARTS),
    e.RunEnded(Finished(M)),
    e.RunEnded(Aborted(M)),
    e.RunEnded(Failed(Problem("auth", M))),
    e.RunEnded(LimitReached("steps", M)),
    e.PrefixStarted("pre_1", "first", "test:model", M, ("look",), "0a"),
    e.StepEnded("step_1", SAID, "tools", calls=(FACTS,), misfit=M),
    e.StepFailed("step_1", Problem("network", M), 99),
    e.StepInterrupted("step_1", SAID[:2], "steer"),
    e.NoteAdded(M, "mode:plan"),
    e.ApprovalRequested(ASKED),
    e.ApprovalAnswered("apr_1", "approved", "person", M, FACTS, M, M),
    e.GrantAdded(GRANT),
    e.RuleAdded(Rule("ask", "write", "", "rule_1", False, {"path": M}, f"/{M}", M, M)),
    e.ToolStarted("call_1", "look", M, 2),
    e.CallReexamined("call_1", FACTS),
    e.ToolEnded("call_1", "ok", PARTS, "1" * 64),
    e.QuestionAsked(QUESTION),
    e.QuestionAnswered("qst_1", M, "person", M),
    e.QuestionAnswered("qst_1", (M, M)),
    e.Interrupted(M),
    e.Rewound("cmd_1", 3, True, report=RestoreReport((M,), (M,), (Untouched(M, M),))),
    e.HookEnded("hook_1", "before_tool", "call_1", "changed", "guard", M, M, FACTS),
    e.HookFailed("guard", "before_tool", Problem("hook", M)),
    e.SideCallEnded("title", "test:model", problem=Problem("title", M)),
    e.ChildStarted("thr_3", "call_1", "reader", M, M),
    e.ContextChanged("skills", "0a1b", M),
    e.Warned(Problem("skills", M)),
    e.CompactionAsked(M),
    e.CompactionStarted("cmp_1", "asked", "test:model", 3, focus=M),
    e.Compacted("cmp_1", "full", "summary", 3, 3, M, M),
    e.CompactionFailed("cmp_1", Problem("compaction", M)),
)
WITHOUT_CONTENT = {
    e.ThreadCreated, e.Opened, e.Forked, e.InputWithdrawn, e.QueueReordered, e.QueueReleased,
    e.RunStarted, e.InputPromoted, e.StepStarted, e.GrantRevoked, e.RuleRemoved, e.ModeChanged,
    e.ModelChanged, e.TrustChanged, e.HookStarted, e.SideCallStarted, e.TimerDue,
    e.InputPinned, e.InputUnpinned,
    e.ChildChanged, e.ChildEnded, e.ChildSpent, e.Parked,
}  # fmt: skip


def _name(event: e.Event) -> str:
    return type(event).__name__


@pytest.mark.parametrize("event", MARKED, ids=_name)
def test_nothing_of_the_content_is_left(event: e.Event) -> None:
    data = encode_event(erased(event))
    assert M.encode() not in data
    assert b"000000" not in data
    assert b"111111" not in data
    assert decode_event(data) == erased(event)


@pytest.mark.parametrize("event", [*MARKED, *EVENTS], ids=_name)
def test_the_head_of_an_event_stays(event: e.Event) -> None:
    left = erased(event)
    assert type(left) is type(event)
    for field in ("seq", "time", "run", "epoch", "cause"):
        assert getattr(left, field) == getattr(event, field)
    assert erased(left) == left


def test_every_kind_of_event_was_thought_of() -> None:
    kinds = {type(event) for event in MARKED} | WITHOUT_CONTENT | {e.Unknown}
    assert kinds == set(e.Durable.__subclasses__())


@pytest.mark.parametrize(
    "event", [one for one in EVENTS if type(one) in WITHOUT_CONTENT], ids=_name
)
def test_an_event_without_content_stays_as_it_is(event: e.Event) -> None:
    assert erased(event) == event


def test_an_event_of_a_newer_version_is_not_touched() -> None:
    with pytest.raises(UsageError, match="moon_rose"):
        erased(e.Unknown("moon_rose", b"{}", seq=3))


def test_a_reply_keeps_its_calls_and_loses_its_reasoning() -> None:
    left = erased(e.StepEnded("step_1", SAID, "tools"))
    assert isinstance(left, e.StepEnded)
    assert left.parts == (Text(ERASED), ToolCall("call_1", "look", "{}"))


def test_an_empty_reply_stays_empty() -> None:
    left = erased(e.StepEnded("step_1", (Reasoning("Hm."), Text("  ")), "end"))
    assert isinstance(left, e.StepEnded)
    assert left.parts == ()


def test_an_erased_grant_covers_nothing() -> None:
    left = erased(e.GrantAdded(GRANT))
    assert isinstance(left, e.GrantAdded)
    assert not matches(left.grant.paths[0], "/project/a", "path")
    assert not matches(left.grant.commands[0], "rm")


def test_an_erased_change_of_state_changes_nothing() -> None:
    log = numbered(e.StateChanged({"name": "Ada"}), e.StateChanged({"name": M}, ("age",)))
    assert folded([log[0], erased(log[1])]).data == {"name": "Ada"}


def test_what_still_waits_or_holds_cannot_be_erased() -> None:
    rule = e.RuleAdded(Rule("deny", "write", id="rule_1"))
    log = numbered(e.InputAdmitted(Input("cmd_1", "queue", "run_1", (Text("hi"),))), rule)
    state = folded(log)
    assert "withdraw" in in_use(state, log[0])
    assert "remove" in in_use(state, log[1])
    assert in_use(state, e.NoteAdded("x", "app")) == ""
    world = World()
    world.send()
    assert "interrupt" in in_use(world.state, world.log[0])
