"""The queue: what waits, and how it is changed, always by id."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from longrein.client.local_thread import LocalThread
from longrein.core.commands import EditInput, Interrupt, ReorderQueue, WithdrawInput
from longrein.core.display import Display
from longrein.core.messages import File, Text
from longrein.core.records import Input
from longrein.testing import pause, say
from longrein.tui.view.queue import QueueView, Waiting, edited, moved, queue
from longrein.tui.widgets.queue import HELD, KEYS
from tests.support import run
from tests.tui.kit import client
from tests.tui.screens import lines
from tests.tui.typing_app import typing

THREE = QueueView(
    (
        Waiting("a", "first"),
        Waiting("b", "second\nof two lines"),
        Waiting("c", "third", (File("image/png", name="x.png"),)),
    ),
    order=("a", "s", "b", "c"),
)


async def display(thread: LocalThread, *, waiting: int) -> Display:
    async for shown in thread.displays():
        if len(shown.queue) == waiting:
            return shown
    raise AssertionError("the displays ended")


def test_only_follow_ups_are_in_the_queue_and_it_is_held_while_anything_said_waits(
    tmp_path: Path,
) -> None:
    async def do() -> None:
        async with client([say("one"), pause(), say("two")], tmp_path) as local:
            thread = await local.open()
            shown = thread.display
            inputs = (
                Input("i1", "send", "r", (Text("now"),)),
                Input("i2", "queue", "r", (Text("later"), File("image/png", blob="b"))),
                Input("i3", "signal", "r", (Text("ping"),)),
                Input("i4", "queue", "r", (Text("long"),), whole="hash"),
            )
            view = queue(replace(shown, queue=inputs, held=True))
            assert view.waiting == (
                Waiting("i2", "later", (File("image/png", blob="b"),)),
                Waiting("i4", "long", whole=False),
            )
            assert view.held
            assert view.order == ("i1", "i2", "i3", "i4")
            assert not queue(replace(shown, queue=inputs[2:3], held=True)).held

    run(do())


def test_moving_keeps_what_is_shown_elsewhere_in_its_place() -> None:
    assert moved(THREE, "c", -1).order == ("a", "s", "c", "b")
    assert moved(THREE, "a", 9).order == ("b", "s", "c", "a")
    assert moved(THREE, "a", -1) == THREE
    assert moved(THREE, "gone", 1) == THREE


def test_the_commands_change_the_queue_of_a_real_thread(tmp_path: Path) -> None:
    async def do() -> None:
        async with client([pause(), say("done")], tmp_path) as local:
            thread = await local.open()
            await thread.say("send", "work")
            for text in ("one", "two", "three"):
                await thread.say("queue", text)
            await thread.submit(Interrupt())
            view = queue(await display(thread, waiting=3))
            one, two, three = (waiting.input for waiting in view.waiting)
            assert view.held
            await thread.submit(ReorderQueue(moved(view, three, -2).order))
            change = edited(thread.display, two, "2", ())
            assert change is not None
            await thread.submit(change)
            await thread.submit(WithdrawInput(one))
            view = queue(await display(thread, waiting=2))
            assert view.waiting == (Waiting(three, "three"), Waiting(two, "2"))
            assert edited(thread.display, one, "gone", ()) is None

    run(do())


def test_an_edit_has_the_text_and_the_files_that_it_is_given(tmp_path: Path) -> None:
    async def do() -> None:
        async with client([say("one")], tmp_path) as local:
            picture = File("image/png", blob="b", name="x.png")
            waiting = Input("i", "queue", "r", (Text("see"), picture))
            shown = replace((await local.open()).display, queue=(waiting,))
            assert edited(shown, "i", "look", [picture]) == EditInput("i", (Text("look"), picture))

    run(do())


def test_what_waits_is_shown_in_few_lines(tmp_path: Path) -> None:
    async def do() -> None:
        many = tuple(Waiting(str(n), f"number {n}") for n in range(1, 8))
        async with typing(tmp_path) as (app, person):
            app.show(QueueView(many, held=True))
            await person.settles()
            shown = lines(app)
            at = shown.index(f"  {HELD}")
            assert shown[at : at + 6] == [
                f"  {HELD}",
                "  1 number 1",
                "  2 number 2",
                "  3 number 3",
                "  4 number 4",
                "  … 3 more",
            ]
            app.show(QueueView())
            await person.settles()
            assert not any("number" in line for line in lines(app))

    run(do())


def test_enter_on_an_empty_line_releases_a_queue_that_is_held(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            app.show(THREE)
            await person.presses("enter")
            assert app.told == []
            app.show(replace(THREE, held=True))
            await person.presses("enter")
            assert app.told == [("released",)]

    run(do())


def test_up_from_an_empty_editor_goes_into_the_queue_and_esc_back(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path, past=["before"]) as (app, person):
            app.show(THREE)
            await person.presses("up")
            assert "› 3 third [x.png]" in lines(app)
            assert any(KEYS in line for line in lines(app))
            await person.presses("escape")
            assert not any(KEYS in line for line in lines(app))
            assert app.told == []
            await person.types("typed")
            assert app.text == "typed"

    run(do())


@pytest.mark.parametrize("key", ["enter", "e"])
def test_editing_replaces_what_waits_and_brings_the_draft_back(tmp_path: Path, key: str) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            app.show(THREE)
            await person.presses("up")
            await person.presses("up", key)
            assert app.text == "second\nof two lines"
            await person.types("!\r")
            assert app.told == [("edited", "b", "second\nof two lines!")]
            assert app.text == ""
            assert app.editor.revising == ""

    run(do())


def test_after_editing_one_goes_on_with_a_draft(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            app.show(THREE)
            await person.types("draft")
            await person.pilot.click(app.queue, offset=(5, 1))
            await person.settles()
            await person.presses("enter")
            await person.types(" more")
            assert app.text == "draft more"

    run(do())


def test_a_picture_is_named_once(tmp_path: Path) -> None:
    async def do() -> None:
        picture = File("image/png", name="cat.png")
        async with typing(tmp_path) as (app, person):
            app.show(QueueView((Waiting("a", "look [image: cat.png]", (picture,)),)))
            await person.settles()
            (row,) = (line for line in lines(app) if "look" in line)
            assert row.count("cat.png") == 1

    run(do())


def test_esc_gives_up_editing_and_leaves_what_waits(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            app.show(THREE)
            await person.types("draft")
            await person.pilot.click(app.queue, offset=(5, 1))
            await person.settles()
            assert app.text == "first"
            await person.types(" changed")
            await person.presses("escape")
            assert app.text == "draft"
            assert app.told == []

    run(do())


def test_what_went_on_its_way_while_it_was_edited_is_sent_as_new(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            app.show(THREE)
            await person.presses("up")
            await person.presses("enter")
            app.show(replace(THREE, waiting=THREE.waiting[:2]))
            await person.settles()
            assert "before the agent already" in person.notes[0]
            await person.types("\r")
            assert app.told == [("send", "third [image: x.png]")]

    run(do())


def test_what_was_being_written_comes_back_once_what_went_on_its_way_is_sent(
    tmp_path: Path,
) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            app.show(THREE)
            await person.types("draft")
            await person.pilot.click(app.queue, offset=(5, 1))
            await person.settles()
            app.show(replace(THREE, waiting=THREE.waiting[1:]))
            await person.settles()
            await person.types(" again\r")
            assert app.told == [("send", "first again")]
            assert app.text == "draft"

    run(do())


@pytest.mark.parametrize(("up", "down"), [("alt+up", "alt+down"), ("K", "J")])
def test_keys_move_what_is_chosen_and_the_choice_moves_along(
    tmp_path: Path, up: str, down: str
) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            app.show(THREE)
            await person.presses("up")
            await person.presses(up, up, up)
            assert app.told == [
                ("reordered", "a", "s", "c", "b"),
                ("reordered", "c", "s", "a", "b"),
            ]
            assert "› 1 third [x.png]" in lines(app)
            await person.presses(down)
            assert app.told[-1] == ("reordered", "a", "s", "c", "b")

    run(do())


@pytest.mark.parametrize("key", ["d", "delete"])
def test_what_is_removed_goes_into_the_history(tmp_path: Path, key: str) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            app.show(THREE)
            await person.presses("up")
            await person.presses("up", key)
            assert app.told == [("removed", "b", "second\nof two lines")]
            app.show(replace(THREE, waiting=(THREE.waiting[0], THREE.waiting[2])))
            await person.settles()
            assert any(line.startswith("› 2 third [x.png]") for line in lines(app))
            await person.presses("escape")
            await person.presses("ctrl+p")
            assert app.text == "second\nof two lines"

    run(do())


def test_a_key_does_nothing_to_another_when_the_chosen_one_went_on_its_way(
    tmp_path: Path,
) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            app.show(THREE)
            await person.presses("up")
            await person.presses("up", "up")
            app.show(replace(THREE, waiting=THREE.waiting[1:]))
            await person.presses("d", "K", "e")
            assert app.told == []
            assert app.text == ""
            await person.presses("down", "d")
            assert app.told == [("removed", "b", "second\nof two lines")]

    run(do())


def test_a_click_means_the_row_that_was_seen(tmp_path: Path) -> None:
    async def do() -> None:
        many = tuple(Waiting(str(n), f"number {n}") for n in range(1, 9))
        async with typing(tmp_path) as (app, person):
            app.show(QueueView(many))
            await person.presses("up")
            assert "› 8 number 8" in lines(app)
            await person.presses("escape")
            await person.pilot.click(app.queue, offset=(5, 2))
            await person.settles()
            assert app.text == "number 2"

    run(do())


def test_the_focus_goes_back_when_nothing_waits_any_more(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            app.show(THREE)
            await person.presses("up")
            app.show(QueueView())
            await person.settles()
            await person.types("d")
            assert app.text == "d"

    run(do())


def test_a_message_of_which_only_a_part_is_at_hand_is_not_edited(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            app.show(QueueView((Waiting("a", "head … tail", whole=False),)))
            await person.presses("up")
            await person.presses("enter")
            assert app.text == ""
            assert "too long to be changed here" in person.notes[0]

    run(do())


@pytest.mark.parametrize("size", [(40, 10), (20, 4), (200, 60)])
def test_every_size_shows_it_without_breaking(tmp_path: Path, size: tuple[int, int]) -> None:
    async def do() -> None:
        long = tuple(Waiting(str(n), "many words " * 30) for n in range(9))
        async with typing(tmp_path, size=size) as (app, person):
            app.show(QueueView(long, held=True))
            await person.presses("up")
            await person.presses(*["up"] * 8)
            assert all(len(line) <= size[0] for line in lines(app))

    run(do())


def test_what_waits_cannot_steer_the_terminal(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            files = (File("image/png", name="\x07.png"),)
            app.show(QueueView((Waiting("a", "\x1b[2J[b]bold[/b]\u202e", files),)))
            await person.settles()
            assert "  1 \\x1b[2J[b]bold[/b]\\u202e [\\x07.png]" in lines(app)

    run(do())
