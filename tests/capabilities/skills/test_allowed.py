"""`allowed-tools`: what may be called while a skill is active."""

from pathlib import Path

import pytest

from longrein import Agent, Harness, Price, Rule, Skill, Skills, Waiting, Workspace, tool
from longrein.capabilities.skills.active import ACTIVE
from longrein.capabilities.skills.allowed import refusal, split_tools
from longrein.core import events as e
from longrein.core.policy import Touches
from longrein.models.base import Request
from longrein.permissions.matching import Action
from longrein.testing import Reply, ScriptedModel, call, calls, reply, say
from longrein.workspace.shell.commands import touching
from tests.capabilities.skills.kit import at_work, heard, put
from tests.session.kit import of
from tests.support import run


def shell(line: str) -> Action:
    """The action of a command as the shell tools would have it."""
    facts = touching(line, "/project")
    touches = Touches((*facts.writes, *facts.reads), facts.commands)
    return Action("execute", "execute", {"command": line}, touches)


def lets(allowed: str, action: Action) -> bool:
    return not refusal("it", split_tools(allowed), action)


@pytest.mark.parametrize(
    ("allowed", "line"),
    [
        ("Bash", "anything --at all"),
        ("Bash(*)", "anything --at all"),
        ("Bash(git:*)", "git"),
        ("Bash(git:*)", "git status --short"),
        ("Bash(git add:*) Bash(git commit:*)", "git add . && git commit -m 'a b'"),
        ("execute(git *)", "git log"),
        ("Bash(git status)", "git status"),
        ("Bash(git:*), Bash(wc:*)", "git log | wc -l"),
        ("Bash(git:*)", "git log 2>/dev/null"),
        ("Bash(git:*) Write", "git log > log.txt"),
        ("Bash(git:*) Write(out/**)", "git log >> out/log.txt"),
        ("Bash(git:*) Read", "git apply < a.patch"),
        ("Bash", "git log > log.txt"),
    ],
)
def test_commands_that_fit_may_run(allowed: str, line: str) -> None:
    assert lets(allowed, shell(line))


@pytest.mark.parametrize(
    ("allowed", "line"),
    [
        ("Read", "git status"),
        ("Bash(git:*)", "rm -rf ."),
        ("Bash(git:*)", "gitx"),
        ("Bash(git:*)", "git status; rm -rf ."),
        ("Bash(git:*)", "git status && curl example.com"),
        ("Bash(git:*)", "git status $(rm x)"),
        ("Bash(git:*)", "echo git status"),
        ("Bash(git:*)", "env git status"),
        ("Bash(git:*)", "$GIT status"),
        ("Bash(git:*)", "eval 'git status'"),
        ("Bash(git:*)", "GIT_PAGER=evil git log"),
        ("Bash(git:*)", "bash -c 'git status; rm x'"),
        ("Bash(git:*)", "> file"),
        ("Bash(git:*)", "git log <(rm x)"),
        ("Bash(git:*)", "git () { rm x; }; git log"),
        ("Bash(git:*)", "git log\nrm x"),
        ("Bash(git status)", "git status --short"),
        ("Bash(git:*)", "git --version > pwned"),
        ("Bash(git:*) Read", "git --version > pwned"),
        ("Bash(git:*) Write(out/**)", "git log > src/log.txt"),
        ("Bash(git:*) Read Write(out/**)", "git apply < a.patch > src/log.txt"),
        ("Bash(git:*)", "git apply < a.patch"),
    ],
)
def test_commands_are_parsed_and_each_has_to_fit(allowed: str, line: str) -> None:
    assert not lets(allowed, shell(line))


def test_the_names_of_other_products_mean_our_tools() -> None:
    for theirs, ours in (("Read", "read_file"), ("Write", "write_file"), ("Edit", "edit_file")):
        assert lets(theirs, Action(ours, "edit"))
        assert not lets(theirs, Action("delete", "edit"))
    assert lets("Grep Glob LS", Action("grep", "read"))
    assert lets("Grep Glob LS", Action("ls", "read"))
    assert lets("Bash(git:*)", Action("job", "execute"))
    assert lets("mcp__wiki__*", Action("mcp__wiki__find", "other"))
    assert not lets("mcp__wiki__*", Action("mcp__files__find", "other"))


def test_paths_and_hosts_can_be_restricted() -> None:
    def edit(path: str) -> Action:
        return Action("edit_file", "edit", {}, Touches(paths=(path,)))

    assert lets("Edit(docs/**)", edit("/project/docs/a/b.md"))
    assert not lets("Edit(docs/**)", edit("/project/src/a.md"))
    assert lets("Edit(/project/*.md) Edit(docs/**)", edit("/project/a.md"))
    assert not lets("Edit(/project/*.md)", Action("edit_file", "edit"))
    fetch = Action("webfetch", "network", {}, Touches(hosts=("example.com",)))
    assert lets("WebFetch(domain:example.com)", fetch)
    assert not lets("WebFetch(domain:other.com)", fetch)


def test_tools_for_the_conversation_can_always_be_called() -> None:
    for name in ("skill", "write_todos", "update_todos", "ask_user"):
        assert lets("Read", Action(name, "read"))


def look() -> str:
    """Look."""
    return "seen"


def change() -> str:
    """Change something."""
    return "changed"


NARROW = Skill("narrow", "Only looks.", "Look.", allowed_tools=["look"])


