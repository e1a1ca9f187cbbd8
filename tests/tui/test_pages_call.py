"""All of a tool call on a page of its own: read, scrolled, searched."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from longrein.core.planning import Todo
from longrein.testing import Reply, call, say
from longrein.tui.draw.long import MEASURED_IN_ALL, NARROW, SINGLE, Lines, Plain
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
        rows = Lines(Plain(lines), 40, LOOK.text, LOOK.dim)
        shown = [row.text for row in rows[: 2 * (len(rows) // len(lines))]]
        assert all(cell_len(text) <= 40 for text in shown)
        assert "".join(text.removeprefix("… ") for text in shown) == line * 2


@pytest.mark.parametrize("width", [NARROW - 5, NARROW, 33])
def test_short_and_long_lines_have_their_rows_in_order_at_every_width(width: int) -> None:
    lines = [
        "",
        "x" * 90,
        "short",
        "行" * 40,
        "x" * width,
        "ü",
        "👍" * 30,
        "x" * (width + 1),
        "end",
    ]
    rows = [row.text for row in Lines(Plain(lines), width, LOOK.text, LOOK.dim)]
    assert "\n".join(rows).replace("\n… ", "").split("\n") == lines


def test_of_very_many_lines_only_the_long_ones_are_counted_for_a_width() -> None:
    text = Plain([*["x"] * 1_000, "y" * 100, "行" * 30])
    assert text.long == [(1_000, 100), (1_001, 60)]
    rows = Lines(text, 60, LOOK.text, LOOK.dim)
    assert (len(rows), rows[-2].text) == (1_003, f"… {'y' * 40}")


def test_letters_that_count_as_one_cell_have_one() -> None:
    single = [letter for letter in map(chr, range(0x20, 0x3000)) if SINGLE.fullmatch(letter)]
    assert [letter for letter in single if cell_len(f"a{letter}b") != 3] == []


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
