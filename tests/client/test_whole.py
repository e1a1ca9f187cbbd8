"""All that a call said: found where it is kept, and nothing else."""

import os
from pathlib import Path

from longrein.capabilities.workspace.rules import outputs_of
from longrein.client.output import MOST
from longrein.client.whole import whole_result
from longrein.core import commands as c
from longrein.core.messages import Text, ToolResult
from longrein.core.offload import left_out, what_left_out
from longrein.core.redact import Redactor
from longrein.storage.sqlite import SqliteStore
from longrein.testing import call, say
from tests.support import run
from tests.tui.kit import client
from tests.tui.working import settled

KEY = "sk-1234567890abcdefghij"


class Kept:
    """The outputs of a thread, and what is read of them."""

    def __init__(self, folder: Path) -> None:
        self.store = SqliteStore(folder / "longrein.db")
        self.folder = Path(outputs_of(self.store, "t1"))
        self.folder.mkdir(parents=True)

    def read(self, *texts: str) -> list[str]:
        """What is found of results with these texts."""

        async def body() -> list[str]:
            results = [ToolResult("c", "execute", (Text(text),)) for text in texts]
            clean = Redactor({"KEY": KEY})
            try:
                return [await whole_result(self.store, "t1", one, clean) for one in results]
            finally:
                await self.store.close()

        return run(body())

    def named(self, name: str) -> str:
        return left_out(5, "bytes", f"{self.folder}/{name}")


def test_a_file_among_the_outputs_of_the_thread_is_read_without_its_secrets(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    (kept.folder / "output-own.txt").write_bytes(f"\x1b[31mred\x1b[0m {KEY}\n".encode())
    text = f"head\n{kept.named('output-own.txt')}\ntail"
    assert what_left_out(text) == "5 bytes"
    assert kept.read(text) == ["red [secret:KEY]\n"]


def test_a_file_that_is_not_among_them_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "output-secret.txt").write_text("secret")
    kept = Kept(tmp_path)
    outside = left_out(5, "bytes", f"{tmp_path}/output-secret.txt")
    names = ("../../output-secret.txt", "output-gone.txt")
    assert kept.read(outside, *map(kept.named, names)) == ["", "", ""]


def test_only_the_line_that_leaves_something_out_says_where_it_is(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    (kept.folder / "output-other.txt").write_text("another")
    (kept.folder / "output-own.txt").write_text("own\n")
    head = f"see {kept.folder}/output-other.txt\n{kept.named('output-other.txt')}"
    assert kept.read(f"{head}\n{kept.named('output-own.txt')}\ntail") == ["own\n"]


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "private").write_text("private")
    kept = Kept(tmp_path)
    (kept.folder / "output-link.txt").symlink_to(tmp_path / "private")
    os.mkfifo(kept.folder / "output-pipe.txt")
    (kept.folder / "output-folder.txt").mkdir()
    names = ("output-link.txt", "output-pipe.txt", "output-folder.txt")
    assert kept.read(*map(kept.named, names)) == ["", "", ""]


def test_no_part_of_a_secret_is_shown_where_a_file_is_cut_or_grows(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    (kept.folder / "output-cut.txt").write_bytes(b"x" * (MOST - 15) + KEY.encode() + b"\nend")
    (kept.folder / "output-grows.txt").write_text(f"key: {KEY[:-1]}")
    cut, grows = kept.read(kept.named("output-cut.txt"), kept.named("output-grows.txt"))
    assert cut[MOST - 20 :].startswith(f"xxxxx\n{left_out(12, 'bytes')}\n")
    assert grows == "key: "


def test_a_fork_reads_what_was_kept_for_its_parent(tmp_path: Path) -> None:
    async def main() -> None:
        says = [call("execute", command="seq 1 20000"), say("Done.")]
        async with client(says, tmp_path, store=f"sqlite:{tmp_path}/longrein.db") as made:
            thread = await made.open(new=True)
            await thread.submit(c.SetTrust("yolo"))
            await thread.say("send", "Count")
            await settled(thread)
            (ran,) = [one for one in thread.display.messages if isinstance(one, ToolResult)]
            fork = await made.fork((await made.fork(thread.thread)).thread)
            assert (await fork.whole(ran.call)).splitlines()[-1] == "20000"

    run(main())