def test_while_a_skill_is_active_other_tools_are_refused() -> None:
    async def main() -> None:
        replies = [
            call("change"),
            call("skill", name="narrow"),
            calls(call("look"), call("change"), call("write_todos", todos=[{"text": "a"}])),
            call("skill", done=True),
            call("change"),
        ]
        async with at_work(Skills(skills=[NARROW]), replies, tools=[look, change]) as work:
            first, loaded, seen, refused, todos, left, last = await work.hear()
            assert (first, seen, last) == ("ok: changed", "ok: seen", "ok: changed")
            assert "Until you are done with it you can use only: look." in loaded
            assert refused == (
                "refused: The skill 'narrow' is active and allows only: look. Use these; whoever "
                "loaded it and is done with it calls skill(done=true)."
            )
            assert todos.startswith("ok: ")
            assert left == "ok: No skill of yours is active now."

    run(main())


def test_the_next_input_of_the_user_ends_it_and_a_signal_does_not() -> None:
    async def main() -> None:
        replies = [
            call("skill", name="narrow"),
            call("ask_user", question="And now?"),
            call("change"),
        ]
        async with at_work(Skills(skills=[NARROW]), replies, tools=[look, change]) as work:
            handle = await work.session.send("go")
            outcome = await handle
            assert isinstance(outcome, Waiting)
            await work.session.signal("It rains.", source="weather")
            await work.session.answer(outcome.questions[0], "on")
            await handle
            assert heard(work.model.requests[-1])[-1].startswith("refused: The skill 'narrow'")
            assert work.session.read(ACTIVE) is None
            assert await work.do("now")

    run(main())


def test_a_run_that_is_stopped_ends_it() -> None:
    async def main() -> None:
        ask = call("ask_user", question="So?")
        replies = [say("hello"), call("skill", name="narrow"), ask, say("x"), call("change")]
        async with at_work(Skills(skills=[NARROW]), replies, tools=[change]) as work:
            await work.do("first")
            handle = await work.session.send("second")
            assert isinstance(await handle, Waiting)
            active = work.session.read(ACTIVE)
            assert active is not None
            assert (active.name, active.allowed) == ("narrow", ("look",))
            await work.session.interrupt()
            await handle
            assert work.session.read(ACTIVE) is None

    run(main())


def test_nothing_is_granted_and_a_deny_holds() -> None:
    wide = Skill("wide", "Changes.", "Change.", allowed_tools=["change", "look"])

    async def main() -> None:
        rules = (Rule("deny", tool="look"), Rule("ask", tool="change"))
        replies = [call("skill", name="wide"), calls(call("look"), call("change"))]
        async with at_work(
            Skills(skills=[wide]), replies, tools=[look, change], rules=rules
        ) as work:
            outcome = await (await work.session.send("go"))
            assert isinstance(outcome, Waiting)
            (approval,) = work.session.display.approvals
            assert approval.tool == "change"
            (denied,) = [
                one for one in await of(work.session, e.ToolEnded) if one.status == "refused"
            ]
            assert "rule" in str(denied.parts)

    run(main())


def test_no_hook_is_asked_and_nothing_more_is_written_for_it(tmp_path: Path) -> None:
    async def main() -> None:
        replies = [call("skill", name="narrow"), call("look"), call("change")]
        async with at_work(Skills(skills=[NARROW]), replies, tools=[look, change]) as work:
            await work.do()
            asked = [one.point for one in await of(work.session, e.HookEnded)]
            assert "before_tool" not in asked

    run(main())


def test_commands_are_held_to_it_in_a_real_workspace(tmp_path: Path) -> None:
    skills, folder = tmp_path / "skills", tmp_path / "work"
    folder.mkdir()
    put(skills, "echoing", more="allowed-tools: Bash(echo:*) Read\n")

    async def main() -> None:
        replies = [
            call("skill", name="echoing"),
            call("execute", command="echo hello"),
            call("execute", command="echo hello; touch x"),
            call("write_file", path="x", content="x"),
        ]
        rules = (Rule("allow", tool="execute"),)
        async with at_work(Skills([skills]), replies, Workspace(folder), rules=rules) as work:
            _, echoed, touched, written = await work.hear()
            assert echoed.startswith("ok: hello")
            assert touched.startswith("refused: The skill 'echoing' is active")
            assert written.startswith("refused: The skill 'echoing' is active")
            assert not list(folder.iterdir())

    run(main())


@pytest.mark.parametrize("body", ["Mark it.", "Mark it. " * 1_000])
def test_the_active_skill_stays_in_requests_that_were_compacted(body: str) -> None:
    def speak(request: Request) -> Reply:
        asked = "Goal" in request.messages[-1].text
        seen.extend([] if asked else ["\n".join(m.text for m in request.messages)])
        if asked:
            return reply(say("## Goal"), usage=None)
        if len(seen) == 1:
            return reply(call("skill", name="marking"), usage=None)
        return reply(call("look") if len(seen) < 40 else say("Done."), usage=None)

    @tool(category="read")
    async def look() -> str:
        """Look."""
        return "Some words of a file. " * 50

    async def main() -> None:
        skill = Skill("marking", "Marks. Use to mark.", body, allowed_tools=("look",))
        agent = Agent(
            "tester",
            model=ScriptedModel(speak),
            tools=[look],
            capabilities=[Skills(skills=[skill])],
        )
        prices = {"custom:ScriptedModel": Price("1", "2", window=16_000)}
        async with Harness(agent, prices=prices, environ={}) as harness:
            session = await harness.session()
            await (await session.send("go"))
            assert await of(session, e.Compacted)
        assert all("Mark it." in text for text in seen[1:])
        assert "you can use only: look" in seen[-1]
        assert ("load the skill again" in seen[-1]) == (len(body) > 4_000)

    seen: list[str] = []
    run(main())
