"""One event of every kind, with every field set."""

from longrein.core import events as e
from longrein.core.commands import Answer
from longrein.core.messages import File, Reasoning, Text, ToolCall
from longrein.core.outcomes import Aborted, Failed, Finished, LimitReached, Problem
from longrein.core.policy import Grant, Rule, Touches
from longrein.core.records import Approval, CallFacts, Input, Question, Source
from longrein.core.restored import RestoreReport, Untouched
from longrein.core.usage import Limits, Spent, Usage

LIMITS = Limits(10, 1000, 5_000_000, 60.0)
USAGE = Usage(100, 20, 50, 10, 5)
PARTS = (Text("Look at this."), File("image/png", "b1", "https://example.org/a.png", "a.png"))
SAID = (
    Reasoning("Hm.", "sig", "test:model", "rs_1", True),
    Text("I will look."),
    ToolCall("call_1", "look", '{"path":"/a"}', "toolu_1"),
)
INPUT = Input("cmd_1", "send", "run_1", PARTS, "app", False, LIMITS, 5, '{"type":"object"}')
TOUCHES = Touches(("/a",), ("git status",), ("example.org",))
GRANT = Grant(
    "grant_2",
    "default:edit",
    "write",
    "edit",
    "run_1",
    "run",
    {"to": "m*"},
    ("/a",),
    ("ls",),
    ("h",),
)
APPROVAL = Approval(
    "apr_1", "call_1", "write", "edit", "{}", "default:edit", "why", "run_1", 6, TOUCHES, GRANT
)
QUESTION = Question(
    "qst_1", "call_1", "Which?", ("a", "b"), True, "run_1", 7, "plan", "A plan", True
)
FACTS = CallFacts("call_1", "", True, "/a", TOUCHES)
REPORT = RestoreReport(
    ("/a",), ("/b",), (Untouched("/c", "changed since"),), (Untouched("/d", "too large"),), 3
)

EVENTS: tuple[e.Event, ...] = (
    e.ThreadCreated("thr_1", "user-1", "build", "edits", seq=1, time=9, epoch=1, cause="cmd_0"),
    e.Opened("host_1"),
    e.Forked("thr_2", "thr_1", 12),
    e.ThreadRenamed("A title", "model"),
    e.ThreadTagged(("urgent", "home")),
    e.SettingsChanged({"colour": "red", "size": None}),
    e.StateChanged({"done": 3}, ("left",)),
    e.StateInvalid(("done",), "done: not a number"),
    e.Recorded("todos", {"todos": [{"text": "Write"}]}, "call_1"),
    e.Rewound("cmd_1", 12, True, False, True, 30, REPORT),
    e.CallReexamined("call_1", FACTS),
    e.HookStarted("hook_1", "before_tool", "call_1"),
    e.HookEnded("hook_1", "before_tool", "call_1", "changed", "guard", "why", "{}", FACTS),
    e.HookFailed("guard", "before_tool", Problem("hook", "It broke."), "call_1"),
    e.SideCallStarted("side_1", "observer", "test:model", 500),
    e.SideCallEnded("title", "test:model", USAGE, 12, Problem("title", "None.")),
    e.CommandNoted(Answer("stale", "run_1", "It was settled already.")),
    e.InputAdmitted(INPUT, run="run_1"),
    e.InputEdited("cmd_1", PARTS),
    e.InputWithdrawn("cmd_1"),
    e.QueueReordered(("cmd_2", "cmd_1")),
    e.QueueReleased(),
    e.RunStarted(("cmd_1",), LIMITS, '{"type":"object"}'),
    e.InputPromoted(("cmd_1", "cmd_2")),
    e.RunEnded(Finished("Done.")),
    e.RunEnded(Aborted("enough")),
    e.RunEnded(Failed(Problem("auth", "The key is wrong."))),
    e.RunEnded(LimitReached("steps", "The run took 250 steps, its limit.")),
    e.PrefixStarted("pre_1", "tools", "test:model", "Be brief.", ("look", "write"), "0a1b"),
    e.PrefixStarted(
        "pre_1", "compaction", "test:model", "Be.", (), "0a", (Source("agent", 3, "f"),)
    ),
    e.ContextChanged("skills", "0a1b", "There is a new skill."),
    e.ChildStarted("thr_3", "call_1", "reader", "A title", "Read it.", True, True, 12),
    e.ChildStarted("thr_3", "call_1", "reader", number=2),
    e.ChildSpent("thr_3", Spent(USAGE, 42, 1, 3)),
    e.ChildChanged("thr_3", "waiting"),
    e.ChildEnded("thr_3", "limit", Spent(USAGE, 42, 1, 3), ("apr_1",)),
    e.Forked("thr_3", "thr_1", 12, True, "call_1"),
    e.InputPinned("cmd_1"),
    e.InputUnpinned("cmd_1"),
    e.CompactionAsked("the API"),
    e.CompactionStarted("cmp_1", "asked", "test:model", 12, 900, "the API", 500, 1000),
    e.Compacted("cmp_1", "full", "summary", 12, 12, "Goal: it.", "Todo.", 9, 5, "m", USAGE, 7),
    e.CompactionFailed("cmp_1", Problem("compaction", "It is empty."), "m", USAGE, 7),
    e.Warned(Problem("skills", "A skill cannot be read.")),
    e.StepStarted("step_1", 3, "test:model", 500, 1000, 800),
    e.StepEnded("step_1", SAID, "tools", USAGE, 42, (CallFacts("call_1", "no", True, "/a"),), "no"),
    e.StepFailed("step_1", Problem("network", "It broke."), 99, True, 12, USAGE, 7, 900),
    e.StepInterrupted("step_1", SAID[:2], "steer", USAGE, 42),
    e.NoteAdded("You are in the mode plan now.", "mode:plan"),
    e.ApprovalRequested(APPROVAL),
    e.ApprovalAnswered(
        "apr_1", "approved", "steer", "{}", CallFacts("call_1", "", True, "/b"), "why", "r", True
    ),
    e.GrantAdded(GRANT),
    e.GrantRevoked("grant_1"),
    e.RuleAdded(Rule("ask", "write", "edit", "rule_1", True, {"to": "*"}, "/a/**", "rm *", "h")),
    e.RuleRemoved("rule_1"),
    e.ToolStarted("call_1", "look", "{}", 2),
    e.ToolEnded("call_1", "ok", PARTS, "b2", 17),
    e.QuestionAsked(QUESTION),
    e.QuestionAnswered("qst_1", ("a", "b"), "interrupt", "why"),
    e.QuestionAnswered("qst_1", None),
    e.Interrupted("enough"),
    e.ModeChanged("plan", "build"),
    e.ModelChanged("test:other", "test:model", "test:used", "high"),
    e.TrustChanged("yolo", "ask"),
    e.TimerDue("retry:run_1:0:1"),
    e.Parked(("apr_1",)),
)
