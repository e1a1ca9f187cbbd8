"""Threads that are not on the screen, or are worked on elsewhere, in the whole app."""

from pathlib import Path
from typing import cast

from textual.driver import Driver

from longrein.core.errors import Auth
from longrein.storage.memory import MemoryStore
from longrein.testing import Script, ScriptedModel, call, fail, pause, reply, say
from longrein.tui.calling import Calling
from tests.support import run
from tests.tui.apps import answer, using
from tests.tui.kit import client

WRITE = call("write_file", path="a.txt", content="one\n")
WAITS = "1 other thread waits · /threads"


def test_a_thread_left_in_the_background_says_that_it_waits_and_is_found(tmp_path: Path) -> None:
    async def test() -> None:
        model = ScriptedModel(Script([reply(pause(), WRITE), say("It is written.")]))
        async with client(model, tmp_path) as made, using(made, size=(100, 24)) as person:
            await person.types("Write it", "enter")
            await person.sees("thinking")
            await person.types("/new", "enter")
            await person.misses("Write it")
            model.release()
            await person.sees(WAITS)
            assert "Write it" not in person.screen
            await person.types("/threads", "enter")
            await person.sees("waits for you")
            await person.presses("down", "enter")
            await answer(person, "y")
            await person.sees("It is written.")
            await person.misses(WAITS)

    run(test())


def test_a_thread_that_waits_is_not_closed_when_another_one_is_left(tmp_path: Path) -> None:
    async def test() -> None:
        async with client([WRITE, say("done")], tmp_path) as made, using(made) as person:
            await person.types("Write it", "enter")
            await person.sees("Write this file?")
            await person.presses("escape")
            for _ in range(2):
                await person.types("/new", "enter")
            await person.sees("1 other")
            assert len(made.waiting) == 1

    run(test())


class Tape:
    """Keeps what a terminal is sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def write(self, data: str) -> None:
        self.sent.append(data)


def test_the_person_is_called_once_for_each_thread_that_begins_to_wait_unseen() -> None:
    tape, calling = Tape(), Calling({})
    driver = cast("Driver", tape)
    for waiting, shown, calls in [
        (set[str](), "a", 0),
        ({"a"}, "a", 0),
        ({"a"}, "b", 0),
        ({"a", "c"}, "b", 1),
        ({"a", "c"}, "b", 1),
        ({"a"}, "b", 1),
        ({"a", "c"}, "b", 2),
    ]:
        calling.look(frozenset(waiting), shown, "bell", driver)
        assert len(tape.sent) == calls
    assert set(tape.sent) == {"\a"}


def test_who_follows_a_thread_is_told_that_it_runs_elsewhere(tmp_path: Path) -> None:
    async def test() -> None:
        store = MemoryStore()
        says = [reply(say("So far. "), pause(20))]
        async with (
            client(says, tmp_path, store=store) as owner,
            client([], tmp_path, store=store) as made,
        ):
            thread = await owner.open(new=True)
            await thread.say("send", "Go")
            async with using(made, thread=thread.thread) as person:
                await person.sees("running elsewhere")
                assert "thinking" not in person.screen

    run(test())


def test_a_fork_of_a_thread_that_failed_shows_why_and_goes_on_from_there(tmp_path: Path) -> None:
    async def test() -> None:
        # In order, whatever is asked: to go on asks the very same again.
        says = iter([fail(Auth("The key is wrong.")), say("Here I am.")])
        async with client(lambda _: next(says), tmp_path) as made, using(made) as person:
            await person.types("Hello?", "enter")
            await person.sees("Enter goes on from here")
            before = person.app.stage.desk.thread.thread
            await person.types("/fork", "enter")
            await person.until(
                lambda: person.app.stage.desk.thread.thread != before, "another thread"
            )
            await person.sees("Enter goes on from here")
            assert "The key is wrong." in person.screen
            await person.presses("enter")
            await person.sees("Here I am.")

    run(test())
