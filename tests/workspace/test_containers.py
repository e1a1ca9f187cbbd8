"""Containers, with a stub that stands in for the command line of an engine."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from longrein.core.errors import UsageError
from longrein.testing.sandbox_cases.setting import SURELY, all_of, ticks
from longrein.testing.sandboxes import SandboxCase, sandbox_cases
from longrein.workspace.containers.container import Container
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import Bounds, Command, SandboxProblem
from longrein.workspace.sandbox_files import SandboxFiles
from tests.capabilities.shell_tools.kit import gone, mark, runs
from tests.session.kit import until
from tests.support import run

STUB = f"""#!{sys.executable} -IS
import json, os, signal, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
with open(here + "/log", "a") as log:
    log.write(json.dumps(sys.argv[1:]) + chr(10))
verb, *words = sys.argv[1:]
alone = {{"--rm", "--interactive", "--init", "--read-only", "--force"}}


def options(words):
    found = []
    while words[0].startswith("-"):
        name = words.pop(0)
        found.append((name, "" if name in alone else words.pop(0)))
    return found


def members(id):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{{pid}}/environ", "rb") as file:
                if f"STUB={{id}}".encode() in file.read().split(b"\\0"):
                    yield int(pid)
        except OSError:
            pass


def end(id):
    while found := list(members(id)):
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    if os.path.exists(f"{{here}}/{{id}}"):
        os.unlink(f"{{here}}/{{id}}")


def child(id, words, more=()):
    environ = {{"PATH": os.environ["PATH"], "STUB": id, **dict(more)}}
    return subprocess.Popen(words, env=environ).wait()


given = options(words)
if verb == "run":
    image, *rest = words
    if image == "missing":
        sys.exit("Unable to find image 'missing' locally")
    id = f"box{{os.getpid()}}"
    open(dict(given)["--cidfile"], "w").write(id)
    open(f"{{here}}/{{id}}", "w").close()
    print("a word of the image's own", flush=True)
    child(id, [dict(given)["--entrypoint"], *rest])
    end(id)
elif verb == "exec":
    id, *rest = words
    if not os.path.exists(f"{{here}}/{{id}}"):
        sys.exit(f"Error response from daemon: No such container: {{id}}")
    code = child(id, rest, [one.split("=", 1) for name, one in given if name == "--env"])
    sys.exit(code if code >= 0 else 128 - code)
elif verb == "rm":
    end(words[0])
