"""`execute`: output, exit codes, timeouts, and what is left of a command afterwards."""

import json
import time
from pathlib import Path

from longrein.capabilities.shell_tools.live import PAUSE
from longrein.core.live import ToolOutputFragment
from longrein.testing import call, say
from tests.capabilities.kit import results
from tests.capabilities.shell_tools.kit import Making, gone, hosting, mark, runs, told, trusting
from tests.support import run


def heard(shell: Making, line: str, **arguments: object) -> str:
    """What the model hears of one command."""
    made = hosting(shell, call("execute", command=line, **arguments), say("ok"))
    (text,) = run(told(made))
    return text


def test_a_command_returns_what_it_put_out_on_both_streams(shell: Making) -> None:
    assert heard(shell, "echo out; echo err >&2") == "ok: out\nerr\n[exit code 0]"


def test_an_exit_code_is_said_and_is_no_failure_of_the_tool(shell: Making) -> None:
    assert heard(shell, "echo no; exit 2") == "ok: no\n[exit code 2]"


def test_a_command_without_output_says_only_how_it_ended(shell: Making) -> None:
    assert heard(shell, "true") == "ok: [exit code 0]"


def test_a_line_that_no_system_would_start_is_not_even_looked_at(shell: Making) -> None:
    assert "Write a script to a file" in heard(shell, "echo " + "x " * 70_000)


def test_a_signal_is_named(shell: Making) -> None:
    text = heard(shell, "kill -SEGV $$")
    assert text == "ok: [ended by signal 11, exit code 139]"


def test_a_timeout_keeps_the_output_and_ends_all_that_was_started(
    shell: Making, tmp_path: Path
) -> None:
    seconds = mark()
    line = f"echo begun; sleep {seconds} & sleep {seconds}"
    for timeout in (0.3, 3, 20):  # on a busy machine it may not have come to its first word
        text = heard(shell, line, timeout=timeout)
        assert gone(seconds)
        if "begun" in text:
            break
    assert text.startswith(
        f"ok: begun\n[ended, with all that it had started: it took longer than {timeout} s"
    )


def test_what_is_left_in_the_background_does_not_hold_a_command_up(
    shell: Making, tmp_path: Path
) -> None:
    seconds = mark()

    async def body() -> None:
        made = hosting(
            shell,
            call("execute", command=f"sleep {seconds} & echo done"),
            say("ok"),
        )
        async with trusting(made) as session:
            await (await session.send("go"))
            assert results(session) == ["ok: done\n[exit code 0]"]
            assert runs(seconds)

    run(body())
    assert gone(seconds)


def test_bytes_that_are_no_text_are_shown(shell: Making) -> None:
    assert heard(shell, r"printf 'caf\xe9 \xc3\xa9\n'") == "ok: caf\\xe9 é\n[exit code 0]"


def test_what_would_control_a_terminal_is_written_out_and_colours_are_left_out(
    shell: Making,
) -> None:
    text = heard(shell, r"printf '\e[31mred\e[0m \e]52;c;eA==\a 1\r2\n'")
    assert text == "ok: red \\x1b]52;c;eA==\\x07 1\n2\n[exit code 0]"


def test_a_command_that_reads_finds_the_end_of_its_input(shell: Making) -> None:
    assert heard(shell, "cat; echo end") == "ok: end\n[exit code 0]"


def test_a_folder_is_taken_from_the_working_folder(shell: Making, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    assert heard(shell, "pwd", folder="sub") == f"ok: {tmp_path}/sub\n[exit code 0]"


def test_a_command_that_is_empty_is_refused_in_words(shell: Making) -> None:
    assert heard(shell, "  ") == "error: Nothing was run: `command` is empty."


def test_output_is_shown_while_the_command_runs(shell: Making, tmp_path: Path) -> None:
    async def body() -> None:
        line = "echo one; until [ -e go ]; do sleep 0.01; done; echo two"
        made = hosting(shell, call("execute", command=line), say("ok"))
        pieces: list[str] = []
        async with trusting(made) as session:
            async for one in await session.send("go"):
                if isinstance(one, ToolOutputFragment):
                    pieces.append(one.text)
                    (tmp_path / "go").touch()
        assert pieces == ["one\n", "two\n"]

    run(body())


def test_output_is_shown_in_a_few_events(shell: Making) -> None:
    async def body() -> None:
        line = "for n in $(seq 200); do echo $n; sleep 0.002; done"
        made = hosting(shell, call("execute", command=line), say("ok"))
        async with trusting(made) as session:
            began = time.monotonic()
            shown = [one async for one in await session.send("go")]
            took = time.monotonic() - began
        pieces = [one.text for one in shown if isinstance(one, ToolOutputFragment)]
        assert "".join(pieces) == "".join(f"{n}\n" for n in range(1, 201))
        assert len(pieces) <= took / PAUSE + 2

    run(body())


def test_an_interrupt_ends_the_whole_tree_and_keeps_the_output(shell: Making) -> None:
    async def body() -> None:
        seconds = mark()
        line = f"sleep {seconds} & echo begun; sleep {seconds}"
        made = hosting(shell, call("execute", command=line), say("ok"))
        async with trusting(made) as session:
            async for shown in await session.send("go"):
                if isinstance(shown, ToolOutputFragment):
                    await session.interrupt()
            (text,) = results(session)
            assert text.startswith("interrupted: ")
            assert text.endswith("begun\n")
            assert gone(seconds)

    run(body())


def test_the_keys_of_the_harness_do_not_reach_a_command(shell: Making) -> None:
    key = "sk-ant-0123456789abcdef"

    async def body() -> None:
        line = "env; cat /proc/$PPID/environ | tr '\\0' '\\n' | grep -c sk-ant; true"
        made = hosting(
            shell,
            call("execute", command=line),
            say("ok"),
            environ={"ANTHROPIC_API_KEY": key},
        )
        (text,) = await told(made)
        assert "PATH=" in text
        assert key not in text
        assert "ANTHROPIC" not in text

    run(body())


def test_a_key_in_the_output_is_replaced_wherever_it_is_shown(shell: Making) -> None:
    key = "sk-ant-0123456789abcdef"

    async def body() -> None:
        line = "printf sk-ant-; sleep 0.1; echo 0123456789abcdef"
        made = hosting(
            shell,
            call("execute", command=line),
            say("ok"),
            environ={"ANTHROPIC_API_KEY": key},
        )
        async with trusting(made) as session:
            shown = [repr(one) async for one in await session.send("go")]
            assert results(session) == ["ok: [secret:ANTHROPIC_API_KEY]\n[exit code 0]"]
        assert not any(key in one for one in shown), json.dumps(shown)

    run(body())
