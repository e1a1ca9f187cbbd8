"""`deep_agent`: one call, and everything that long work needs is there."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from longrein import (
    TODOS,
    Agent,
    Capability,
    FileRule,
    Finished,
    Harness,
    InThread,
    Profile,
    Rule,
    Subagent,
    Todos,
    UsageError,
    Waiting,
    Workspace,
    deep_agent,
    run_sync,
)
from longrein.core.messages import ToolResult
from longrein.models.base import Request
from longrein.testing import Reply, Script, ScriptedModel, call, say
from tests.support import run


def internet_search(query: str) -> str:
    """Search the web."""
    return f"Longrein is what {query!r} finds."


def answers(*replies: Reply, child: Reply | None = None) -> Callable[[Request], Reply]:
    """The root says these one after the other; each child says its one sentence."""

    def answer(request: Request) -> Reply:
        if "You are the subagent" in request.system:
            return child or say("Checked.")
        said = sum(isinstance(message, ToolResult) for message in request.messages)
        return replies[said]

    return answer


def results(model: ScriptedModel) -> dict[str, str]:
    """What the root heard of each tool."""
    last = next(one for one in reversed(model.requests) if "You are the sub" not in one.system)
    return {one.name: one.text for one in last.messages if isinstance(one, ToolResult)}


PLAN = call("write_todos", todos=[{"text": "Search", "status": "in_progress"}])
WRITE = call("write_file", path="/report.md", content="Longrein keeps its threads.")
TASK = call("task", agent="general-purpose", description="Check it", prompt="Check /report.md.")


def test_the_quickstart_plans_searches_writes_delegates_and_answers() -> None:
    search = call("internet_search", query="Longrein")
    model = ScriptedModel(answers(PLAN, search, WRITE, TASK, say("It is in /report.md.")))
    agent = deep_agent(model, tools=[internet_search], instructions="You are a researcher.")
    assert run_sync(agent, "What is Longrein?") == Finished("It is in /report.md.")
    heard = results(model)
    assert heard["internet_search"] == "Longrein is what 'Longrein' finds."
    assert "Checked." in heard["task"]
    assert "You are a researcher." in model.requests[0].system


def test_what_it_did_is_in_the_thread(tmp_path: Path) -> None:
    async def go() -> None:
        model = ScriptedModel(answers(PLAN, WRITE, say("Done.")))
        store = f"sqlite:{tmp_path / 'threads.db'}"
        async with Harness(deep_agent(model), store=store) as harness:
            session = await harness.session()
            assert await (await session.send("Go")) == Finished("Done.")
        async with Harness(deep_agent(model), store=store) as harness:
            session = await harness.session()
            assert [one.text for one in session.read(TODOS)] == ["Search"]

    run(go())


def test_it_has_the_tools_for_all_of_it(tmp_path: Path) -> None:
    async def go() -> set[str]:
        model = ScriptedModel(Script([say("Done.")]))
        async with Harness(deep_agent(model, workspace=tmp_path)) as harness:
            await (await (await harness.session()).send("Go"))
        return {tool.name for tool in model.requests[0].tools}

    files = {"ls", "read_file", "write_file", "edit_file", "delete", "move", "glob", "grep"}
    others = {"execute", "job", "write_todos", "update_todos", "submit_plan", "task", "skill"}
    assert files | others <= run(go())


def waits_for(agent: Agent) -> list[str]:
    async def go() -> list[str]:
        async with Harness(agent) as harness:
            session = await harness.session()
            outcome = await (await session.send("Go"))
            assert isinstance(outcome, Finished | Waiting)
            return [one.tool for one in session.folded.approvals]

    return run(go())


def writing() -> ScriptedModel:
    return ScriptedModel(answers(WRITE, say("Done.")))


def test_files_of_the_thread_may_be_changed_unasked_and_those_of_a_folder_not(
    tmp_path: Path,
) -> None:
    note = call("write_file", path=str(tmp_path / "note.md"), content="Hello")
    on_disk = ScriptedModel(answers(note, say("Done.")))
    assert waits_for(deep_agent(writing())) == []
    assert waits_for(deep_agent(on_disk, workspace=tmp_path, shell=None)) == ["write_file"]


@pytest.mark.parametrize(
    ("interrupt_on", "asked"),
    [
        ({"write_file": True}, ["write_file"]),
        ({"write_file": {"path": "/*.md"}}, ["write_file"]),
        ({"write_file": {"path": "/private/**"}}, []),
        ({"write_file": False}, []),
        ({"edit_file": True}, []),
    ],
)
def test_interrupt_on_says_what_a_person_is_asked_about(
    interrupt_on: Mapping[str, bool | dict[str, Any]], asked: list[str]
) -> None:
    assert waits_for(deep_agent(writing(), interrupt_on=interrupt_on)) == asked


def test_a_yes_goes_on() -> None:
    async def go() -> None:
        agent = deep_agent(writing(), interrupt_on={"write_file": True})
        async with Harness(agent) as harness:
            session = await harness.session()
            sent = await session.send("Go")
            outcome = await sent
            assert isinstance(outcome, Waiting)
            await session.approve(outcome.approvals[0])
            assert await sent == Finished("Done.")

    run(go())


@pytest.mark.parametrize(
    "permission",
    [FileRule("deny", ("/report.md",), ("write",)), Rule("deny", tool="write_file")],
    ids=["a file rule", "a rule"],
)
def test_what_permissions_deny_does_not_happen(permission: Rule | FileRule) -> None:
    model = writing()
    assert run_sync(deep_agent(model, permissions=[permission]), "Go") == Finished("Done.")
    result = next(m for m in model.requests[-1].messages if isinstance(m, ToolResult))
    assert result.status != "ok"


def test_a_subagent_of_a_dict_is_delegated_to() -> None:
    task = call("task", agent="checker", description="Check it", prompt="Check it.")
    model = ScriptedModel(answers(task, say("Done.")))
    checker = {"name": "checker", "description": "Checks.", "instructions": "Be strict."}
    assert run_sync(deep_agent(model, subagents=[checker]), "Go") == Finished("Done.")
    assert "Checked." in results(model)["task"]
    assert any("Be strict." in request.system for request in model.requests)


def test_a_child_asks_where_its_parent_would_be_asked() -> None:
    async def go() -> list[str]:
        model = ScriptedModel(answers(TASK, say("Done."), child=WRITE))
        agent = deep_agent(model, interrupt_on={"write_file": True})
        async with Harness(agent) as harness:
            session = await harness.session()
            outcome = await (await session.send("Go"))
            assert isinstance(outcome, Waiting)
            return [approval.tool for approval in session.display.approvals]

    assert run(go()) == ["write_file"]


@pytest.mark.parametrize(
    ("subagent", "said"),
    [
        ({"name": "a", "description": "b", "system_prompt": "c"}, "Say 'instructions' for it"),
        ({"name": "a", "description": "b", "limit": "c"}, "Did you mean 'limits'"),
        ({"name": "a"}, "needs a description"),
        (3, "Subagent objects or dicts; 3 is neither"),
    ],
)
def test_a_subagent_that_makes_no_sense_is_refused(subagent: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        deep_agent(subagents=[subagent])


@pytest.mark.parametrize(
    ("interrupt_on", "said"),
    [
        ({"execute": {"allowed_decisions": ["approve"]}}, "can always approve, edit or decline"),
        ({"execute": "yes"}, "is True, False, or a dict of path, command"),
        (["execute"], "interrupt_on is a dict"),
    ],
)
def test_an_interrupt_that_makes_no_sense_is_refused(interrupt_on: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        deep_agent(interrupt_on=interrupt_on)


def test_an_interrupt_for_a_tool_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'wirte_file'.* Did you mean 'write_file'"):
        Harness(deep_agent("openai:small", interrupt_on={"wirte_file": True}))


def test_a_capability_of_ones_own_takes_the_place_of_the_built_in_one() -> None:
    class Mine(Todos):
        @property
        def name(self) -> str:
            return "todos"

    class More(Capability):
        pass

    agent = deep_agent(capabilities=[Mine(), More()])
    by = {one.name: type(one) for one in agent.capabilities}
    assert by["todos"] is Mine
    assert by["more"] is More


def test_skills_and_memory_can_be_left_out() -> None:
    names = {one.name for one in deep_agent(skills=None, memory=None).capabilities}
    assert not names & {"skills", "memory"}


def test_file_rules_beside_a_workspace_object_are_refused() -> None:
    with pytest.raises(UsageError, match="to the Workspace itself"):
        deep_agent(workspace=Workspace(InThread()), permissions=[FileRule("deny", ("/a",))])


def test_the_given_memory_is_before_the_model(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Always answer in verse.")
    model = ScriptedModel(Script([say("Done.")]))
    run_sync(deep_agent(model, memory=[tmp_path / "AGENTS.md"]), "Go")
    assert "Always answer in verse." in model.requests[0].system


def test_a_subagent_object_is_taken_as_it_is() -> None:
    reader = Subagent("reader", "Reads.", tools=["read_file"])
    agent = deep_agent(subagents=[reader])
    assert reader in [one for by in agent.capabilities for one in by.subagents()]


def test_the_permissions_of_the_agent_cannot_be_excluded_by_a_profile() -> None:
    agent = deep_agent("openai:small", permissions=[Rule("deny", tool="delete")])
    with pytest.raises(UsageError, match="holds the rules of the agent"):
        Harness(
            agent, profiles={"openai": Profile(excluded_capabilities=frozenset(("permissions",)))}
        )
