"""The whole app in a headless terminal, on a real session."""

import re
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from longrein.client.local import LocalClient
from longrein.client.port import About
from longrein.core import commands as c
from longrein.core.preferences import Preferences
from longrein.core.usage import Limits, Usage
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.price import Price
from longrein.testing import Reply, ScriptedModel, call, pause, reply, say, think
from longrein.testing.scripted import Script
from longrein.tui.attempt import tell
from tests.support import run
from tests.tui.apps import User, answer, using
from tests.tui.kit import client

WRITE = call("write_file", path="a.txt", content="one\n")


def sit(
    says: Sequence[Reply] | ScriptedModel,
    folder: Path,
    body: Callable[[User], Coroutine[Any, Any, None]],
    *,
    size: tuple[int, int] = (80, 24),
) -> None:
    """Sit down before the app."""

    async def test() -> None:
        async with client(says, folder) as made, using(made, size=size) as person:
            await body(person)

    run(test())


def slow(*replies: Reply) -> ScriptedModel:
    """A model that takes its time, so that something can be done meanwhile."""
    return ScriptedModel(Script(list(replies)), delay=0.2)


def test_what_is_typed_is_said_and_answered(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        await person.types("Hi there", "enter")
        await person.sees("Hello, you.")
        assert "Hi there" in person.screen

    sit([say("Hello, you.")], tmp_path, body)


def test_the_status_line_has_mode_trust_and_cost(tmp_path: Path) -> None:
    async def test() -> None:
        says = [reply(say("Hello"), usage=Usage(1_000, 200))]
        made = client(says, tmp_path, price=Price("100", "1000"))
        async with made as priced, using(priced) as person:
            await person.types("Hi", "enter")
            await person.sees("$0.30")
            last = person.screen.splitlines()[-1]
            assert "build · asks first" in last
            assert "$0.30" in last

    run(test())


def test_yes_lets_a_call_run(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        await person.types("Write it", "enter")
        await person.sees("Write this file?")
        assert not (tmp_path / "a.txt").exists()
        await answer(person, "y")
        await person.sees("It is written.")
        assert (tmp_path / "a.txt").read_text() == "one\n"

    sit([WRITE, say("It is written.")], tmp_path, body)


def test_shift_tab_goes_through_the_modes(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        for mode in ("plan", "explore", "build"):
            await person.presses("shift+tab")
            await person.until(
                lambda mode=mode: mode in person.screen.splitlines()[-1], f"the mode {mode}"
            )

    sit([], tmp_path, body)


def test_the_key_for_trust_never_reaches_yolo(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        for words in ("edits unasked", "reads only", "asks first", "edits unasked"):
            await person.presses("ctrl+t")
            await person.sees(words)

    sit([], tmp_path, body)


def test_a_trust_that_is_only_passed_lets_nothing_run(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        await person.types("Write it", "enter")
        await person.sees("Write this file?")
        await person.types("\x14\x14")  # Ctrl+T twice, in one read: no rest between them
        await person.sees("reads only")
        await person.until(lambda: person.app.stage.desk.thread.display.trust == "plan", "plan")
        assert person.app.stage.desk.thread.display.approvals
        assert not (tmp_path / "a.txt").exists()

    sit([WRITE, say("Done.")], tmp_path, body)


def test_a_trust_that_a_key_rests_on_lets_run_what_waits(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        await person.types("Write it", "enter")
        await person.sees("Write this file?")
        await person.presses("ctrl+t")
        await person.sees("Done.")
        assert (tmp_path / "a.txt").exists()

    sit([WRITE, say("Done.")], tmp_path, body)


def test_escape_stops_the_run_and_keeps_the_queue(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        await person.types("First", "enter")
        await person.sees("thinking")
        await person.types("Second", "alt+enter")
        await person.sees("1 Second")
        await person.presses("escape")
        await person.sees("held")
        assert "1 Second" in person.screen
        await person.presses("enter")
        await person.misses("held")
        await person.until(lambda: not person.app.stage.desk.thread.display.queue, "an empty queue")

    sit(slow(reply(pause(20), say("never")), say("second answer")), tmp_path, body)


def test_what_is_removed_from_the_queue_is_told(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        await person.types("First", "enter")
        await person.sees("thinking")
        await person.types("Second", "alt+enter")
        await person.sees("1 Second")
        await person.presses("up", "d")
        await person.sees("Removed from the queue")
        assert person.app.stage.desk.thread.display.queue == ()

    sit(slow(reply(pause(20), say("never"))), tmp_path, body)


def test_a_command_of_ones_own_is_run_and_shown(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        await person.types("!echo o''k > b.txt; echo done it", "enter")
        await person.sees("└ done it")
        assert (tmp_path / "b.txt").read_text() == "ok\n"

    sit([], tmp_path, body)


def test_a_command_that_is_not_known_stays_in_the_editor(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        await person.types("/modle", "escape", "enter")
        await person.sees("There is no command /modle")
        assert person.app.main.editor.draft.text == "/modle"

    sit([], tmp_path, body)


def test_help_opens_and_closes(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        await person.types("/help", "enter")
        await person.sees("Alt+Enter")
        await person.presses("escape")
        await person.misses("Alt+Enter")

    sit([], tmp_path, body)


def test_rewinding_puts_files_back_and_the_text_into_the_editor(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        await person.app.stage.desk.thread.submit(c.SetTrust("edits"))
        await person.types("Write it", "enter")
        await person.sees("It is written.")
        await person.types("/rewind", "enter")
        await person.sees("files changed")
        await person.presses("enter")
        await person.sees("both")
        await person.presses("enter")
        await person.until(lambda: not (tmp_path / "a.txt").exists(), "no a.txt")
        await person.until(
            lambda: person.app.main.editor.draft.text == "Write it", "the text in the editor"
        )

    sit([WRITE, say("It is written.")], tmp_path, body)


def test_what_is_refused_goes_back_into_the_editor(tmp_path: Path) -> None:
    async def test() -> None:
        made = client([say("Hello")], tmp_path, limits=Limits(cost=1))
        async with made as limited, using(limited) as person:
            await person.types("Hi there", "enter")
            await person.sees("nobody knows what")
            assert person.app.main.editor.draft.text == "Hi there"
            assert not person.app.stage.desk.thread.display.messages

    run(test())


def test_a_thread_is_renamed(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        await person.types("/rename A fine title", "enter")
        await person.until(
            lambda: person.app.stage.desk.thread.display.title == "A fine title", "the title"
        )
        await person.sees("A fine title")

    sit([], tmp_path, body)


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (40, 10)])
def test_every_size_shows_the_answer_and_the_editor(tmp_path: Path, size: tuple[int, int]) -> None:
    async def body(person: User) -> None:
        await person.types("Hi", "enter")
        await person.sees("Hello")
        assert all(len(line) <= size[0] for line in person.screen.splitlines())
        await person.types("more")
        await person.sees("more")

    sit([say("Hello")], tmp_path, body, size=size)


def test_a_thread_left_with_an_approval_opens_on_it(tmp_path: Path) -> None:
    async def test() -> None:
        store = f"sqlite:{tmp_path / 'app.db'}"
        folder = tmp_path / "work"
        folder.mkdir()
        says = [WRITE, say("It is written.")]
        async with client(says, folder, store=store) as first, using(first) as person:
            await person.types("Write it", "enter")
            await person.sees("Write this file?")
            thread = person.app.stage.desk.thread.thread
        again = client(says, folder, store=store)
        async with again as second, using(second, thread=thread) as person:
            await person.sees("Write this file?")
            await answer(person, "y")
            await person.sees("It is written.")
        assert (folder / "a.txt").read_text() == "one\n"

    run(test())


def test_a_run_left_in_the_middle_is_offered_to_go_on(tmp_path: Path) -> None:
    async def test() -> None:
        store = f"sqlite:{tmp_path / 'app.db'}"
        thread = await _leave_running(store, tmp_path)
        again = client([say("Here again.")], tmp_path, store=store)
        async with again as made, using(made, thread=thread) as person:
            await person.sees("left in the middle")
            await person.presses("enter")
            await person.sees("Here again.")
            await person.misses("left in the middle")

    run(test())


async def _leave_running(store: str, folder: Path) -> str:
    """A thread whose process went away while the model was writing."""
    async with client(slow(reply(pause(20), say("never"))), folder, store=store) as made:
        thread = await made.open(new=True)
        await thread.say("send", "Begin")
        return thread.thread


def test_a_new_thread_begins_empty_and_the_old_one_is_picked_again(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        await person.types("About zebras", "enter")
        await person.sees("Striped.")
        await person.types("/new", "enter")
        await person.misses("Striped.")
        await person.types("/threads", "enter")
        await person.sees("About zebras")
        await person.types("zebras")
        await person.until(lambda: person.screen.count("zebras") >= 2, "the filtered list")
        await person.presses("enter")
        await person.sees("Striped.")

    sit([say("Striped.")], tmp_path, body)


def test_the_label_of_a_demo_is_always_there(tmp_path: Path) -> None:
    async def test() -> None:
        async with client([], tmp_path, label="DEMO") as made, using(made) as person:
            assert "DEMO" in person.screen

    run(test())


def test_what_the_model_thought_is_shown_as_the_person_likes(tmp_path: Path) -> None:
    async def test() -> None:
        says = [reply(think("A long thought\nof two lines"), say("Done."))]
        async with client(says, tmp_path) as made:
            thread = await made.open(new=True)
            likes = Preferences(reasoning="hidden", timestamps=True)
            for shows, seen in ((likes, False), (replace(likes, reasoning="open"), True)):
                async with using(made, thread=thread.thread, preferences=shows) as person:
                    if not thread.display.messages:
                        await person.types("Think", "enter")
                    await person.sees("Done.")
                    await person.until(lambda: re.search(r"Think +\d\d:\d\d", person.screen))
                    await person.until(lambda: re.search(r"Done\. +\d\d:\d\d", person.screen))
                    assert ("of two lines" in person.screen) is seen

    run(test())


def test_an_agent_without_modes_says_so(tmp_path: Path) -> None:
    async def test() -> None:
        agent = Agent("assistant", model=ScriptedModel(Script([])))
        async with Harness(agent, store="memory", environ={}) as harness:
            made = LocalClient(harness, "tester", About(str(tmp_path), ()))
            async with using(made) as person:
                await person.presses("shift+tab")
                await person.sees("no modes")
            await made.close()

    run(test())


def test_a_command_that_is_not_known_takes_nothing_away_that_was_typed_since(
    tmp_path: Path,
) -> None:
    async def body(person: User) -> None:
        await person.types("/nosuch", "enter", "h", "i")
        await person.until(lambda: "/nosuch" in person.app.main.editor.draft.text, "the command")
        assert person.app.main.editor.draft.text.endswith("hi")

    sit([], tmp_path, body)


def test_a_long_problem_is_told_in_part(tmp_path: Path) -> None:
    async def body(person: User) -> None:
        tell(person.app, "x" * 1_000_000)
        await person.until(lambda: len(person.notes) == 1, "a note")
        assert len(person.notes[0]) <= 1_000

    sit([], tmp_path, body)
