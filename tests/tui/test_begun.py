"""Answers that somebody began to write are there again when the card is."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from longrein.client.local import LocalClient
from longrein.client.port import ThreadClient
from longrein.core.messages import ToolResult
from longrein.testing import call, say
from longrein.tui.writing.begun import Begun
from longrein.tui.writing.draft import Draft
from longrein.tui.writing.keeping import answers_in, decoded, encoded
from tests.cli.world import World, provider
from tests.support import run
from tests.tui.apps import User, answer, using
from tests.tui.kit import client
from tests.tui.tmux import PATIENCE, SECONDS, Terminal, needs_tmux, terminal
from tests.tui.working import drafts, settled

GRACE = 0.5
"""Seconds: a card takes no answer in its first moment."""

FOLDED = "Tab answers"

WRITE = call("write_file", path="a.txt", content="hello")
PLAN = call("submit_plan", title="Make it quick", plan="1. Look")
ASK = call("ask_user", question="Which one?")


def store(folder: Path) -> str:
    return f"sqlite:{folder / 'longrein.db'}"


def kept(folder: Path) -> str:
    """What is in the files of drafts."""
    return drafts(folder).decode()


async def asked(made: LocalClient) -> ThreadClient:
    """A thread in which something waits."""
    thread = await made.open(new=True)
    await thread.say("send", "Go.")
    await settled(thread, lambda shown: shown.approvals or shown.questions)
    return thread


def result(user: User) -> str:
    shown = user.app.stage.desk.thread.display
    return next(one.text for one in shown.messages if isinstance(one, ToolResult))


def test_the_reason_of_a_no_is_there_when_the_thread_is_opened_again(tmp_path: Path) -> None:
    async def body() -> None:
        async with client([WRITE, say("Well.")], tmp_path, store=store(tmp_path)) as made:
            thread = (await asked(made)).thread
            async with using(made, thread=thread) as user:
                await answer(user, "n")
                await user.types("because it is")
            async with using(made, thread=thread) as user:
                await user.until(lambda: "because" in kept(tmp_path), "what was kept")
                await answer(user, "n")
                await user.sees("because it is")
                await user.types(" late\r")
                await user.sees("Well.")
                assert result(user).endswith("The reason given: because it is late")
                await user.until(lambda: not kept(tmp_path), "that it is gone")

    run(body())


def test_it_is_written_behind_the_typing(tmp_path: Path) -> None:
    async def body() -> None:
        async with client([WRITE, say("Well.")], tmp_path, store=store(tmp_path)) as made:
            thread = await asked(made)
            async with using(made, thread=thread.thread) as user:
                await answer(user, "n")
                await user.types("because")
                await user.until(lambda: "because" in kept(tmp_path), "a file")

    run(body())


def test_feedback_on_a_plan_is_there_again_until_it_is_thrown_away(tmp_path: Path) -> None:
    async def body() -> None:
        async with client([PLAN, say("Well.")], tmp_path, store=store(tmp_path)) as made:
            thread = (await asked(made)).thread
            async with using(made, thread=thread) as user:
                await answer(user, "r")
                await user.sees("What should be different?")
                await user.types("smaller\nsteps")
            async with using(made, thread=thread) as user:
                await answer(user, "r")
                await user.sees("steps")
                await user.presses("escape")
                await user.sees("Esc again throws away")
                await user.presses("escape")
                await user.until(lambda: not kept(tmp_path), "that it is gone")

    run(body())


def test_an_answer_to_a_question_is_there_again(tmp_path: Path) -> None:
    async def body() -> None:
        async with client([ASK, say("Well.")], tmp_path, store=store(tmp_path)) as made:
            thread = (await asked(made)).thread
            async with using(made, thread=thread) as user:
                await answer(user, "enter")
                await user.types("the seco")
            async with using(made, thread=thread) as user:
                await answer(user, "enter")
                await user.sees("the seco")
                await user.types("nd\r")
                await user.sees("Well.")
                assert result(user) == "the second"

    run(body())


def test_what_was_begun_stays_with_its_thread_when_another_one_is_gone_to(tmp_path: Path) -> None:
    async def body() -> None:
        async with client([WRITE, say("Well.")], tmp_path, store=store(tmp_path)) as made:
            one, other = await asked(made), await made.open(new=True)
            async with using(made, thread=one.thread) as user:
                await answer(user, "n")
                await user.types("because")
                await user.app.stage.enter(other)
                await user.until(lambda: "because" in kept(tmp_path), "a file")
                await user.app.stage.enter(one)
                await answer(user, "n")
                await user.sees("because")

    run(body())


def test_a_draft_and_an_answer_are_kept_side_by_side() -> None:
    begun = Begun()
    begun.place("why", "a1").write("too late")
    begun.place("why", "gone").write("settled since")
    data = encoded(Draft("Hello"), begun.among({"a1"}))
    assert decoded(data) == Draft("Hello")
    assert answers_in(data) == {"why a1": "too late"}
    assert answers_in(b"what is this") == {}
    assert encoded(Draft(), begun.among(())) == b""
    assert begun.place("why", "a1").text == ""  # it is settled


def says_no(shown: Terminal) -> None:
    """Press the key for a no until it is heard: one that comes too soon goes into the editor, and
    the card waits, folded."""
    ends = time.monotonic() + SECONDS
    while "Why not?" not in shown.wait("Write this file?"):
        assert time.monotonic() < ends, shown.screen()
        time.sleep(GRACE)
        shown.keys("n")
        with suppress(AssertionError):
            shown.until(
                lambda seen: "Why not?" in seen or FOLDED in seen, "an effect", seconds=PATIENCE
            )
        if FOLDED in shown.screen():
            shown.keys("BSpace", "Tab")


@needs_tmux
@pytest.mark.timeout(120)
def test_killed_while_somebody_writes_a_reason_it_has_what_was_written(tmp_path: Path) -> None:
    world = World(tmp_path)
    with (
        provider(world, [WRITE, say("Well.")]),
        terminal(world.command(), world.project, world.environ) as shown,
    ):
        shown.wait("asks first")
        shown.type("Write it")
        shown.keys("Enter")
        says_no(shown)
        shown.type("because it is late")
        home = tmp_path / "data" / "longrein"
        shown.until(lambda _: b"it is late" in drafts(home), "a reason on disk")
        os.kill(shown.pid, signal.SIGKILL)
        shown.until(lambda _: shown.ended, "its death")
        shown.again(world.command("--continue"))
        says_no(shown)
        shown.wait("because it is late")
