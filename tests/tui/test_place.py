"""What stands where on the screen: one margin, room for the conversation, ends that are told."""

from pathlib import Path

import pytest
from rich.color import Color

from longrein.testing import call, calls, reply, say, think
from longrein.tui.look import LIGHT
from longrein.tui.view.choices import Option
from longrein.tui.widgets.choices import Choices
from longrein.tui.widgets.queue import Queue
from tests.support import run
from tests.tui.apps import using
from tests.tui.host import Host, before
from tests.tui.kit import client
from tests.tui.screens import lines

LONG = "word " * 60
SCRIPT = "\n".join(f"echo {n}" for n in range(40))


def test_texts_begin_in_one_column_and_signs_before_it(tmp_path: Path) -> None:
    async def check() -> None:
        says = [reply(say("Looking."), call("ls", path=".")), reply(say("Done."))]
        async with client(says, tmp_path) as made, using(made) as person:
            await person.types("Look around.", "enter")
            await person.sees("Done.")
            texts = ("Look around.", "Looking.", "List .", "Done.", "build · asks first")
            for text in texts:
                assert [line.index(text) for line in lines(person.app)[1:] if text in line] == [2]

    run(check())


def test_a_line_that_is_cut_says_so_before_the_scroll_bar(tmp_path: Path) -> None:
    async def check() -> None:
        says = [reply(think(LONG), say("Done."))]
        async with client(says, tmp_path) as made, using(made) as person:
            await person.types("Go.", "enter")
            await person.sees("Done.")
            thought = next(line for line in lines(person.app) if "Thought" in line)
            assert thought.endswith("…")
            assert len(thought) <= 78

    run(check())


def test_what_is_read_is_not_wider_than_an_eye_can_follow(tmp_path: Path) -> None:
    async def check() -> None:
        says = [reply(say(LONG))]
        async with client(says, tmp_path) as made, using(made, size=(200, 60)) as person:
            await person.types(LONG.strip(), "enter")
            await person.until(lambda: person.screen.count("word") >= 2 * 60)
            assert max(len(line) for line in lines(person.app)[1:] if "word word" in line) <= 112

    run(check())


def test_a_card_and_a_queue_leave_room_for_the_conversation(tmp_path: Path) -> None:
    async def check() -> None:
        says = [calls(call("execute", command=SCRIPT)), *[reply(say("Done."))] * 5]
        async with client(says, tmp_path) as made, using(made) as person:
            await person.types("Run it.", "enter")
            await person.sees("Run this command?")
            for text in ("one", "two", "three", "four"):
                await person.app.stage.desk.thread.say("queue", text)
            await person.sees("queued 4")
            assert person.app.main.conversation.size.height >= 4
            assert person.app.main.query_one(Queue).size.height == 1

    run(check())


@pytest.mark.parametrize("command", ["help", "threads", "rewind", "context", "model", "export"])
def test_every_page_says_how_to_close_it_on_a_narrow_screen(tmp_path: Path, command: str) -> None:
    async def check() -> None:
        async with (
            client([reply(say("ok"))], tmp_path) as made,
            using(made, size=(40, 12)) as person,
        ):
            await person.types(f"/{command}", "enter")
            await person.sees("Esc close")

    run(check())


def test_choices_can_be_read_on_a_light_ground() -> None:
    async def check() -> None:
        app = Host(Choices((Option("y", "yes"), Option("n", "nothing"))), theme=LIGHT.name)
        async with before(app, (40, 3)) as person:
            await person.sees("nothing")
            strips = app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
            styles = [one.style for strip in strips for one in strip if "nothing" in one.text]
            assert styles[0] is not None
            assert styles[0].color == Color.parse(LIGHT.foreground or "")

    run(check())
