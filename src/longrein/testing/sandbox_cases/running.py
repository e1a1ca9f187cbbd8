"""Running a command: what it gets and what comes of it."""

import asyncio
import os

from longrein.testing.sandbox_cases.setting import (
    QUICK,
    SURELY,
    TICKING,
    all_of,
    ran,
    refused,
    ticks,
    until,
)
from longrein.workspace.sandbox.base import Bounds, Command, Sandbox


async def both_streams_come_in_the_order_they_were_written(sandbox: Sandbox, folder: str) -> None:
    output, how = await ran(sandbox, folder, "echo one; echo two >&2; echo three")
    assert output == b"one\ntwo\nthree\n"
    assert (how.code, how.signal, how.timed_out) == (0, 0, False)


async def the_exit_code_is_told(sandbox: Sandbox, folder: str) -> None:
    assert (await ran(sandbox, folder, "exit 7"))[1].code == 7


async def the_signal_that_ended_it_is_told(sandbox: Sandbox, folder: str) -> None:
    _, how = await ran(sandbox, folder, "kill -TERM $$")
    assert (how.code, how.signal) == (128 + 15, 15)


async def it_runs_in_its_folder(sandbox: Sandbox, folder: str) -> None:
    output, _ = await ran(sandbox, folder, "mkdir inner && cd inner && pwd && echo here > file")
    assert output.decode().strip() == os.path.join(folder, "inner")
    with open(os.path.join(folder, "inner", "file")) as file:  # noqa: ASYNC230
        assert file.read() == "here\n"


async def a_folder_that_is_not_there_is_a_problem(sandbox: Sandbox, folder: str) -> None:
    said = await refused(sandbox, Command("true", os.path.join(folder, "missing"), QUICK))
    assert "missing" in said
    assert (await ran(sandbox, folder, "echo on"))[0] == b"on\n"


async def a_line_that_cannot_be_is_a_problem(sandbox: Sandbox, folder: str) -> None:
    assert "NUL" in await refused(sandbox, Command("echo a\0b", folder, QUICK))
    assert "script" in await refused(sandbox, Command("#" * 1_000_000, folder, QUICK))


async def variables_are_added(sandbox: Sandbox, folder: str) -> None:
    output, _ = await ran(sandbox, folder, 'echo "$GIVEN"', environ={"GIVEN": "a 'b' \n c"})
    assert output == b"a 'b' \n c\n"


async def no_other_variable_of_ours_gets_in(sandbox: Sandbox, folder: str) -> None:
    os.environ["LONGREIN_TEST_KEY"] = "secret of ours"
    try:
        output, _ = await ran(sandbox, folder, "env; cat /proc/$PPID/environ /proc/*/environ 2>&1")
    finally:
        del os.environ["LONGREIN_TEST_KEY"]
    assert b"PATH=" in output
    assert b"secret of ours" not in output


async def input_reaches_it_until_it_is_closed(sandbox: Sandbox, folder: str) -> None:
    line = 'while read -r l; do echo "<$l>"; done; echo end'
    process = await sandbox.start(Command(line, folder, QUICK))
    await process.write(b"one\n")
    assert await until(process, b"<one>\n") == b"<one>\n"
    await process.write(b"two\n")
    await process.close_input()
    assert await all_of(process) == b"<two>\nend\n"


async def more_input_than_a_pipe_holds_gets_through(sandbox: Sandbox, folder: str) -> None:
    process = await sandbox.start(Command("sleep 0.1; wc -c", folder, QUICK))

    async def feed() -> None:
        await process.write(bytes(3_000_000))
        await process.close_input()

    _, output = await asyncio.gather(feed(), all_of(process))
    assert output.strip() == b"3000000"


async def input_that_nobody_reads_is_a_broken_pipe(sandbox: Sandbox, folder: str) -> None:
    process = await sandbox.start(Command("sleep 0.1", folder, QUICK))
    try:
        await process.write(bytes(3_000_000))
    except BrokenPipeError:
        await process.wait()
        return
    raise AssertionError("BrokenPipeError was not raised")


async def bytes_that_are_not_text_are_left_as_they_are(sandbox: Sandbox, folder: str) -> None:
    output, _ = await ran(sandbox, folder, r"printf '\377\000\r\n\033[0m'")
    assert output == b"\xff\0\r\n\x1b[0m"


async def long_output_is_whole(sandbox: Sandbox, folder: str) -> None:
    output, how = await ran(sandbox, folder, "seq 1 400000; exit 3")
    assert output == b"".join(b"%d\n" % number for number in range(1, 400_001))
    assert how.code == 3


async def output_that_nobody_reads_holds_the_command_up(sandbox: Sandbox, folder: str) -> None:
    process = await sandbox.start(Command("yes | head -c 50000000; touch done", folder, QUICK))
    await asyncio.sleep(0.1)
    assert not os.path.exists(os.path.join(folder, "done"))  # noqa: ASYNC240
    assert len(await all_of(process)) == 50_000_000


async def output_ends_with_the_command_not_with_what_it_left(sandbox: Sandbox, folder: str) -> None:
    line = f"({TICKING}) & while :; do echo noise; sleep 0.01; done & echo started"
    output, how = await ran(sandbox, folder, line)
    assert b"started\n" in output
    assert how.code == 0


async def what_it_left_goes_on_though_nobody_reads(sandbox: Sandbox, folder: str) -> None:
    noisy = "while :; do head -c 100000 /dev/zero; echo >> ticks; sleep 0.01; done"
    await ran(sandbox, folder, f"{noisy} & echo started")
    await asyncio.sleep(0.1)
    assert await ticks(folder, SURELY)
    assert (await ran(sandbox, folder, "echo next"))[0] == b"next\n"


async def commands_run_at_the_same_time(sandbox: Sandbox, folder: str) -> None:
    line = "touch {0}; until [ -e {1} ]; do sleep 0.01; done; echo {0}"
    outputs = await asyncio.gather(
        ran(sandbox, folder, line.format("a", "b")), ran(sandbox, folder, line.format("b", "a"))
    )
    assert [output for output, _ in outputs] == [b"a\n", b"b\n"]


async def a_file_grows_no_further_than_its_bound(sandbox: Sandbox, folder: str) -> None:
    bounds = Bounds(seconds=20, file_size=100_000)
    await ran(sandbox, folder, "head -c 1000000 /dev/zero > big", bounds=bounds)
    assert os.stat(os.path.join(folder, "big")).st_size <= 102_400


async def memory_is_bounded(sandbox: Sandbox, folder: str) -> None:
    bounds = Bounds(seconds=20, memory=64 * 1024**2)
    hungry = "x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo got ${#x}"
    output, how = await ran(sandbox, folder, hungry, bounds=bounds)
    assert b"got 200000000" not in output
    assert how.code != 0


async def processes_are_bounded(sandbox: Sandbox, folder: str) -> None:
    bounds = Bounds(seconds=20, processes=30)
    line = "for i in $(seq 200); do sleep 5 & done; sleep 0.5; jobs -rp | wc -l"
    output, how = await ran(sandbox, folder, line, bounds=bounds)
    assert how.code != 0 or int(output.split()[-1]) <= 30
    assert (await ran(sandbox, folder, "echo next"))[0] == b"next\n"
