"""Commands of the person's own: heard as they run, ended whole, told to the agent."""

import asyncio
import os
import tracemalloc
from pathlib import Path
from typing import NamedTuple

from longrein.client.local import LocalClient
from longrein.client.own_shell import MOST_TOLD, STOPPED, OwnShell
from longrein.client.port import About
from longrein.core.messages import Note
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.testing import Script, ScriptedModel, say
from tests.support import run

MUCH = 200_000_000
"""Characters that a command says."""


class Ran(NamedTuple):
    """How a line ended, what was heard of it, and what is told."""

    code: int
    heard: str
    told: str


def ran(folder: Path, line: str) -> Ran:
    """A line that has ended."""

    async def do() -> Ran:
        shell, heard, told = OwnShell(str(folder)), list[str](), Told()
        try:
            code = await shell.run(line, heard.append, told)
            return Ran(code, "".join(heard), told.text)
        finally:
            await shell.close()

    return run(do())


class Told:
    """Hears what the agent is told."""

    text = ""

    async def __call__(self, text: str) -> None:
        self.text = text


def test_output_and_exit_code_are_heard_and_told(tmp_path: Path) -> None:
    ended = ran(tmp_path, "pwd; echo wrong >&2; exit 3")
    heard = ended.heard
    assert heard == f"{tmp_path}\nwrong\n"
    assert ended.code == 3
    assert ended.told.endswith(f"$ pwd; echo wrong >&2; exit 3\n{heard}[exit code 3]")


def test_it_runs_as_the_person_with_all_their_variables(tmp_path: Path) -> None:
    os.environ["LONGREIN_TEST_OWN"] = "mine"
    try:
        assert ran(tmp_path, "echo $LONGREIN_TEST_OWN").heard == "mine\n"
    finally:
        del os.environ["LONGREIN_TEST_OWN"]


def test_output_is_heard_while_the_command_runs(tmp_path: Path) -> None:
    async def do() -> None:
        shell, heard, told = OwnShell(str(tmp_path)), asyncio.Event(), Told()
        running = asyncio.create_task(shell.run("echo first; cat go", lambda _: heard.set(), told))
        await heard.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await shell.close()
        assert told.text.endswith(f"first\n[exit code {STOPPED}]")

    os.mkfifo(tmp_path / "go")
    run(do())


def test_it_runs_until_the_agent_was_told(tmp_path: Path) -> None:
    async def do() -> None:
        shell, ran = OwnShell(str(tmp_path)), list[bool]()

        async def tell(text: str) -> None:
            await asyncio.sleep(0)
            ran.append(shell.runs)

        await shell.run("true", lambda _: None, tell)
        await shell.close()
        assert (ran, shell.runs) == ([True], False)

    run(do())


def test_cancelling_ends_everything_that_it_started(tmp_path: Path) -> None:
    async def do() -> int:
        shell, heard = OwnShell(str(tmp_path)), asyncio.Queue[str]()
        line = "sh -c 'sh -c \"echo \\$\\$; exec sleep 600\" & wait'"
        running = asyncio.create_task(shell.run(line, heard.put_nowait, Told()))
        grandchild = int(await heard.get())
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert running.cancelled()
        await shell.close()
        return grandchild

    grandchild = run(do())
    assert not Path(f"/proc/{grandchild}").exists()


def test_a_command_that_reads_the_keyboard_gets_an_end_instead(tmp_path: Path) -> None:
    assert ran(tmp_path, "cat; read x || echo nothing").heard == "nothing\n"


def test_bytes_that_are_no_text_are_shown_as_such(tmp_path: Path) -> None:
    assert ran(tmp_path, r"printf 'a\xffb\xe2\x82'").heard == "a\ufffdb\ufffd"


def test_letters_are_whole_even_where_pieces_of_output_end(tmp_path: Path) -> None:
    heard = ran(tmp_path, r"printf '\xe2'; sleep 0.05; printf '\x82\xac'").heard
    assert heard == "€"


def test_very_much_output_takes_little_memory_and_keeps_nobody_waiting(tmp_path: Path) -> None:
    async def do() -> tuple[str, int, int]:
        shell, heard, told = OwnShell(str(tmp_path)), 0, Told()
        most, last = 0, 0

        def hear(text: str) -> None:
            nonlocal heard
            heard += len(text)

        async def others() -> None:
            nonlocal most, last
            while True:
                await asyncio.sleep(0)
                most, last = max(most, heard - last), heard

        turns = asyncio.create_task(others())
        await shell.run(f"echo begin; yes | head -c {MUCH}; echo end", hear, told)
        turns.cancel()
        await shell.close()
        return told.text, heard, most

    tracemalloc.start()
    try:
        told, heard, between_turns = run(do())
        memory = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert heard == MUCH + len("begin\nend\n")
    assert len(told) < MOST_TOLD + 300
    assert "\nbegin\ny\n" in told
    assert "characters left out]" in told
    assert told.endswith("y\nend\n[exit code 0]")
    assert memory < 20_000_000
    assert between_turns < 1_000_000


def test_the_agent_is_told_of_it_without_the_keys_in_it(tmp_path: Path) -> None:
    async def do() -> list[str]:
        key = "sk-not-for-the-log-123456"
        agent = Agent("assistant", model=ScriptedModel(Script([say("Hello.")])))
        async with Harness(agent, store="memory", environ={"ANTHROPIC_API_KEY": key}) as harness:
            client = LocalClient(harness, "tester", About(str(tmp_path), ()))
            thread = await client.open()
            heard: list[str] = []
            assert await thread.shell(f"echo {key}", heard.append) == 0
            assert heard == [f"{key}\n"]
            await thread.say("send", "What did I run?")
            async for shown in thread.displays():
                if shown.activity == "idle" and len(shown.messages) >= 3:
                    break
            await client.close()
            return [one.text for one in thread.display.messages if isinstance(one, Note)]

    told = (
        "The user ran this command:\n$ echo [secret:ANTHROPIC_API_KEY]\n"
        "[secret:ANTHROPIC_API_KEY]\n[exit code 0]"
    )
    assert any(told in note for note in run(do()))
