"""Hooks around runs and sessions: prompts, ends, notifications, beginning and closing."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from longrein.capabilities.hooks.capability import ShellHooks
from longrein.capabilities.subagents.capability import Subagents
from longrein.core.outcomes import Aborted, Finished
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.base import Request
from longrein.session.session import Session
from longrein.storage.sqlite import SqliteStore
from longrein.testing import Reply, ScriptedModel, call, say
from tests.capabilities.hooks.kit import Shell, answer
from tests.capabilities.kit import hosting, scripted, words
from tests.session.crowded import Looker, crowded
from tests.session.kit import said, until, waiting, with_session
from tests.session.tools import deploy, read
from tests.support import run


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_what_a_hook_writes_about_a_prompt_is_told_to_the_model(shell: Shell) -> None:
    shell.on("UserPromptSubmit", "echo The branch is main.")

    async def body(session: Session) -> None:
        await (await session.send("Where are we?"))
        assert [told["prompt"] for told in shell.told("UserPromptSubmit")] == ["Where are we?"]
        assert words(said(session))[:2] == [
            "user: Where are we?",
            "shell_hooks: A shell hook says (UserPromptSubmit):\nThe branch is main.",
        ]

    with_session(shell.harness([say("On main.")]), body)


def test_a_prompt_that_is_blocked_never_comes_before_the_model(shell: Shell) -> None:
    shell.on("UserPromptSubmit", "case $told in *secret*) echo Keep it. >&2; exit 2;; esac")
    model = scripted(say("Hello."))

    async def body(session: Session) -> None:
        assert await (await session.send("The secret is 42")) == Aborted("Keep it.")
        assert not model.requests
        assert words(said(session)) == []
        assert await (await session.send("Hi")) == Finished("Hello.")
        assert words(said(session)) == ["user: Hi", "model: Hello."]

    with_session(shell.harness(model), body)


def test_what_is_said_into_a_run_is_looked_at_too(shell: Shell) -> None:
    shell.on("UserPromptSubmit", "case $told in *secret*) echo Keep it. >&2; exit 2;; esac")

    async def body(session: Session) -> None:
        handle = await session.send("go")
        (approval,) = (await waiting(handle)).approvals
        await session.send("The secret is 42")
        await session.approve(approval)
        assert await handle == Aborted("Keep it.")
        assert words(said(session))[-1] == "ok: deployed to prod"

    with_session(shell.harness([call("deploy", target="prod"), say("never")]), body)


def test_a_run_goes_on_while_a_stop_hook_says_so_and_is_told_that_it_does(shell: Shell) -> None:
    shell.on("Stop", "[ -e done ] && exit; touch done; echo The tests fail. >&2; exit 2")

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("Now it works.")
        first, second = shell.told("Stop")
        assert (first["stop_hook_active"], first["last_assistant_message"]) == (False, "Done.")
        assert second["stop_hook_active"] is True
        assert "shell_hooks: The tests fail." in words(said(session))

    with_session(shell.harness([say("Done."), say("Now it works.")]), body)


def test_a_child_has_a_stop_of_its_own(shell: Shell) -> None:
    shell.on("Stop").on("SubagentStop")
    task = call("task", agent="general-purpose", description="look", prompt="Look.")

    def speaks(request: Request) -> Reply:
        if "You are the subagent" in request.system:
            return say("Seen.")
        return say("ok") if len(request.messages) > 1 else task

    model = ScriptedModel(speaks)
    agent = Agent("tester", model=model, capabilities=[Subagents(), shell.capability()])

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert [told["last_assistant_message"] for told in shell.told("Stop")] == ["ok"]
        (child,) = shell.told("SubagentStop")
        assert child["last_assistant_message"] == "Seen."

    with_session(Harness(agent, environ={}), body)


def test_calls_of_children_are_looked_at_too(shell: Shell) -> None:
    shell.on("PreToolUse", "echo Not that. >&2; exit 2", matcher="read")
    task = call("task", agent="general-purpose", description="look", prompt="Look.")

    def speaks(request: Request) -> Reply:
        heard = words(request.messages)
        if "You are the subagent" in request.system:
            return say(heard[-1]) if len(heard) > 1 else call("read", path="/a")
        return say(heard[-1]) if len(heard) > 1 else task

    capabilities = [Subagents(), shell.capability()]
    agent = Agent("tester", model=ScriptedModel(speaks), tools=[read], capabilities=capabilities)

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok: refused: Not that.")

    with_session(Harness(agent, environ={}), body)


def test_people_are_notified_when_they_are_waited_for(shell: Shell) -> None:
    shell.on("Notification")

    async def body(session: Session) -> None:
        handle = await session.send("go")
        (approval,) = (await waiting(handle)).approvals
        await until(lambda: len(shell.told("Notification")) == 1)
        await session.approve(approval)
        await handle
        await until(lambda: len(shell.told("Notification")) == 2)
        kinds = [told["notification_type"] for told in shell.told("Notification")]
        assert kinds == ["permission_prompt", "idle_prompt"]
        assert shell.told("Notification")[0]["message"].endswith("permission to use deploy")

    with_session(shell.harness([call("deploy", target="prod"), say("ok")]), body)


def test_a_session_begins_with_its_first_run_and_ends_when_it_is_closed(shell: Shell) -> None:
    shell.on("SessionStart", "echo Use tabs.").on("SessionEnd")
    store = SqliteStore(str(shell.folder / "log.db"))

    async def opened(*texts: str) -> list[str]:
        async with hosting([say("ok")] * 2, shell.capability(), store=store) as harness:
            session = await harness.session("tester")
            for text in texts:
                await (await session.send(text))
            return words(said(session))

    async def test() -> None:
        await opened()
        assert shell.told("SessionStart") == shell.told("SessionEnd") == []
        first = await opened("one", "two")
        assert sum("Use tabs." in line for line in first) == 1
        await opened("three")
        await store.close()
        sources = [told["source"] for told in shell.told("SessionStart")]
        assert sources == ["startup", "resume"]
        assert [told["reason"] for told in shell.told("SessionEnd")] == ["other", "other"]

    run(test())


def test_a_command_that_is_interrupted_is_killed_with_all_that_it_started(shell: Shell) -> None:
    shell.on("PreToolUse", "(sleep 30; touch late) & echo $! > pid; wait")

    async def body(session: Session) -> None:
        handle = await session.send("go")
        pid = shell.folder / "pid"
        await until(lambda: pid.exists() and bool(pid.read_text().strip()))
        await session.interrupt()
        assert isinstance(await handle, Aborted)
        await until(lambda: not _runs(int(pid.read_text())))

    with_session(shell.harness([call("read"), say("never")]), body)


def test_what_a_hook_leaves_running_is_not_waited_for(shell: Shell) -> None:
    shell.on("SessionStart", "sleep 30 & echo $! > pid; echo Begun.")

    async def body(session: Session) -> None:
        async with asyncio.timeout(20):
            assert await (await session.send("go")) == Finished("ok")
        assert any("Begun." in line for line in words(said(session)))

    try:
        with_session(shell.harness([say("ok")]), body)
    finally:
        os.kill(int((shell.folder / "pid").read_text()), signal.SIGKILL)


def test_output_without_end_is_cut(shell: Shell) -> None:
    shell.on("SessionStart", "head -c 3000000 /dev/zero | tr '\\0' x")

    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert len("".join(words(said(session)))) < 11_000

    with_session(shell.harness([say("ok")]), body)


def test_without_hooks_nothing_is_asked_and_nothing_written() -> None:
    capability = ShellHooks([])
    points = ("before_run", "before_model", "before_tool", "after_tool", "before_finish")
    assert not any(capability.has(point) for point in (*points, "on_event"))


def test_a_message_for_people_is_shown_to_them(shell: Shell) -> None:
    shell.on("PostToolUse", answer(systemMessage="Formatted."))

    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert [one.message for one in session.display.warnings] == ["Formatted."]

    with_session(shell.harness([call("read"), say("ok")], read, deploy), body)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_what_one_hook_says_of_a_prompt_that_another_blocks_is_not_told(shell: Shell) -> None:
    shell.on("UserPromptSubmit", 'echo "You said: $told"').on("UserPromptSubmit", "exit 2")

    async def body(session: Session) -> None:
        assert isinstance(await (await session.send("A secret")), Aborted)
        assert words(said(session)) == []

    with_session(shell.harness([say("never")]), body)


def test_a_hook_is_told_that_the_run_goes_on_because_of_it_also_after_calls(shell: Shell) -> None:
    shell.on("PostToolUse").on("Stop", "[ -e done ] && exit; touch done; exit 2")

    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert [told["stop_hook_active"] for told in shell.told("Stop")] == [False, True]

    with_session(shell.harness([say("Done."), call("read"), say("Now.")]), body)


def test_a_summary_begins_the_session_anew_for_hooks(shell: Shell) -> None:
    shell.on("SessionStart", "echo Use tabs.").on("PreCompact")

    async def body(session: Session) -> None:
        await (await session.send("Look at all of it."))
        await session.compact()
        await until(lambda: session.folded.window is not None)
        await until(lambda: len(shell.told("PreCompact")) == 1)
        await (await session.send("More."))
        assert [told["source"] for told in shell.told("SessionStart")] == ["startup", "compact"]
        assert shell.told("PreCompact")[0]["trigger"] == "manual"

    with_session(crowded(Looker(8), window=None, capabilities=[shell.capability()]), body)
