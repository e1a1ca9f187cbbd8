"""How a sandbox of bubblewrap is set up."""

import asyncio
import os
from pathlib import Path

import pytest

from longrein.core.errors import UsageError
from longrein.testing.sandbox_cases.ending import DAEMON
from longrein.testing.sandbox_cases.setting import QUICK, SURELY, all_of, ran, ticks
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import Bounds, Command, SandboxProblem
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.choosing import choose_sandbox
from longrein.workspace.sandbox.finding import find_bwrap, find_sandbox, try_bwrap
from longrein.workspace.sandbox.host import HostShell
from longrein.workspace.sandbox.landlock import Landlock
from tests.support import run
from tests.workspace.sandbox.support import said


def test_what_isolates_here_is_found() -> None:
    found = find_sandbox()
    assert found.kind == "bubblewrap"
    assert found.programs[-1].version
    assert not found.programs[-1].why_not
    assert found.why == ""


def test_a_program_that_is_no_bubblewrap_is_a_problem(tmp_path: Path) -> None:
    for program in ("/missing/bwrap", "/bin/true"):
        assert try_bwrap(program).why_not
        with pytest.raises(SandboxProblem, match=program):
            Bubblewrap(tmp_path, program=program)


def test_a_bubblewrap_that_may_not_isolate_is_not_used(tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    real = find_bwrap().path
    program.write_text(
        f'#!/bin/sh\ncase "$1" in --version|--help) exec {real} "$@";; esac\n'
        'echo "bwrap: No permissions to create a new namespace" >&2; exit 1\n'
    )
    program.chmod(0o755)
    with pytest.raises(SandboxProblem, match=r"No permissions.*namespaces"):
        Bubblewrap(tmp_path, program=str(program))


def test_a_bubblewrap_that_commands_could_have_made_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bwrap"
    program.write_text(f'#!/bin/sh\ntouch {tmp_path}/ran\nexec {find_bwrap().path} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert said(lambda: Bubblewrap(tmp_path), tmp_path, "echo on") == ["on"]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("root", ["/", "/tmp", "/usr", "/missing/folder"])
def test_folders_that_cannot_be_the_root_are_refused(root: str) -> None:
    with pytest.raises(UsageError):
        Bubblewrap(root)


def test_a_root_behind_a_link_is_where_it_really_is(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (output,) = said(lambda: Bubblewrap(tmp_path / "link"), tmp_path / "real", "touch a; pwd -P")
    assert output == str(tmp_path / "real")
    assert (tmp_path / "real/a").exists()


def test_a_root_that_went_away_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    sandbox = Bubblewrap(tmp_path / "root")
    (tmp_path / "root").rmdir()
    with pytest.raises(SandboxProblem, match="not there any more"):
        said(lambda: sandbox, tmp_path, "true")


def test_the_best_sandbox_is_chosen_and_never_none(tmp_path: Path) -> None:
    assert choose_sandbox(tmp_path).isolation.name == "bubblewrap"


def test_every_sandbox_says_what_it_does_not_hold(tmp_path: Path) -> None:
    rules = [FileRule("deny", ("**/.env",))]
    for sandbox in (
        Bubblewrap(tmp_path, rules=rules),
        Landlock(tmp_path, rules=rules),
        HostShell(),
    ):
        assert sandbox.isolation.promises
        assert sandbox.isolation.gaps
    assert any("new file" in gap for gap in Bubblewrap(tmp_path, rules=rules).isolation.gaps)
    assert any(
        "network of the machine" in g for g in Bubblewrap(tmp_path, network=True).isolation.gaps
    )


def test_the_interpreter_in_use_works_inside(tmp_path: Path) -> None:
    real = os.path.realpath(os.sys.executable)  # pyright: ignore
    assert said(lambda: Bubblewrap(tmp_path), tmp_path, f"{real} -c 'print(1)'") == ["1"]


def test_only_folders_that_commands_cannot_write_to_stay_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"/usr/bin:/bin:/opt/none/bin:relative:{tmp_path}/bin")
    monkeypatch.setenv("SOME_API_KEY", "secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    (output,) = said(
        lambda: Bubblewrap(tmp_path), tmp_path, "echo $PATH $SOME_API_KEY $LC_ALL $HOME"
    )
    assert output == "/usr/bin:/bin C.UTF-8 /tmp/home"


def test_a_proxy_is_the_only_way_out(tmp_path: Path) -> None:
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.0 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100_000)
        await writer.drain()
        writer.close()

    async def go() -> list[bytes]:
        door = str(tmp_path / "door")
        (tmp_path / "root").mkdir()
        server = await asyncio.start_unix_server(answer, door)
        sandbox = Bubblewrap(tmp_path / "root", proxy=door)
        line = (
            'python3 -c "import urllib.request as u; '
            "print(len(u.urlopen('http://example.test/page').read()))\"; "
            'python3 -c "import socket; '
            "socket.create_connection(('192.0.2.1', 80), 1)\""
        )
        output, how = await ran(sandbox, str(tmp_path / "root"), line)
        await sandbox.close()
        server.close()
        assert how.code == 1
        return [output]

    (output,) = run(go())
    assert output.startswith(b"100000\n")
    assert b"unreachable" in output
    assert asked[0].startswith(b"GET http://example.test/page HTTP/1.1\r\n")


class TestSingle:
    """Each command in a sandbox of its own."""

    def test_a_command_runs_with_the_same_borders(self, tmp_path: Path) -> None:
        (tmp_path / ".env").write_text("secret")
        rules = [FileRule("deny", ("**/.env",))]
        make = lambda: Bubblewrap(tmp_path, rules=rules, lasting=False)  # noqa: E731
        line = (
            "cat .env; ls /root; unshare -r true; echo x > /proc/sys/kernel/core_pattern; echo end"
        )
        (output,) = said(make, tmp_path, f"exec 2>&1; {line}")
        assert "secret" not in output
        assert output.endswith("end")
        assert output.count("not permitted") == 1

    def test_variables_of_a_command_do_not_reach_what_isolates_it(self, tmp_path: Path) -> None:
        async def go() -> bytes:
            sandbox = Bubblewrap(tmp_path, lasting=False)
            environ = {"LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": str(tmp_path / "trace"), "A": "b"}
            output, _ = await ran(sandbox, str(tmp_path), "echo $A", environ=environ)
            await sandbox.close()
            return output

        assert run(go()) == b"b\n"
        traces = "".join(one.read_text() for one in tmp_path.glob("trace*"))
        assert "bash" in traces
        assert "bwrap" not in traces

    def test_bounds_hold(self, tmp_path: Path) -> None:
        async def go() -> None:
            sandbox = Bubblewrap(tmp_path, lasting=False)
            line = f"head -c 1M /dev/zero > big; echo before; {DAEMON}; sleep 60"
            output = b""
            for seconds in (0.2, 2, 15):  # on a busy machine it may not get as far as that
                if output.endswith(b"before\n"):
                    break
                bounds = Bounds(seconds=seconds, file_size=10_240)
                output, how = await ran(sandbox, str(tmp_path), line, bounds=bounds)
                assert how.timed_out
                assert not await ticks(str(tmp_path))
            assert output.endswith(b"before\n")
            assert (tmp_path / "big").stat().st_size <= 10_240
            await sandbox.close()

        run(go())

    def test_what_it_left_ends_with_it(self, tmp_path: Path) -> None:
        async def go() -> None:
            sandbox = Bubblewrap(tmp_path, lasting=False)
            output, how = await ran(sandbox, str(tmp_path), f"{DAEMON}; sleep 0.1; echo up; exit 3")
            assert (output, how.code) == (b"up\n", 3)
            assert not await ticks(str(tmp_path))
            await sandbox.close()

        run(go())

    def test_closing_ends_it(self, tmp_path: Path) -> None:
        async def go() -> None:
            sandbox = Bubblewrap(tmp_path, lasting=False)
            process = await sandbox.start(
                Command(f"echo up; {DAEMON}; sleep 60", str(tmp_path), QUICK)
            )
            assert await ticks(str(tmp_path), SURELY)
            await sandbox.close()
            assert (await process.wait()).signal == 9
            assert await all_of(process) == b"up\n"
            assert not await ticks(str(tmp_path))

        run(go())

    def test_a_sandbox_that_cannot_be_set_up_is_a_problem(self, tmp_path: Path) -> None:
        async def go() -> None:
            sandbox = Bubblewrap(tmp_path, lasting=False)
            with pytest.raises(SandboxProblem, match="could not be set up"):
                await ran(sandbox, str(tmp_path / "missing"), "true")
            await sandbox.close()

        run(go())
