"""A child never may do more than its parent: rules, trust, modes, grants and files."""

from pathlib import Path

from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.subagents.spec import Subagent
from longrein.capabilities.workspace.workspace import Workspace
from longrein.core.outcomes import Finished
from longrein.core.policy import Rule
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.session.session import Session
from longrein.testing import Script, ScriptedModel, call, calls, pause, reply, say
from longrein.testing.scripted import when
from longrein.tools.define import tool
from longrein.workspace.rules import FileRule
from tests.session.families import child_of, family, look, results, task, write
from tests.session.kit import until, waiting, with_session

DONE = say("Done.")
WRITING = [
    when("begin", task("write it"), DONE),
    when("write it", call("write", text="x"), say("Written.")),
]


def _child_of(agent: Subagent, *more: Rule) -> list[str]:
    """What the tools of a child returned that writes, of this subagent and under these rules."""
    found: list[str] = []

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        found.extend(results(await child_of(session)))

    rules = [when("begin", task("write it", agent.name), DONE), WRITING[1]]
    with_session(family(rules, agent, rules=more), body)
    return found


def test_rules_of_the_harness_hold_in_a_child() -> None:
    (told,) = _child_of(Subagent("one", "One."), Rule("deny", tool="write"))
    assert "write" in told
    assert "wrote" not in told


def test_what_a_subagent_allows_itself_is_not_allowed_by_that() -> None:
    async def body(session: Session) -> None:
        asked = await waiting(await session.send("begin"))
        assert len(asked.approvals) == 1

    agent = Subagent("bold", "Is bold.", permissions=[Rule("allow", tool="write")])
    with_session(family([when("begin", task("write it", "bold"), DONE), WRITING[1]], agent), body)


def test_permissions_of_a_subagent_narrow_what_its_parent_may() -> None:
    agent = Subagent(
        "shy", "Is shy.", permissions=[Rule("deny", tool="write", arguments={"text": "x"})]
    )
    (told,) = _child_of(agent, Rule("allow", tool="write"))
    assert "not allowed" in told


def test_a_rule_that_is_added_to_the_parent_holds_in_a_child_at_once() -> None:
    model = ScriptedModel(
        Script(rules=[WRITING[0], when("write it", reply(pause(), call("write", text="x")), DONE)])
    )

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await until(lambda: model.open == 1)
        await session.add_rule(Rule("deny", tool="write", arguments={"text": "x"}))
        model.release()
        await sent
        assert "not allowed" in results(await child_of(session))[0]

    with_session(family(model, rules=[Rule("allow", tool="write")]), body)


def test_a_child_has_the_trust_of_its_parent_as_it_is_now() -> None:
    async def body(session: Session) -> None:
        await session.set_trust("edits")
        assert await (await session.send("begin")) == Finished("Done.")
        child = await child_of(session)
        assert results(child) == ["wrote x"]
        await session.set_trust("plan")
        assert child.display.trust == "plan"
        assert (await child.explain("write", {"text": "y"})).verdict == "deny"

    with_session(family(WRITING), body)


def test_trust_that_is_given_while_a_child_asks_lets_the_next_call_run() -> None:
    rules = [
        WRITING[0],
        when("write it", call("write", text="x"), call("write", text="y"), say("Written.")),
    ]

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await waiting(sent)
        await session.set_trust("yolo")
        child = await child_of(session)
        assert child.display.trust == "yolo"
        await session.approve(session.display.approvals[0])
        assert await sent == Finished("Done.")
        assert results(child) == ["wrote x", "wrote y"]

    with_session(family(rules), body)


def test_a_grant_of_the_parent_counts_for_its_children() -> None:
    rules = [when("begin", call("write", text="own"), task("write it"), DONE), WRITING[1]]

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        asked = await waiting(sent)
        await session.approve(asked.approvals[0], remember="tool")
        assert await sent == Finished("Done.")
        assert results(await child_of(session)) == ["wrote x"]

    with_session(family(rules), body)


def test_what_the_mode_of_the_parent_hides_is_hidden_and_refused_in_a_child() -> None:
    model = ScriptedModel(Script(rules=WRITING))
    modes = [Mode("plan", visible=["look", "task", "tasks"]), Mode("build")]

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        child = await child_of(session)
        assert "no tool" in results(child)[0].lower()
        asked = [r for r in model.requests if "write it" in str(r.messages[0])]
        assert "write" not in [spec.name for spec in asked[0].tools]

    with_session(family(model, modes=modes), body)


def test_a_mode_that_is_entered_by_the_parent_binds_a_child_that_works() -> None:
    model = ScriptedModel(
        Script(rules=[WRITING[0], when("write it", reply(pause(), call("write", text="x")), DONE)])
    )
    modes = [Mode("build"), Mode("plan", visible=["look", "task", "tasks"])]

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await until(lambda: model.open == 1)
        await session.switch_mode("plan")
        model.release()
        await sent
        assert "no tool named write" in results(await child_of(session))[0]

    with_session(family(model, modes=modes, rules=[Rule("allow", tool="write")]), body)


def test_a_tool_of_the_subagents_own_is_there_whatever_the_parent_shows() -> None:
    @tool(category="read")
    def measure() -> str:
        """Measure."""
        return "12 cm"

    agent = Subagent("surveyor", "Measures.", tools=[measure])
    rules = [when("begin", task("go", "surveyor"), DONE), when("go", call("measure"), say("12."))]

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        assert results(await child_of(session)) == ["12 cm"]

    with_session(family(rules, agent, modes=[Mode("plan", visible=["task"])]), body)


def test_file_rules_of_a_subagent_bind_its_tools_and_its_shell(tmp_path: Path) -> None:
    (tmp_path / "open.txt").write_text("open")
    (tmp_path / "secret.txt").write_text("secret")
    narrow = [FileRule("allow", (f"{tmp_path}/open.txt",)), FileRule("deny", (f"{tmp_path}/**",))]
    agent = Subagent("narrow", "Is narrow.", permissions=narrow)
    reading = calls(
        call("read_file", path="open.txt"),
        call("read_file", path="secret.txt"),
        call("execute", command="cat open.txt; cat secret.txt"),
    )
    rules = [
        when("begin", call("read_file", path="secret.txt"), task("read", "narrow"), DONE),
        when("read", reading, say("Read.")),
    ]

    async def body(session: Session) -> None:
        await session.set_trust("yolo")
        await (await session.send("begin"))
        assert "secret" in results(session)[0]
        seen, refused, shell = results(await child_of(session))
        assert "open" in seen
        assert "not allowed" in refused
        assert "open" in shell
        assert "secret\n" not in shell.replace("secret.txt", "")

    with_session(family(rules, agent, tools=[write], capabilities=[Workspace(tmp_path)]), body)


def test_a_rule_may_name_a_tool_that_a_child_lacks_also_where_the_model_is_given_late() -> None:
    shy = Subagent("shy", "Looks.", permissions=[Rule("deny", tool="task")])
    looking = when("see", call("look", at="x"), DONE)
    model = ScriptedModel(Script(rules=[when("begin", task("see", "shy"), DONE), looking]))
    delegating = Subagents([shy], depth=1)
    late = Agent("root", model=lambda deps: model, tools=[look], capabilities=[delegating])

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        assert results(await child_of(session)) == ["saw x"]

    with_session(Harness(late, environ={}), body)