"""


ENGINES_OWN = {"processes_are_bounded", "no_other_variable_of_ours_gets_in"}
"""What an engine does and the stub does not: bounds, and a view of processes of its own."""

CASES = [case for case in sandbox_cases() if case.promise not in ENGINES_OWN]


class Engine:
    """The stub in a folder of its own, and what it was asked."""

    def __init__(self, folder: Path, name: str = "docker") -> None:
        self._log = folder / "log"
        self.program = folder / name
        self.program.write_text(STUB)
        self.program.chmod(0o755)

    @property
    def asked(self) -> list[list[str]]:
        return [json.loads(line) for line in self._log.read_text().splitlines()]

    @property
    def boxes(self) -> list[str]:
        return [path.name for path in self.program.parent.glob("box*")]


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    (tmp_path / "engine").mkdir()
    return Engine(tmp_path / "engine")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project, with a comma"
    root.mkdir()
    return root


@asynccontextmanager
async def container(
    engine: Engine, root: Path, *, rules: tuple[FileRule, ...] = (), network: bool = False
) -> AsyncGenerator[Container, None]:
    box = Container("debian", root=root, program=str(engine.program), rules=rules, network=network)
    try:
        yield box
    finally:
        await box.close()


async def said(box: Container, line: str, root: Path, seconds: float | None = 20) -> bytes:
    process = await box.start(Command(line, str(root), Bounds(seconds=seconds)))
    return await all_of(process)


def test_commands_run_in_one_container_that_is_removed_by_its_id(
    engine: Engine, root: Path
) -> None:
    async def check() -> None:
        async with container(engine, root) as box:
            process = await box.start(
                Command("pwd; echo $WORD >&2; exit 3", str(root), environ={"WORD": "a b\n'c"})
            )
            assert await all_of(process) == f"{root}\na b 'c\n".encode()
            assert (await process.wait()).code == 3
            await said(box, "true", root)
            (id,) = engine.boxes
        assert [words[0] for words in engine.asked] == ["run", "exec", "exec", "rm"]
        assert engine.asked[-1] == ["rm", "--force", id]
        assert engine.boxes == []

    run(check())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_container_keeps_the_promises_of_the_port(
    case: SandboxCase, engine: Engine, root: Path
) -> None:
    box = Container("debian", root=root, program=str(engine.program))
    run(case.check(box, str(root)))
    assert engine.boxes == []


def test_the_container_is_shut_off(engine: Engine, root: Path) -> None:
    async def check() -> None:
        async with container(engine, root) as box:
            await said(box, "true", root)

    run(check())
    words = " ".join(engine.asked[0])
    for option in (
        "--network none",
        "--read-only",
        "--cap-drop ALL",
        "--security-opt no-new-privileges",
        "--pids-limit 512",
        "--memory 4294967296",
        "--init",
        f"--user {os.getuid()}:{os.getgid()}",
        f'--mount type=bind,"source={root}","target={root}"',
    ):
        assert f" {option} " in words


def test_the_network_is_there_only_if_it_is_allowed(engine: Engine, root: Path) -> None:
    async def check() -> None:
        async with container(engine, root, network=True) as box:
            await said(box, "true", root)

    run(check())
    assert "--network" not in engine.asked[0]


def test_podman_keeps_the_user(tmp_path: Path, root: Path) -> None:
    engine = Engine(tmp_path, "podman")

    async def check() -> None:
        async with container(engine, root) as box:
            assert await said(box, "echo hello", root) == b"hello\n"
            assert box.isolation.name == "podman"

    run(check())
    assert "--user" not in engine.asked[0]
    assert "label=disable" in engine.asked[0]


def test_file_rules_become_mounts(engine: Engine, root: Path) -> None:
    (root / "secrets").mkdir()
    for name in (".env", "lib", "open"):
        (root / name).write_text(name)
    rules = (
        FileRule("deny", ("**/.env", f"{root}/secrets/**")),
        FileRule("deny", (f"{root}/lib",), ("write",)),
    )

    async def check() -> list[str]:
        async with container(engine, root, rules=rules) as box:
            await said(box, "true", root)
            words = engine.asked[0]
            return [words[at + 1] for at, word in enumerate(words) if word == "--mount"]

    _, *masks = run(check())
    assert [mask.rpartition("target=")[2] for mask in masks] == [
        f'{root}/.env",readonly',
        f'{root}/lib",readonly',
        f'{root}/secrets",readonly',
    ]
    hidden = [mask.split(",")[1].rpartition("/")[2] for mask in (masks[0], masks[2])]
    assert hidden == ["empty", "nothing"]


def test_a_file_that_a_rule_forbids_and_that_is_new_brings_a_new_container(
    engine: Engine, root: Path
) -> None:
    async def check() -> None:
        async with container(engine, root, rules=(FileRule("deny", ("**/.env",)),)) as box:
            long = await box.start(Command("echo 1 >.env; read x", str(root)))
            await until((root / ".env").exists)
            with pytest.raises(SandboxProblem, match=r"\.env"):
                await box.start(Command("true", str(root)))
            await long.write(b"\n")
            await long.wait()
            await said(box, "true", root)
        assert [words[0] for words in engine.asked] == ["run", "exec", "rm", "run", "exec", "rm"]

    run(check())


def test_output_comes_as_it_is_and_as_it_comes(engine: Engine, root: Path) -> None:
    async def check() -> None:
        async with container(engine, root) as box:
            line = r"printf '\000\377'; read x; echo $x; head -c 300000 /dev/zero; printf '\000'"
            process = await box.start(Command(line, str(root)))
            output = process.output()
            first = await anext(output)
            await process.write(b"input\n")
            rest = b"".join([piece async for piece in output])
            assert first + rest == b"\0\xff" + b"input\n" + bytes(300_001)

    run(check())


def test_killing_ends_all_that_a_command_started_and_nothing_else(
    engine: Engine, root: Path
) -> None:
    async def check() -> None:
        async with container(engine, root) as box:
            mine, others = mark(), mark()
            other = await box.start(Command(f"sleep {others}", str(root)))
            line = (
                f"setsid sleep {mine} & (setsid sh -c 'sleep {mine} & wait' &) ; "
                f"env -i sleep {mine} & echo up; wait"
            )
            process = await box.start(Command(line, str(root)))
            assert await anext(process.output()) == b"up\n"
            await process.kill()
            assert gone(mine)
            assert runs(others)
            assert (await process.wait()).signal == 9
            await other.kill()

    run(check())


def test_a_command_that_takes_too_long_is_ended_and_its_output_kept(
    engine: Engine, root: Path
) -> None:
    async def check() -> None:
        async with container(engine, root) as box:
            output, marker = b"", mark()
            for seconds in (0.5, 5, 20):  # on a busy machine it may not come to its first word
                if output:
                    break
                bounds = Bounds(seconds=seconds)
                process = await box.start(Command(f"echo begun; sleep {marker}", str(root), bounds))
                output = await all_of(process)
                assert (await process.wait()).timed_out
                assert gone(marker)
            assert output == b"begun\n"

    run(check())


def test_bounds_hold(engine: Engine, root: Path) -> None:
    async def check() -> None:
        async with container(engine, root) as box:
            bounds = Bounds(memory=512 * 1024**2, file_size=4096)
            line = "ulimit -v; head -c 5000 /dev/zero >large"
            process = await box.start(Command(line, str(root), bounds))
            assert (await all_of(process)).startswith(b"524288\n")
            assert (await process.wait()).code != 0
        assert (root / "large").stat().st_size == 4096

    run(check())


def test_a_container_that_ends_is_a_problem_for_its_commands_and_the_next_gets_a_new_one(
    engine: Engine, root: Path
) -> None:
    async def check() -> None:
        async with container(engine, root) as box:
            process = await box.start(Command("sleep 60", str(root)))
            (id,) = engine.boxes
            holder = Path(f"/proc/{id.removeprefix('box')}")
            os.kill(int(holder.name), signal.SIGKILL)
            await until(lambda: not holder.exists())
            removing = await asyncio.create_subprocess_exec(engine.program, "rm", "--force", id)
            await removing.wait()
            with pytest.raises(SandboxProblem, match="ended"):
                await process.wait()
            assert await said(box, "echo again", root) == b"again\n"

    run(check())


def test_closing_ends_what_runs(engine: Engine, root: Path) -> None:
    async def check() -> None:
        async with container(engine, root) as box:
            marker = mark()
            process = await box.start(Command(f"sleep {marker}", str(root)))
        assert gone(marker)
        assert (await process.wait()).signal == 9
        with pytest.raises(SandboxProblem, match="closed"):
            await box.start(Command("true", str(root)))

    run(check())


def test_what_cannot_be_started_says_why(engine: Engine, root: Path) -> None:
    async def check() -> None:
        no_image = Container("missing", root=root, program=str(engine.program))
        with pytest.raises(SandboxProblem, match="Unable to find image"):
            await no_image.start(Command("true", str(root)))
        no_engine = Container("debian", root=root, program=str(root / "none"))
        with pytest.raises(SandboxProblem, match="Is it installed"):
            await no_engine.start(Command("true", str(root)))
        async with container(engine, root) as box:
            with pytest.raises(SandboxProblem, match="Choose a folder"):
                await box.start(Command("true", str(root / "none")))

    run(check())


def test_an_image_is_named_and_no_option(root: Path) -> None:
    with pytest.raises(UsageError):
        Container("--privileged", root=root)


def test_files_can_be_reached_through_a_container(engine: Engine, root: Path) -> None:
    async def check() -> None:
        async with container(engine, root) as box:
            files = SandboxFiles(box, str(root))
            await files.write("/a/b", b"\0\r\n\xff" * 50_000)
            assert (await files.read("/a/b")).data == b"\0\r\n\xff" * 50_000

    run(check())
    assert (root / "a" / "b").stat().st_size == 200_000


def test_what_a_command_left_may_write_right_after_its_end(engine: Engine, root: Path) -> None:
    noise = "while :; do echo noise; echo >> ticks; sleep 0.01; done"
    line = f"for i in 1 2 3 4 5; do echo $i; sleep 0.05; done; {noise} &"

    async def check() -> None:
        async with container(engine, root) as box:
            process = await box.start(Command(line, str(root), Bounds(seconds=20)))
            assert await ticks(str(root), SURELY)  # nobody reads: the end waits, and noise with it
            assert (await all_of(process)).startswith(b"1\n2\n3\n4\n5\n")
            assert (await process.wait()).code == 0

    run(check())
