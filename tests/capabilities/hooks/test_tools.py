"""PreToolUse and PostToolUse: what hooks are told of calls, and what they can do about them."""

from pathlib import Path

import pytest

from longrein.capabilities.hooks.seen import SEEN
from longrein.core import events as e
from longrein.core.outcomes import Aborted, Finished
from longrein.core.policy import Rule
from longrein.session.session import Session
from longrein.testing import call, say
from longrein.tools.define import tool
from tests.capabilities.hooks.kit import Shell, answer, decided
from tests.capabilities.kit import results, words
from tests.session.kit import of, said, waiting, with_session

READ = [call("read", path="/a"), say("ok")]
DEPLOY = [call("deploy", target="prod"), say("ok")]
LONG = 70_000


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def heard(shell: Shell, *, rules: tuple[Rule, ...] = ()) -> list[str]:
    """How the calls of a run ended that somebody would otherwise have let run."""
    found: list[str] = []

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        found.extend(results(session))

    with_session(shell.harness(READ, rules=rules), body)
    return found


def test_a_hook_is_told_who_calls_what_with_which_arguments(shell: Shell) -> None:
    shell.on("PreToolUse")

    async def body(session: Session) -> None:
        await (await session.send("go"))
        (told,) = shell.told("PreToolUse")
        assert told["session_id"] == session.thread
        assert told["cwd"] == str(shell.folder)
        assert (told["hook_event_name"], told["permission_mode"]) == ("PreToolUse", "default")
        assert (told["tool_name"], told["tool_input"]) == ("read", {"path": "/a"})
        assert results(session) == ["ok: content of /a"]

    with_session(shell.harness(READ), body)


def test_code_2_refuses_the_call_and_the_model_hears_what_was_written_to_standard_error(
    shell: Shell,
) -> None:
    shell.on("PreToolUse", "echo Not this file. >&2; exit 2")
    assert heard(shell) == ["refused: Not this file."]


def test_deny_refuses_the_call_with_its_reason(shell: Shell) -> None:
    shell.on("PreToolUse", decided("deny", "Read the manual first."))
    assert heard(shell) == ["refused: Read the manual first."]


def test_the_older_way_to_say_no_is_understood(shell: Shell) -> None:
    shell.on("PreToolUse", answer(decision="block", reason="Not today."))
    assert heard(shell) == ["refused: Not today."]


def test_other_codes_let_the_call_run_and_people_are_told(shell: Shell) -> None:
    shell.on("PreToolUse", "echo broken >&2; exit 1")

    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert results(session) == ["ok: content of /a"]
        (warned,) = await of(session, e.Warned)
        assert "ended with code 1: broken" in warned.problem.message

    with_session(shell.harness(READ), body)


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("sleep 20", "it took longer than 0.2 s"),
        ("./is-not-there", "it cannot be started"),
        ("kill -9 $$", "it was ended by signal 9"),
        ("sh -c 'kill -9 $$'; exit $?", "it was ended by signal 9"),
        (answer(hookSpecificOutput={"permissionDecision": "dney"}), "its answer is not understood"),
        ("""echo '{"decision": "block"'""", "its answer is not understood"),
        ("""printf '\\357\\273\\277{"decision": "block"'""", "its answer is not understood"),
        ("""echo '{"a": 1}{"decision": "block"}'""", "its answer is not understood"),
        (
            f"""printf '{{"decision": "block", "reason": "%{LONG}s"}}' x""",
            "longer than 65,536 bytes",
        ),
        (f"""printf '%{LONG}s' '{{"decision": "block"}}'""", "longer than 65,536 bytes"),
    ],
)
def test_a_hook_that_cannot_say_anything_refuses_the_call(
    shell: Shell, script: str, why: str
) -> None:
    shell.on("PreToolUse", script, timeout=0.2 if "sleep" in script else 40)
    (refused,) = heard(shell)
    assert refused.startswith("refused: The hook `")
    assert why in refused


def test_text_that_is_no_json_lets_the_call_run_however_long_it_is(shell: Shell) -> None:
    shell.on("PreToolUse", f"""printf 'looked at it %{LONG}s' x""")
    assert heard(shell) == ["ok: content of /a"]


def test_a_mark_of_the_byte_order_before_an_answer_is_no_part_of_it(shell: Shell) -> None:
    shell.on("PreToolUse", """printf '\\357\\273\\277{"decision": "block", "reason": "No."}'""")
    assert heard(shell) == ["refused: No."]


