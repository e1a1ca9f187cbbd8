"""Which commands run unasked, which are asked about, and what a person is shown."""

from dataclasses import replace
from pathlib import Path

from longrein.capabilities.shell_tools.jobs import Job
from longrein.capabilities.shell_tools.shell import Shell
from longrein.core.outcomes import Finished, Waiting
from longrein.core.policy import Rule
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.testing import Reply, Script, ScriptedModel, call, calls, say
from longrein.workspace.disk import DiskFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import Command
from longrein.workspace.sandbox.host import HostShell
from tests.capabilities.kit import results
from tests.capabilities.shell_tools.kit import ShellAlone
from tests.capabilities.shell_tools.plain import PlainSandbox
from tests.session.kit import waiting
from tests.support import run

NO_ENV = (FileRule("deny", ("**/.env",)),)


def isolating(folder: Path, rules: tuple[FileRule, ...] = ()) -> Shell:
    """A shell that says it isolates, with the files of its folder."""
    files = Mounts({str(folder): DiskFiles(str(folder))})
    return Shell(PlainSandbox(["nothing gets out"]), str(folder), files=files, rules=rules)


def harness(shell: Shell, *replies: Reply, rules: tuple[Rule, ...] = ()) -> Harness:
    model = ScriptedModel(Script([*replies, say("ok")]))
    agent = Agent("tester", model=model, capabilities=[ShellAlone(lambda: shell)])
    return Harness(agent, environ={}, rules=rules)


def asked(shell: Shell, line: str, *rules: Rule) -> list[str]:
    """The rules that ask about a line, or how the call ended unasked."""

    async def body() -> list[str]:
        async with harness(shell, call("execute", command=line), rules=rules) as made:
            session = await made.session("ada")
            outcome = await (await session.send("go"))
            if isinstance(outcome, Waiting):
                (approval,) = session.display.approvals
                return [approval.rule]
            assert isinstance(outcome, Finished)
            return results(session)

    return run(body())


def preview(shell: Shell, *replies: Reply) -> str:
    """What a person is shown about the last of these calls."""

    async def body() -> str:
        async with harness(shell, *replies) as made:
            session = await made.session("ada")
            await waiting(await session.send("go"))
            (approval,) = session.display.approvals
            return approval.preview

    return run(body())


def test_a_harmless_command_runs_unasked_where_it_is_isolated(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("hello\n")
    assert asked(isolating(tmp_path), "cat a | wc -l") == ["ok: 1\n[exit code 0]"]


def test_a_command_that_names_a_file_outside_of_the_workspace_is_clear(tmp_path: Path) -> None:
    assert asked(isolating(tmp_path), "cat /elsewhere/a") == ["default:execute"]


def test_a_harmless_command_is_asked_about_where_it_is_not_isolated(tmp_path: Path) -> None:
    assert asked(Shell(HostShell(), str(tmp_path)), "ls") == ["default:execute"]


def test_any_other_command_is_asked_about(tmp_path: Path) -> None:
    assert asked(isolating(tmp_path), "touch a") == ["default:execute"]


def test_a_rule_allows_a_command_by_name(tmp_path: Path) -> None:
    rule = Rule("allow", tool="execute", command="touch *")
    shell = Shell(PlainSandbox(), str(tmp_path))
    assert asked(shell, "touch a", rule) == ["ok: [exit code 0]"]


def test_a_rule_does_not_allow_what_is_not_clear(tmp_path: Path) -> None:
    rules = Rule("allow", tool="execute", command="touch *"), Rule("allow", tool="execute")
    assert asked(isolating(tmp_path), "touch $X", *rules) == ["shell: not clear what it does"]


def test_a_dangerous_command_is_asked_about_whatever_allows_it(tmp_path: Path) -> None:
    rule = Rule("allow", tool="execute", command="**")
    assert asked(isolating(tmp_path), "rm -rf /", rule) == ["shell: removes-root"]


def test_a_file_that_rules_deny_is_denied_to_commands_that_name_it(tmp_path: Path) -> None:
    (tmp_path / ".env").touch()
    shell = isolating(tmp_path, NO_ENV)
    for line in ("cat .env", "echo a > .env", "cat < .env"):
        (text,) = asked(shell, line)
        assert text.startswith("refused: ")
        assert "file rule: deny read+write **/.env" in text


def test_a_link_to_a_denied_file_is_denied(tmp_path: Path) -> None:
    (tmp_path / ".env").touch()
    (tmp_path / "link").symlink_to(".env")
    (text,) = asked(isolating(tmp_path, NO_ENV), "cat link")
    assert text.startswith("refused: ")


def test_a_link_that_leads_out_is_not_harmless(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")
    assert asked(isolating(tmp_path), "cat link") == ["shell: not clear what it does"]


def test_with_deny_rules_nothing_runs_where_nothing_is_isolated(tmp_path: Path) -> None:
    shell = Shell(HostShell(), str(tmp_path), rules=NO_ENV, denies=True)
    (text,) = asked(shell, "true", Rule("allow", tool="execute"))
    assert text.startswith("error: Nothing was run: file rules deny some files")


def test_that_can_be_turned_off_by_name(tmp_path: Path) -> None:
    shell = Shell(
        PlainSandbox(), str(tmp_path), rules=NO_ENV, deny_rules_do_not_bind_the_shell=True
    )
    assert asked(shell, "touch a", Rule("allow", tool="execute")) == ["ok: [exit code 0]"]


def test_a_person_is_shown_the_commands_and_what_holds_for_them(tmp_path: Path) -> None:
    async def beyond() -> str:
        return "Not rewindable: big.iso"

    shell = replace(isolating(tmp_path), not_rewindable=beyond)
    line = call("execute", command="timeout 5 git push -f > log", background=True)
    assert preview(shell, line).splitlines() == [
        "timeout 5 git push -f",
        "git push -f",
        f"in {tmp_path}, in the background",
        f"writes {tmp_path}/log",
        "isolated by plain, network off",
        "dangerous (git-overwrites): overwrites or removes what others may have fetched",
        "not proven harmless: it writes or reads a file by a redirection",
        "Not rewindable: big.iso",
    ]


def test_jobs_are_read_and_stopped_unasked_but_not_written_to(tmp_path: Path) -> None:
    async def body() -> None:
        shell = isolating(tmp_path)
        replies = calls(call("job", id=1), call("job", id=1, action="write", input="rm -rf /"))
        async with harness(shell, replies) as made:
            session = await made.session("ada")
            command = await shell.sandbox.start(_sleep(tmp_path))
            job = Job(1, 0, _sleep(tmp_path), command, shell.outputs.log(), shell.clock)
            shell.jobs.add(job, 10)
            await waiting(await session.send("go"))
            (approval,) = session.display.approvals
            assert approval.preview.splitlines()[:2] == ["write 'rm -rf /'", "job 1: sleep 60"]

    run(body())


def _sleep(folder: Path) -> Command:
    return Command("sleep 60", str(folder))
