"""All of a tool call on a page of its own: read, scrolled, searched."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from longrein.capabilities.workspace.rules import outputs_of
from longrein.client.whole import whole_result
from longrein.core.messages import Text, ToolResult
from longrein.core.offload import left_out, what_left_out
from longrein.core.planning import Todo
from longrein.storage.sqlite import SqliteStore
from longrein.testing import Reply, call, say
from longrein.tui.draw.long import MEASURED_IN_ALL, SINGLE, Lines
from longrein.tui.draw.whole import LONGEST, WholeDrawing
from longrein.tui.look import DARK, look_of
from longrein.tui.view.calls import Standing
from longrein.tui.view.entries import (
    Body,
    Called,
    ChildBody,
    DiffBody,
    FieldsBody,
    MarkdownBody,
    OutputBody,
    TodosBody,
)
from longrein.tui.view.transcript import Transcript
from longrein.tui.view.whole import Recorded, sections
from longrein.tui.widgets.conversation import Conversation
from tests.cli.world import World, provider
from tests.support import run
from tests.tui.apps import User, answer, using
from tests.tui.host import Host, before
from tests.tui.kit import client
from tests.tui.tmux import needs_tmux, terminal

LOOK = look_of(DARK)
COUNT = "for n in $(seq 1 5000); do echo line $n of many; done"


def store(folder: Path) -> str:
    return f"sqlite:{folder / 'longrein.db'}"


def command(line: str = COUNT) -> list[Reply]:
    return [call("execute", command=line), say("Done.")]


async def ran(user: User) -> None:
    """A command that has ended."""
    await user.types("Go.\r")
    await answer(user, "y")
    await user.sees("Done.")


async def reads(user: User) -> None:
    """The page with all of the newest call."""
    await user.presses("ctrl+o")
    await user.sees("Ctrl+O reads all")
    await user.presses("ctrl+o")
    await user.sees("/ find")


def drawn(*bodies: Body, width: int = 60) -> list[str]:
    drawing = WholeDrawing([("Title", body) for body in bodies])
    return [row.text for row in drawing(width, LOOK)]


def test_ctrl_o_opens_a_call_then_reads_all_that_is_kept_beside_the_store(tmp_path: Path) -> None:
    async def body() -> None:
        made = client(command(), tmp_path, store=store(tmp_path))
        async with made as local, using(local, size=(90, 26)) as user:
            await ran(user)
            await reads(user)
            await user.sees("line 1 of many")
            await user.presses("end")
            await user.sees("[exit code 0]")
            assert "line 5000 of many" in user.screen
            await user.presses("escape")
            await user.misses("/ find")
            assert "Ctrl+O reads all" not in user.screen  # and so it is closed

    run(body())


def test_words_are_found_one_after_the_other_and_behind_the_last_the_first(tmp_path: Path) -> None:
    async def body() -> None:
        made = client(command(), tmp_path, store=store(tmp_path))
        async with made as local, using(local, size=(90, 26)) as user:
            await ran(user)
            await reads(user)
            await user.sees("line 1 of many")
            await user.types("/LINE 240\r")
            await user.sees("line 240 of many")
            await user.presses("n")
            await user.sees("line 2400 of many")
            await user.presses("N")
            await user.sees("line 240 of many")
            await user.presses("N")
            await user.sees("line 2409 of many")
            await user.types("/nowhere\r")
            await user.sees("no 'nowhere' in it")
            await user.types("/")
            await user.sees("Enter goes to it")
            await user.presses("escape")
            await user.misses("Enter goes to it")
            assert "line 2409 of many" in user.screen

    run(body())


def test_where_nothing_more_is_kept_it_says_so(tmp_path: Path) -> None:
    async def body() -> None:
        async with client(command(), tmp_path) as local, using(local, size=(90, 26)) as user:
            await ran(user)
            await reads(user)
            await user.sees("not all of it is kept")

    run(body())


def test_a_result_that_a_model_saw_in_part_is_read_from_the_store(tmp_path: Path) -> None:
    def report() -> str:
        return "\n".join(f"item {n}: {'x' * 60}" for n in range(1_000))

    async def body() -> None:
        says = [call("report"), say("Done.")]
        made = client(says, tmp_path, tools=[report])
        async with made as local, using(local, size=(90, 26)) as user:
            await user.types("Go.\r")
            await user.sees("Done.")
            await reads(user)
            await user.sees("item 1: xxx")
            await user.types("/item 500\r")
            await user.sees("item 500: xxx")

    run(body())


def test_a_click_on_the_line_that_says_so_opens_the_page(tmp_path: Path) -> None:
    async def body() -> None:
        made = client(command(), tmp_path, store=store(tmp_path))
        async with made as local, using(local, size=(90, 26)) as user:
            await ran(user)
            await user.presses("ctrl+o")
            rows = (await user.sees("Ctrl+O reads all")).split("\n")
            at = next(n for n, row in enumerate(rows) if "Ctrl+O reads all" in row)
            await user.pilot.click(offset=(10, at))
            await user.sees("line 1 of many")
            await user.presses("q")
            await user.misses("/ find")

    run(body())


def test_where_nothing_is_written_o_reads_the_call_at_the_cursor() -> None:
    async def body() -> None:
        conversation = Conversation()
        calls = [Called(key, "t", "Run", key, "ok", bodies=(OutputBody(key),)) for key in "ab"]
        async with before(Host(conversation)) as person:
            conversation.show(Transcript(tuple(calls), mark=object(), after=object()))
            await person.until(lambda: conversation.has_focus, "the focus")
            await person.presses("up", "up", "o", "down", "ctrl+o")
            assert [one.entry.key for one in person.told(Conversation.ReadChosen)] == ["a", "b"]

    run(body())


def test_a_call_is_told_with_its_changes_its_result_and_its_arguments() -> None:
    entry = Called("c", "edit_file", "Edit", "a.txt", "ok", bodies=(DiffBody("@@ @@\n-a\n+b"),))
    record = Recorded("edit_file", '{"path": "a.txt"}', Standing("ok", "Edited a.txt."))
    found = sections(entry, record)
    assert [title for title, _ in found] == ["Changes", "Result", "Arguments"]
    assert found[2][1] == FieldsBody((("path", "a.txt"),))


def test_a_command_of_ones_own_is_read_as_far_as_it_is_at_hand() -> None:
    entry = Called("c", "!", "You ran", "ls", "ok", bodies=(OutputBody("a.txt"),))
    assert sections(entry, None) == (("Output", OutputBody("a.txt")),)


def test_every_kind_of_body_is_drawn_whole() -> None:
    fields = FieldsBody(tuple((f"a{n}", "one\ntwo") for n in range(60)))
    todos = TodosBody(tuple(Todo(f"t{n}") for n in range(60)))
    child = ChildBody("t", "scout", "done", "It is there.")
    lines = drawn(fields, todos, child, MarkdownBody("**Bold**"), DiffBody("x\n" * 600, whole=True))
    assert lines[:3] == ["Title", "a0:", "one"]
    assert "○ t59" in lines
    assert lines[lines.index("scout  done") + 1] == "It is there."
    assert "Bold" in lines
    assert lines[-1] == "600 + x"


def test_what_is_too_long_to_be_drawn_as_such_stands_as_it_was_written() -> None:
    text = "**Bold** \x1b[2J\n" * (LONGEST // 10)
    assert drawn(MarkdownBody(text))[0] == "**Bold** \\x1b[2J"
    assert len(drawn(DiffBody("-a\n" * LONGEST))) == LONGEST


@pytest.mark.parametrize("letter", ["x", "ü", "✓", "行", "👍"])
def test_no_row_is_too_wide_and_no_letter_is_lost_however_much_there_is(letter: str) -> None:
    line = letter * 50
    many = [line] * (MEASURED_IN_ALL // 50 + 1)
    for lines in (many[:2], many):
        rows = Lines(lines, 40, LOOK.text, LOOK.dim)
        shown = [row.text for row in rows[: 2 * (len(rows) // len(lines))]]
        assert all(cell_len(text) <= 40 for text in shown)
        assert "".join(text.removeprefix("… ") for text in shown) == line * 2


def test_letters_that_count_as_one_cell_have_one() -> None:
    single = [letter for letter in map(chr, range(0x20, 0x3000)) if SINGLE.fullmatch(letter)]
    assert [letter for letter in single if cell_len(f"a{letter}b") != 3] == []


def test_a_file_that_is_not_among_the_outputs_of_the_thread_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "output-secret.txt").write_text("secret")

    def clean(text: str) -> str:
        return text.replace("KEY", "[secret]")

    made = SqliteStore(tmp_path / "longrein.db")
    folder = Path(outputs_of(made, "t1"))
    folder.mkdir(parents=True)
    (folder / "output-own.txt").write_bytes(b"\x1b[31mred\x1b[0m KEY")

    async def body() -> None:
        try:
            for path, read in (
                (f"{tmp_path}/output-secret.txt", ""),
                (f"{folder}/../../output-secret.txt", ""),
                (f"{folder}/output-own.txt", "red [secret]"),
                (f"{folder}/output-gone.txt", ""),
            ):
                text = left_out(5, "bytes", path)
                assert what_left_out(f"head\n{text}\ntail")
                result = ToolResult("c", "execute", (Text(text),))
                assert await whole_result(made, "t1", result, clean) == read
        finally:
            await made.close()

    run(body())


@needs_tmux
@pytest.mark.timeout(120)
def test_in_a_terminal_all_of_a_long_output_is_read_and_searched(tmp_path: Path) -> None:
    world = World(tmp_path)
    (world.project / "long.txt").write_text("".join(f"row {n} of it\n" for n in range(900)))
    with (
        provider(world, [call("read_file", path="long.txt"), say("Done.")]),
        terminal(world.command(), world.project, world.environ) as shown,
    ):
        shown.wait("asks first")
        shown.type("Go")
        shown.keys("Enter")
        shown.wait("Done.")
        shown.keys("C-o")
        shown.wait("Ctrl+O reads all")
        shown.keys("C-o")
        shown.wait("row 1 of it")
        shown.type("/row 345")
        shown.keys("Enter")
        shown.wait("row 345 of it")
        shown.keys("Escape")
        shown.gone("/ find")
