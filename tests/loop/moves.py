"""Commands of every kind, aimed at whatever a world holds just then, or at what it does not."""

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from longrein.core import commands as c
from longrein.core.messages import Text
from longrein.core.policy import Rule, Scope
from longrein.core.usage import Limits
from tests.loop.simulate import World

T = TypeVar("T")

MODES = ("build", "plan", "bare")
TRUSTS: tuple[Literal["ask", "edits", "plan", "yolo"], ...] = ("ask", "edits", "plan", "yolo")
RULES = (
    Rule("allow", category="edit"),
    Rule("ask", category="read"),
    Rule("ask", tool="write", always=True),
    Rule("ask"),
    Rule("deny", tool="write"),
    Rule("deny", category="execute"),
    Rule("allow", tool="deploy"),
    Rule("ask", path="/moved/**"),
    Rule("deny", path="/moved/away"),
)
OUTPUT = '{"type":"object"}'
REMEMBERED: tuple[Literal["call", "tool", "category", "rule"], ...] = (
    "tool", "category", "call", "rule",
)  # fmt: skip
SCOPES: tuple[Scope, ...] = ("run", "thread", "resource")
LIMITS = (None, None, Limits(steps=2), Limits(tokens=40), Limits(cost=3), Limits(seconds=0.5))


def command(world: World, kind: str, n: int) -> c.Command:
    """The command of a kind that the number picks."""
    return _COMMANDS[kind](world, n, world.ids.new("cmd"))


def pick(items: Sequence[T], n: int) -> T:
    """One of the items, whatever the number."""
    return items[n % len(items)]


def _approvals(world: World) -> list[str]:
    return [*(a.id for a in world.state.approvals), *list(world.state.settled)[-2:], "apr_none"]


def _targets(world: World) -> list[str]:
    return [*(q.id for q in world.state.questions), *_approvals(world)]


def _inputs(world: World) -> list[str]:
    return [*(i.id for i in world.state.queue), *list(world.promised)[-1:], "cmd_none"]


def _reordered(world: World, n: int) -> tuple[str, ...]:
    waiting = [i.id for i in world.state.queue]
    return tuple(waiting[n % (len(waiting) + 1) :])


def _approved(world: World, n: int, id: str) -> c.Approve:
    remember, scope = pick(REMEMBERED, n // 2), pick(SCOPES, n // 3)
    return c.Approve(pick(_approvals(world), n), None, remember, scope, id=id)


def _edited(world: World, n: int, id: str) -> c.Approve:
    given = pick(('{"path":"/b"}', "{}", "not JSON", '{"url":"x"}'), n // 3)
    return c.Approve(pick(_approvals(world), n), given, id=id)


def _answered(world: World, n: int, id: str) -> c.AnswerQuestion:
    values = ("yes", ("yes",), (), ("yes", "no"), "perhaps")
    return c.AnswerQuestion(pick(_targets(world), n), pick(values, n), id=id)


def _points(world: World) -> list[str]:
    marks = reversed(world.state.marks)
    return [*(id for mark in marks for id in (mark.input, mark.run)), "cmd_none"]


def _grants(world: World) -> list[str]:
    return [*(g.id for g in world.setup.all_grants(world.state)), "grant_none"]


def _update(world: World, n: int, id: str) -> c.UpdateState:
    expected = pick((-1, world.state.revision, world.state.revision - 1), n)
    return c.UpdateState({"count": n}, pick(((), ("name",), ("count",)), n), expected, id=id)


_COMMANDS: dict[str, Callable[[World, int, str], c.Command]] = {
    "send": lambda w, n, id: w.saying("send", "s", pick(LIMITS, n)),
    "queue": lambda w, n, id: w.saying("queue", "q", pick(LIMITS, n)),
    "steer": lambda w, n, id: w.saying("steer", "t"),
    "output": lambda w, n, id: w.saying(pick(("send", "queue"), n), "o", output=OUTPUT),
    "signal": lambda w, n, id: w.saying("signal", "w", wake=bool(n % 2)),
    "proceed": lambda w, n, id: w.saying("proceed", "", pick(LIMITS, n)),
    "interrupt": lambda w, n, id: c.Interrupt("", id=id),
    "release": lambda w, n, id: c.Release(id=id),
    "edit": lambda w, n, id: c.EditInput(pick(_inputs(w), n), (Text("edited"),), id=id),
    "withdraw": lambda w, n, id: c.WithdrawInput(pick(_inputs(w), n), id=id),
    "reorder": lambda w, n, id: c.ReorderQueue(_reordered(w, n), id=id),
    "approve": lambda w, n, id: c.Approve(pick(_approvals(w), n), id=id),
    "remember": _approved,
    "change": _edited,
    "decline": lambda w, n, id: c.Decline(pick(_targets(w), n), "no", id=id),
    "stop": lambda w, n, id: c.Decline(pick(_targets(w), n), "no", True, id=id),
    "replace": lambda w, n, id: c.Replace(pick(_approvals(w), n), "instead", id=id),
    "answer": _answered,
    "mode": lambda w, n, id: c.SwitchMode(pick(MODES, n), id=id),
    "abort": lambda w, n, id: c.SwitchMode(pick(MODES, n), True, id=id),
    "model": lambda w, n, id: c.SwitchModel(pick(("", "test:other"), n), id=id),
    "effort": lambda w, n, id: c.SwitchModel("test:other", pick(("", "high"), n), id=id),
    "trust": lambda w, n, id: c.SetTrust(pick(TRUSTS, n), id=id),
    "rule": lambda w, n, id: c.AddRule(pick(RULES, n), id=id),
    "unrule": lambda w, n, id: c.RemoveRule(
        pick([*(r.id for r in w.state.rules), "rule_none"], n), id=id
    ),
    "revoke": lambda w, n, id: c.RevokeGrant(pick(_grants(w), n), id=id),
    "update": _update,
    "record": lambda w, n, id: c.Record("seen", n, id=id),
    "rename": lambda w, n, id: c.Rename("a title", id=id),
    "tag": lambda w, n, id: c.Tag(pick((("a",), ("a", "b"), ()), n), id=id),
    "configure": lambda w, n, id: c.Configure({"colour": pick(("red", None), n)}, id=id),
    "rewind": lambda w, n, id: c.Rewind(pick(_points(w), n), id=id),
    "undo": lambda w, n, id: c.Rewind(undo=True, id=id),
    "resume": lambda w, n, id: c.Resume(id=id),
}

KINDS = tuple(_COMMANDS)
