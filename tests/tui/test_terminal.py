"""End to end in a real terminal: typed into, looked at, killed, opened again."""

import os
import signal
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from longrein.testing import Reply, call, pause, reply, say
from tests.cli.world import World, provider
from tests.tui.tmux import PATIENCE, SECONDS, Terminal, is_hue, needs_tmux, terminal

pytestmark = [needs_tmux, pytest.mark.timeout(120)]

GRACE = 0.5
"""Seconds: a card takes no answer in its first moment."""

FOLDED = "Tab answers"

WRITE = call("write_file", path="notes.txt", content="one\ntwo\n")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@contextmanager
def app(
    world: World,
    says: Sequence[Reply],
    *arguments: str,
    size: tuple[int, int] = (80, 24),
    kind: str = "tmux-256color",
    **environ: str,
) -> Generator[Terminal, None, None]:
    """The app on a scripted provider, with its thread open."""
    command, around = world.command(*arguments), {**world.environ, **environ}
    running = terminal(command, world.project, around, size=size, kind=kind)
    with provider(world, says), running as shown:
        shown.wait("asks first")
        yield shown


def say_it(shown: Terminal, text: str) -> None:
    shown.type(text)
    shown.wait(text)
    shown.keys("Enter")


def answer(shown: Terminal, key: str, card: str) -> None:
    """Press the key that answers a card, until the card is gone because of it.

    A key that comes too soon goes into the editor, and the card waits, folded.
    """
    shown.wait(card)
    ends = time.monotonic() + SECONDS
    while time.monotonic() < ends:
        time.sleep(GRACE)
        shown.keys(key)
        with suppress(AssertionError):
            shown.gone(card, seconds=PATIENCE)
        if FOLDED in shown.screen():
            shown.keys("BSpace", "Tab")
            shown.wait(card)
        elif card not in shown.screen():
            return
    raise AssertionError(f"{key} did not answer; the screen is:\n{shown.screen()}")


def test_the_first_start_is_the_demo_from_plan_to_rewind(world: World) -> None:
    with terminal(world.command(), world.project, world.environ, size=(100, 30)) as shown:
        shown.wait("DEMO")
        shown.wait("greet.sh forgets the name")
        shown.keys("Tab")
        shown.keys("Enter")
        answer(shown, "a", "Plan: Greet people by name")
        answer(shown, "y", "Run this command?")
        answer(shown, "y", "Edit this file?")
        answer(shown, "y", "Run this command?")
        shown.wait("Now take it back")
        shown.gone("writing")
        greeting = world.root / "data" / "longrein" / "demo" / "greet.sh"
        assert "Hello, ${1:-world}!" in greeting.read_text()
        shown.type("/rewind")
        shown.keys("Enter")
        shown.wait("would go")
        shown.keys("Enter")
        shown.wait("Go back in both")
        shown.keys("Enter")
        shown.until(lambda _: "Hello!" in greeting.read_text(), "greet.sh as it was")
        shown.gone("no complaints")


def test_a_whole_task_from_message_to_file(world: World) -> None:
    with app(world, [WRITE, say("There you **are**.")]) as shown:
        say_it(shown, "Write notes")
        answer(shown, "y", "Write this file?")
        shown.wait("There you are.")
        assert (world.project / "notes.txt").read_text() == "one\ntwo\n"
        shown.keys("C-d")
        shown.until(lambda _: shown.ended, "the end")
        # A window of tmux whose program has ended moves up by a line.
        assert "Go on with: longrein --continue  (Write notes)" in shown.history()


def test_killed_in_an_approval_it_opens_on_it_again(world: World) -> None:
    with app(world, [WRITE, say("Written after all.")]) as shown:
        say_it(shown, "Write notes")
        shown.wait("Write this file?")
        os.kill(shown.pid, signal.SIGKILL)
        shown.until(lambda _: shown.ended, "its death")
        shown.again(world.command("--continue"))
        shown.wait("Write this file?")
        assert not (world.project / "notes.txt").exists()
        answer(shown, "y", "Write this file?")
        shown.wait("Written after all.")
        assert (world.project / "notes.txt").read_text() == "one\ntwo\n"


def test_killed_in_the_middle_of_an_answer_it_offers_to_go_on(world: World) -> None:
    with app(world, [reply(say("So far"), pause(30)), say("And to the end.")]) as shown:
        say_it(shown, "Tell me")
        shown.wait("So far")
        os.kill(shown.pid, signal.SIGKILL)
        shown.until(lambda _: shown.ended, "its death")
        shown.again(world.command("--continue"))
        shown.wait("left in the middle")
        shown.wait("Tell me")


def test_escape_interrupts_and_the_queue_is_edited_and_let_go(world: World) -> None:
    with app(world, [reply(say("Hmm"), pause(30)), say("To the second.")]) as shown:
        say_it(shown, "First")
        shown.wait("Hmm")
        shown.type("Second")
        shown.keys("M-Enter")
        shown.wait("1 Second")
        shown.type("Third")
        shown.keys("M-Enter")
        shown.wait("2 Third")
        shown.keys("Up")
        shown.wait("K J move")
        shown.keys("K")
        shown.wait("1 Third")
        shown.keys("d")
        shown.wait("1 Second")
        shown.keys("Escape", "Escape")
        shown.wait("held")
        shown.wait("1 Second")
        shown.keys("Enter")
        shown.wait("To the second.")


def test_a_paste_of_many_lines_is_one_mark_and_arrives_whole(world: World) -> None:
    with app(world, [say("Read.")]) as shown:
        shown.paste("\n".join(f"line {n}" for n in range(200)))
        shown.wait("[pasted #1, 200 lines]")
        shown.keys("Enter")
        shown.wait("Read.")
        kept = world.run("show").stdout
        assert "line 0" in kept
        assert "line 199" in kept


def test_what_a_command_of_ones_own_says_is_shown(world: World) -> None:
    with app(world, []) as shown:
        shown.type("!echo $((40 + 2)) is it")
        shown.keys("Enter")
        shown.wait("42 is it")


def test_resizing_while_it_streams_leaves_nothing_behind(world: World) -> None:
    words = " ".join(f"word{n}" for n in range(150))
    with app(world, [say(words, delay=0.01)]) as shown:
        say_it(shown, "Speak")
        shown.wait("word5")
        shown.resize(50, 15)
        shown.resize(120, 40)
        screen = shown.wait("word149")
        assert "word0 word1 word2" in screen
        assert max(len(line) for line in screen.splitlines()) <= 120


def test_without_colours_only_greys_are_sent(world: World) -> None:
    with app(world, [WRITE], NO_COLOR="1") as shown:
        say_it(shown, "Write notes")
        shown.wait("Write this file?")
        assert not {one for one in shown.colours() if is_hue(one)}


def test_a_terminal_of_sixteen_colours_is_sent_no_others(world: World) -> None:
    with app(world, [WRITE], kind="screen") as shown:
        say_it(shown, "Write notes")
        shown.wait("Write this file?")
        assert {one for one in shown.colours() if is_hue(one)}
        assert not {one for one in shown.colours() if ";" in one}


def test_sigterm_gives_the_terminal_back(world: World) -> None:
    with app(world, []) as shown:
        os.kill(shown.pid, signal.SIGTERM)
        shown.until(lambda _: shown.ended, "the end")
        assert "asks first" not in shown.screen()
