"""What a tool tells about a call before it runs: what is touched, judged, and shown to people."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from longrein import (
    Agent,
    Context,
    Finished,
    Harness,
    Rule,
    Session,
    Touches,
    UsageError,
    Waiting,
    tool,
)
from longrein.core.messages import ToolResult
from longrein.testing import Reply, Script, ScriptedModel, call, say
from tests.support import run


async def _paths(given: Mapping[str, Any], ctx: Context) -> Touches:
    await asyncio.sleep(0)
    path = f"/project/{given['name']}"
    judged = {
        "secret": (Rule("deny", id="house rule: secret"),),
        "public": (Rule("allow", path="/**", id="house rule: public"),),
        "harmless": (Rule("allow", id="found harmless"),),
        "daring": (Rule("ask", id="found dangerous", always=True),),
        "draft": (Rule("ask", id="house rule: draft"),),
    }.get(given["name"], ())
    return Touches(paths=(path,), judged=judged)


async def _diff(given: Mapping[str, Any], ctx: Context) -> str:
    return f"- old\n+ {given['name']}"


@tool(category="edit", touches=_paths, preview=_diff)
async def change(name: str) -> str:
    """Change something."""
    return f"changed {name}"


@tool(category="edit", preview=lambda given, ctx: 1 / 0)  # pyright: ignore[reportArgumentType]
async def broken(name: str) -> str:
    """Change something."""
    return name


async def _sent(tools: list[Any], asked: Reply, *, rules: list[Rule] | None = None) -> Session[Any]:
    model = ScriptedModel(Script([asked, say("done")]))
    harness = Harness(Agent("tester", model=model, tools=tools), rules=rules or [])
    session = await harness.session()
    await (await session.send("go"))
    return session


def test_an_approval_shows_what_would_really_happen() -> None:
    async def body() -> None:
        session = await _sent([change], call("change", name="a"))
        (approval,) = session.display.approvals
        assert approval.preview == "- old\n+ a"
        assert approval.touches.paths == ("/project/a",)

    run(body())


def test_a_preview_that_fails_does_not_keep_a_person_from_being_asked() -> None:
    async def body() -> None:
        session = await _sent([broken], call("broken", name="a"))
        (approval,) = session.display.approvals
        assert "cannot be shown" in approval.preview

    run(body())


@pytest.mark.parametrize(
    ("name", "rules", "status"),
    [
        ("secret", [], "refused"),
        ("secret", [Rule("allow", tool="change")], "refused"),
        ("public", [], "ok"),
        ("public", [Rule("ask", category="edit")], "ok"),
        ("harmless", [], "ok"),
        ("harmless", [Rule("ask", tool="change", always=True)], ""),
        ("harmless", [Rule("ask", category="edit")], ""),
        ("harmless", [Rule("ask")], ""),
        ("public", [Rule("deny", tool="change")], "refused"),
        ("draft", [Rule("allow", tool="change")], ""),
        ("draft", [Rule("allow", tool="change", path="/project/**")], ""),
        ("other", [Rule("allow", tool="change")], "ok"),
    ],
)
def test_what_a_tool_judges_weighs_as_much_as_a_rule_about_what_is_touched(
    name: str, rules: list[Rule], status: str
) -> None:
    async def body() -> None:
        session = await _sent([change], call("change", name=name), rules=rules)
        found = [m.status for m in session.display.messages if isinstance(m, ToolResult)]
        assert found == ([status] if status else [])

    run(body())


def test_a_yes_to_what_a_tool_judged_is_remembered_for_that_rule() -> None:
    async def body() -> None:
        model = ScriptedModel(
            Script(
                [call("change", name="draft"), say("one"), call("change", name="draft"), say("two")]
            )
        )
        async with Harness(Agent("tester", model=model, tools=[change])) as harness:
            session = await harness.session()
            first = await session.send("go")
            waiting = await first
            assert isinstance(waiting, Waiting)
            assert session.display.approvals[0].rule == "house rule: draft"
            await session.approve(waiting.approvals[0], remember="rule")
            assert await first == Finished("one")
            assert await (await session.send("again")) == Finished("two")

    run(body())


def test_a_yes_to_what_a_tool_always_asks_about_is_not_remembered() -> None:
    async def body() -> None:
        session = await _sent([change], call("change", name="daring"))
        (approval,) = session.display.approvals
        with pytest.raises(UsageError, match="always asks"):
            await session.approve(approval, remember="tool")

    run(body())


def test_code_can_ask_whether_a_host_is_allowed_as_such() -> None:
    async def body() -> None:
        said: list[tuple[bool, bool]] = []

        @tool
        async def look(ctx: Context) -> str:
            """Look."""
            for name in ("good", "bad", "other", "a.wide"):
                host = f"{name}.example"
                said.append((ctx.may_connect(host), ctx.may_connect(host, exactly=True)))
            return "ok"

        rules = [
            Rule("allow", tool="look"),
            Rule("allow", host="good.example"),
            Rule("allow", host="*.wide.example"),
            Rule("deny", host="bad.example"),
        ]
        await _sent([look], call("look"), rules=rules)
        assert said == [(True, True), (False, False), (False, False), (True, False)]

    run(body())


def test_bytes_that_a_fact_refers_to_stay_as_long_as_it(tmp_path: Path) -> None:
    @tool
    async def keep(ctx: Context) -> str:
        """Keep."""
        digest = await ctx.keep_bytes(b"some bytes")
        ctx.record("kept", {"digest": digest}, blobs=[digest])
        return digest

    async def body() -> None:
        model = ScriptedModel(Script([call("keep"), say("done")]))
        agent = Agent("tester", model=model, tools=[keep])
        async with Harness(agent, store=f"sqlite:{tmp_path}/a.db") as harness:
            session = await harness.session()
            await (await session.send("go"))
            result = session.display.messages[2]
            assert isinstance(result, ToolResult)
            digest = result.text
            await harness.fork("default", session.thread)
            assert await harness.store.blob(digest) == b"some bytes"
            for one in await harness.threads("default"):
                await harness.delete("default", one.id)
            assert await harness.store.blob(digest) is None

    run(body())