def test_allow_does_not_spare_anybody_a_question(shell: Shell) -> None:
    shell.on("PreToolUse", decided("allow"))

    async def body(session: Session) -> None:
        await waiting(await session.send("go"))
        assert [one.tool for one in session.display.approvals] == ["deploy"]

    with_session(shell.harness(DEPLOY), body)


def test_ask_has_a_person_asked_whatever_is_trusted_and_a_yes_lets_it_run(shell: Shell) -> None:
    shell.on("PreToolUse", decided("ask", "Production is live."))

    async def body(session: Session) -> None:
        await session.set_trust("yolo")
        run = await session.send("go")
        await waiting(run)
        (approval,) = session.display.approvals
        assert approval.rule == "hook:shell_hooks: Production is live."
        await session.approve(approval.id)
        assert await run == Finished("ok")
        assert results(session) == ["ok: content of /a"]

    with_session(shell.harness(READ), body)


def test_other_arguments_are_what_rules_then_decide_on(shell: Shell) -> None:
    shell.on("PreToolUse", decided("allow", updatedInput={"path": "/secret"}))
    rules = (Rule("deny", tool="read", arguments={"path": "/secret"}),)
    (refused,) = heard(shell, rules=rules)
    assert "not allowed here" in refused


def test_arguments_go_by_the_names_that_are_known_elsewhere(shell: Shell) -> None:
    @tool(category="read")
    async def write_file(path: str, content: str) -> str:
        return f"{path}: {content}"

    shell.on("PreToolUse", decided("allow", updatedInput={"file_path": "/b"}), matcher="Write")
    replies = [call("write_file", path="/a", content="x"), say("ok")]

    async def body(session: Session) -> None:
        await (await session.send("go"))
        (told,) = shell.told("PreToolUse")
        assert (told["tool_name"], told["longrein_tool_name"]) == ("Write", "write_file")
        assert told["tool_input"] == {"path": "/a", "content": "x", "file_path": "/a"}
        assert results(session) == ["ok: /b: x"]

    with_session(shell.harness(replies, write_file), body)


def test_a_hook_for_other_tools_is_not_run(shell: Shell) -> None:
    shell.on("PreToolUse", "exit 2", matcher="Bash|Edit")
    assert heard(shell) == ["ok: content of /a"]
    assert shell.told("PreToolUse") == []


def test_hooks_of_one_event_run_side_by_side_and_each_command_once(shell: Shell) -> None:
    meet = "touch {one}; for i in $(seq 400); do [ -e {other} ] && exit; sleep 0.02; done; exit 2"
    shell.on("PreToolUse", meet.format(one="a", other="b"))
    shell.on("PreToolUse", meet.format(one="b", other="a"))
    shell.on("PreToolUse", meet.format(one="b", other="a"), matcher="read")
    assert heard(shell) == ["ok: content of /a"]
    assert len(shell.told("PreToolUse")) == 2


def test_after_a_call_the_model_hears_what_a_hook_has_to_say(shell: Shell) -> None:
    shell.on("PostToolUse", "echo Mind the tabs. >&2; exit 2")

    async def body(session: Session) -> None:
        await (await session.send("go"))
        (told,) = shell.told("PostToolUse")
        assert told["tool_response"]["output"] == "content of /a"
        assert words(said(session))[2:4] == [
            "ok: content of /a",
            "shell_hooks: A shell hook looked at read and says: Mind the tabs.",
        ]

    with_session(shell.harness(READ), body)


def test_continue_false_ends_the_run_with_its_reason(shell: Shell) -> None:
    shell.on("PostToolUse", answer(**{"continue": False, "stopReason": "The build is red."}))

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Aborted("The build is red.")
        assert results(session) == ["ok: content of /a"]
        assert await (await session.send("go on")) == Finished("ok")

    with_session(shell.harness(READ), body)


def test_what_came_of_a_hook_is_kept_in_the_thread(shell: Shell) -> None:
    shell.on("PreToolUse", "echo No. >&2; exit 2")

    async def body(session: Session) -> None:
        await (await session.send("go"))
        (last,) = session.read(SEEN).last.values()
        assert (last.outcome, last.message) == ("blocked", "No.")
        shown = await session.invoke("hooks")
        assert "PreToolUse: told=" in shown
        assert "last: blocked in" in shown

    with_session(shell.harness(READ), body)
