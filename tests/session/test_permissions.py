"""May this happen? Rules, trust and what calls touch, in whole runs; and the explanation of it."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import ToolResult
from longrein.core.outcomes import Finished, Waiting
from longrein.core.policy import Category, Rule, Touches, Trust
from longrein.loop.agent import Mode
from longrein.session.session import Session
from longrein.testing import Reply, call, calls, say
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool
from tests.permissions.anything import rules as any_rules
from tests.permissions.anything import trusts as any_trust
from tests.session.kit import harness, of, said, waiting, with_session
from tests.session.tools import deploy, read, write
from tests.support import run

TRUSTS: tuple[Trust, ...] = get_args(Trust)
CATEGORIES: tuple[Category, ...] = get_args(Category)


def results(session: Session) -> list[tuple[str, str]]:
    return [(m.status, m.text) for m in said(session) if isinstance(m, ToolResult)]


def statuses(session: Session) -> list[str]:
    return [status for status, _ in results(session)]


@tool(category="edit", touches=lambda given, ctx: Touches(paths=(given["path"],)))
async def save(path: str) -> str:
    """Save a file."""
    return f"saved {path}"


@tool(category="execute", touches=lambda given, ctx: Touches((), (given["line"],)))
async def shell(line: str) -> str:
    """Run a command."""
    return f"ran {line}"


@tool(category="network", touches=lambda given, ctx: Touches(hosts=(given["host"],)))
async def fetch(host: str) -> str:
    """Fetch a page."""
    return f"fetched {host}"


class Link:
    """A tool that writes where a link leads, which changes; `went` is where it wrote."""

    def __init__(self, *places: str) -> None:
        self.places = list(places)
        self.went: list[str] = []
        self.looked = 0

    def target(self, given: Mapping[str, Any], ctx: Context) -> Touches:
        place = self.places[min(self.looked, len(self.places) - 1)]
        self.looked += 1
        if place == "gone":
            raise OSError("no such link")
        return Touches(paths=(place,)) if place else Touches()

    def tool(self) -> Tool:
        @tool(category="edit", touches=self.target)
        async def follow() -> str:
            """Write where the link leads."""
            self.went.append(self.places[min(self.looked, len(self.places)) - 1])
            return "written"

        return follow


def test_rules_go_by_arguments_paths_commands_and_hosts() -> None:
    rules = [
        Rule("allow", category="edit", path="/project/**"),
        Rule("deny", path="**/.env"),
        Rule("allow", command="git *"),
        Rule("deny", command="git push*"),
        Rule("allow", host="*.example.com"),
        Rule("allow", tool="deploy", arguments={"target": "test*"}),
    ]
    script = [
        calls(
            call("save", path="/project/a/b"),
            call("save", path="/project/.env"),
            call("shell", line="git status"),
            call("shell", line="git push -f"),
            call("fetch", host="api.example.com"),
            call("deploy", target="test-1"),
            call("save", path="/etc/passwd"),
            call("shell", line="rm -r /"),
            call("fetch", host="example.org"),
            call("deploy", target="prod"),
        ),
        say("ok"),
    ]

    async def body(session: Session) -> None:
        await waiting(await session.send("go"))
        states = [view.state for view in session.display.calls]
        assert states[:6] == ["ok", "refused", "ok", "refused", "ok", "ok"]
        assert states[6:] == ["approval"] * 4

    with_session(harness(script, save, shell, fetch, deploy, rules=rules), body)


def test_a_refusal_names_its_rule() -> None:
    async def body(session: Session) -> None:
        await session.add_rule(Rule("deny", path="/etc/**", id="no-etc"))
        assert await (await session.send("go")) == Finished("ok")
        ((status, text),) = results(session)
        assert status == "refused"
        assert "no-etc" in text

    with_session(harness([call("save", path="/etc/passwd"), say("ok")], save), body)


def test_an_approval_shows_what_the_call_touches_and_what_would_make_asking_needless() -> None:
    async def body(session: Session) -> None:
        await waiting(await session.send("go"))
        (approval,) = session.display.approvals
        assert approval.touches == Touches(paths=("/etc/passwd",))
        assert approval.rule == "default:edit"
        assert approval.proposal is not None
        assert approval.proposal.paths == ("/etc/passwd",)

    with_session(harness([call("save", path="/etc/passwd"), say("ok")], save), body)


def test_a_yes_is_void_when_the_call_touches_something_else_by_now() -> None:
    link = Link("/project/a", "/etc/passwd", "/etc/passwd")

    async def body(session: Session) -> None:
        handle = await session.send("go")
        (first,) = (await waiting(handle)).approvals
        await session.approve(first)
        (second,) = (await waiting(handle)).approvals
        assert second != first
        assert link.went == []
        (approval,) = session.display.approvals
        assert approval.touches == Touches(paths=("/etc/passwd",))
        (again,) = await of(session, e.CallReexamined)
        assert again.facts.touches == Touches(paths=("/etc/passwd",))
        assert (await session.approve(first)).status == "stale"
        await session.approve(second)
        assert await handle == Finished("ok")
        assert link.went == ["/etc/passwd"]

    with_session(harness([call("follow"), say("ok")], link.tool()), body)


def test_what_a_call_came_to_touch_may_be_denied() -> None:
    link = Link("/project/a", "/etc/passwd")

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert statuses(session) == ["refused"]
        assert link.went == []

    rules = [Rule("allow", path="/project/**"), Rule("deny", path="/etc/**")]
    with_session(harness([call("follow"), say("ok")], link.tool(), rules=rules), body)


def test_a_call_that_touches_something_else_each_time_is_refused_in_the_end() -> None:
    link = Link(*(f"/project/{n}" for n in range(100)))

    async def body(session: Session) -> None:
        await session.set_trust("yolo")
        assert await (await session.send("go")) == Finished("ok")
        assert results(session) == [
            ("refused", "This call was not run: what it would touch keeps changing under it.")
        ]
        assert len(await of(session, e.CallReexamined)) < 10
        assert link.went == []

    with_session(harness([call("follow"), say("ok")], link.tool()), body)


@pytest.mark.parametrize(
    "places", [["gone"], ["/project/a", "gone"], ["", "gone"], ["relative"], ["/project/../etc"]]
)
def test_a_call_of_which_nobody_can_tell_what_it_touches_does_not_run(places: list[str]) -> None:
    link = Link(*places)

    async def body(session: Session) -> None:
        await session.set_trust("yolo")
        assert await (await session.send("go")) == Finished("ok")
        assert statuses(session) == ["error"]
        assert link.went == []

    with_session(harness([call("follow"), say("ok")], link.tool()), body)


@pytest.mark.parametrize("found", [None, {"paths": ["/etc/passwd"]}, Touches(commands="ls")])  # pyright: ignore[reportArgumentType]
def test_touches_that_gives_something_else_keeps_the_call_from_running(found: Any) -> None:
    @tool(category="read", touches=lambda given, ctx: found)
    async def peek() -> str:
        """Look."""
        return "seen"

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert statuses(session) == ["error"]

    with_session(harness([call("peek"), say("ok")], peek), body)


def test_touches_in_a_list_are_the_same_when_looked_at_again() -> None:
    paths: Any = ["/project/a"]

    @tool(category="read", touches=lambda given, ctx: Touches(paths=paths))
    async def peek() -> str:
        """Look."""
        return "seen"

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert statuses(session) == ["ok"]

    with_session(harness([call("peek"), say("ok")], peek), body)


def test_every_rule_is_listed_with_its_source_and_those_of_the_thread_can_be_removed() -> None:
    modes = [Mode("build", rules=[Rule("ask", tool="read", id="m")])]

    async def body(session: Session) -> None:
        await session.add_rule(Rule("deny", tool="write", id="t"))
        listed = [(source, rule.id) for source, rule in session.rules()]
        assert listed == [("harness", "h"), ("mode", "m"), ("thread", "t")]
        assert (await session.explain("write", {"path": "/a"})).verdict == "deny"
        assert (await session.remove_rule("t")).status == "applied"
        assert (await session.explain("write", {"path": "/a"})).verdict == "ask"
        with pytest.raises(UsageError, match="of the harness"):
            await session.remove_rule("h")

    rules = [Rule("allow", tool="deploy", id="h")]
    with_session(harness([say("ok")], read, write, deploy, rules=rules, modes=modes), body)


def test_an_explanation_of_an_unknown_tool_or_wrong_arguments_is_a_clear_error() -> None:
    async def body(session: Session) -> None:
        with pytest.raises(UsageError, match="delete"):
            await session.explain("delete")
        with pytest.raises(UsageError, match="target"):
            await session.explain("deploy", {"goal": 1})

    with_session(harness([say("ok")], read, deploy), body)


TABLE = {
    "ask": ("allow", "ask", "ask", "ask", "allow", "allow"),
    "edits": ("allow", "allow", "ask", "ask", "allow", "allow"),
    "plan": ("allow", "deny", "deny", "deny", "allow", "ask"),
    "yolo": ("allow",) * 6,
}


@pytest.mark.parametrize("trust", TRUSTS)
def test_each_mode_of_trust_does_what_its_table_says(trust: Trust) -> None:
    tools = [_act(category) for category in CATEGORIES]
    script = [calls(*(call(one.name) for one in tools)), say("ok")]

    async def body(session: Session) -> None:
        await session.set_trust(trust)
        await (await session.send("go"))
        verdicts = [_verdict(session, one.name) for one in tools]
        assert tuple(verdicts) == TABLE[trust]
        assert [(await session.explain(one.name)).verdict for one in tools] == verdicts

    with_session(harness(script, *tools), body)


def _act(category: Category) -> Tool:
    @tool(name=category, category=category)
    async def act() -> str:
        """Act."""
        return "done"

    return act


def _verdict(session: Session, name: str) -> str:
    """What became of the only call of a tool."""
    waits = any(approval.tool == name for approval in session.display.approvals)
    found = [m.status for m in said(session) if isinstance(m, ToolResult) and m.name == name]
    found += [view.state for view in session.display.calls if view.name == name]
    return "ask" if waits else {"ok": "allow", "refused": "deny"}[found[0]]


def test_nobody_is_trusted_unasked_and_every_change_is_shown() -> None:
    async def body(session: Session) -> None:
        assert session.display.trust == "ask"
        for trust in ("edits", "plan", "yolo", "yolo"):
            await session.set_trust(trust)
            assert session.display.trust == trust
        changes = [(event.previous, event.trust) for event in await of(session, e.TrustChanged)]
        assert changes == [("ask", "edits"), ("edits", "plan"), ("plan", "yolo")]
        with pytest.raises(UsageError):
            await session.set_trust("blind")  # pyright: ignore[reportArgumentType]

    with_session(harness([say("ok")]), body)


def test_what_one_thread_trusts_another_does_not() -> None:
    async def test() -> None:
        async with harness([say("ok")]) as host:
            await (await host.session("ada")).set_trust("yolo")
            assert (await host.session("ada", new=True)).display.trust == "ask"

    run(test())


def test_yolo_answers_neither_a_deny_nor_an_ask_that_always_asks() -> None:
    rules = [Rule("deny", tool="write"), Rule("ask", tool="deploy", always=True, id="careful")]
    script = [calls(call("write", path="/a"), call("deploy", target="x")), say("ok")]

    async def body(session: Session) -> None:
        await session.set_trust("yolo")
        handle = await session.send("go")
        (id,) = (await waiting(handle)).approvals
        assert session.display.approvals[0].rule == "careful"
        with pytest.raises(UsageError, match="careful always asks"):
            await session.approve(id, remember="tool")
        await session.approve(id)
        assert await handle == Finished("ok")
        assert statuses(session) == ["refused", "ok"]

    with_session(harness(script, write, deploy, rules=rules), body)


def test_a_mode_of_trust_set_while_a_call_waits_counts_for_the_next_one() -> None:
    script = [call("deploy", target="a"), call("deploy", target="b"), say("ok")]

    async def body(session: Session) -> None:
        handle = await session.send("go")
        (id,) = (await waiting(handle)).approvals
        await session.set_trust("yolo")
        await session.approve(id)
        assert await handle == Finished("ok")
        assert len(await of(session, e.ApprovalRequested)) == 1

    with_session(harness(script, deploy), body)


def anything() -> Sequence[Tool]:
    """The tools of the small world in which the rules of the property meet."""

    def touched(given: Mapping[str, Any], ctx: Context) -> Touches:
        return Touches(("/project/.env",), ("git status",), ("api.example.com",))

    @tool(category="edit", touches=touched)
    async def write(x: str = "a") -> str:
        """Write."""
        return "written"

    @tool(category="network")
    async def look(x: str = "b") -> str:
        """Look."""
        return "seen"

    return write, look


@settings(deadline=None, derandomize=True, max_examples=150)
@given(any_rules, any_trust, st.sampled_from(["write", "look"]))
def test_an_explanation_says_what_a_run_does(rules: list[Rule], trust: Trust, name: str) -> None:
    script: list[Reply] = [call(name, x="a"), say("ok")]

    async def body(session: Session) -> None:
        await session.set_trust(trust)
        why = await session.explain(name, {"x": "a"})
        outcome = await (await session.send("go"))
        assert _verdict(session, name) == why.verdict
        if isinstance(outcome, Waiting):
            assert session.display.approvals[0].rule == why.rule

    with_session(harness(script, *anything(), rules=rules), body)
