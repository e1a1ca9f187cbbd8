"""Long output: head and tail for the model, the whole in a file, little of it in memory."""

import resource
from pathlib import Path

import pytest

from longrein.capabilities.shell_tools.log import HEAD, TAIL, Log
from longrein.capabilities.shell_tools.outputs import Outputs
from longrein.capabilities.shell_tools.shell import Shell
from longrein.testing import call, say
from tests.capabilities.shell_tools.kit import hosting, plain, told
from tests.capabilities.shell_tools.plain import PlainSandbox
from tests.support import run


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "outputs").glob("*"))


def heard(folder: Path, line: str, shell: Shell | None = None) -> str:
    made = hosting(lambda: shell or plain(folder), call("execute", command=line), say("ok"))
    (text,) = run(told(made))
    return text


def test_long_output_is_shown_as_head_and_tail_in_whole_lines(tmp_path: Path) -> None:
    text = heard(tmp_path, "seq 100000")
    (file,) = kept(tmp_path)
    head, gap, tail = text.removeprefix("ok: ").partition("[... ")
    assert head.startswith("1\n2\n")
    assert head.endswith("\n")
    assert len(head) <= HEAD
    about, _, tail = tail.partition(" ...]\n")
    left_out = len(file.read_bytes()) - len(head) - len(tail.removesuffix("[exit code 0]"))
    assert gap + about == (
        f"[... {left_out:,} bytes left out. All of it is in /outputs/{file.name}; "
        "use grep or read_file."
    )
    assert tail.endswith("\n100000\n[exit code 0]")
    assert len(tail) <= TAIL + 20


def test_the_file_holds_all_of_it_for_its_owner_only(tmp_path: Path) -> None:
    heard(tmp_path, "seq 100000")
    (file,) = kept(tmp_path)
    assert file.read_text() == "".join(f"{n}\n" for n in range(1, 100_001))
    assert file.stat().st_mode & 0o777 == 0o600


def test_short_output_leaves_no_file(tmp_path: Path) -> None:
    heard(tmp_path, "seq 1000")
    assert kept(tmp_path) == []


def test_without_a_folder_for_it_nothing_is_left_behind_and_no_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    text = heard(tmp_path, "seq 100000", Shell(PlainSandbox(), str(tmp_path)))
    assert "bytes left out ...]" in text
    assert list(tmp_path.iterdir()) == []


def test_a_key_is_replaced_in_what_is_shown_and_stands_in_the_file_as_it_came(
    tmp_path: Path,
) -> None:
    key = "sk-ant-0123456789abcdef"
    line = "K=0123456789abcdef; for n in $(seq 2000); do echo sk-ant-$K $n; done"
    made = hosting(
        lambda: plain(tmp_path),
        call("execute", command=line),
        say("ok"),
        environ={"ANTHROPIC_API_KEY": key},
    )
    (text,) = run(told(made))
    assert key not in text
    assert text.startswith("ok: [secret:ANTHROPIC_API_KEY] 1\n")
    assert key in kept(tmp_path)[0].read_text()


def test_binary_output_stays_within_bounds(tmp_path: Path) -> None:
    text = heard(tmp_path, "head -c 1000000 /dev/urandom")
    assert len(text) < HEAD + TAIL + 300


def test_a_hundred_megabytes_of_output_cost_little_memory(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text = heard(tmp_path, "head -c 150000000 /dev/zero | tr '\\0' 'x'; echo; echo end")
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (file,) = kept(tmp_path)
    assert file.stat().st_size == 150_000_005
    assert text.endswith("xx\nend\n[exit code 0]")
    assert (after - before) < 30_000, "kilobytes"


def test_a_command_that_puts_out_too_much_is_ended(tmp_path: Path) -> None:
    shell = Shell(PlainSandbox(), str(tmp_path), most_output=1_000_000)
    text = heard(tmp_path, "yes", shell)
    assert "[ended, with all that it had started: it put out more than 1,000,000 bytes" in text


def test_a_disk_without_room_ends_the_command_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    shell = Shell(PlainSandbox(), str(tmp_path), outputs=Outputs(tmp_path / "file" / "no", "/o"))
    text = heard(tmp_path, "yes", shell)
    assert "its output could not be kept (Not a directory)" in text


def test_a_log_is_read_the_same_whether_it_is_in_memory_or_in_a_file(tmp_path: Path) -> None:
    async def body() -> None:
        log: Log = Outputs(tmp_path, "/o").log()
        await log.add(b"0123456789")
        assert log.path is None
        await log.store()
        await log.add(b"abc\xc3")
        assert (log.read(0, 14), log.read(8, 12)) == (b"0123456789abc\xc3", b"89ab")
        assert (log.size, log.readable_size(0)) == (14, 13)
        log.close(remove=True)

    run(body())
    assert list(tmp_path.iterdir()) == []
