"""However low the screen is: the status, a line to write and the ways to answer stay on it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from longrein.testing import Reply, call, pause
from tests.support import run
from tests.tui.apps import User, using
from tests.tui.kit import client
from tests.tui.screens import lines

SIZES = [(40, 12), (20, 8), (80, 10)]
LONG = "\n".join(f"{number}. Step" for number in range(1, 30))
PLAN = call("submit_plan", title="Steps " * 20, plan=LONG)
WRITE = call("write_file", path="notes.txt", content=LONG)
CHOICES = [f"choice {number}" for number in range(1, 6)]
QUESTION = call("ask_user", question="How many? " * 30, choices=CHOICES)


@asynccontextmanager
async def asked(reply: Reply, folder: Path) -> AsyncGenerator[User, None]:
    """Somebody who is asked this."""
    async with client([reply], folder) as made, using(made, size=SIZES[0]) as user:
        await user.types("Go", "enter")
        await user.until(lambda: user.app.main.asks.has_focus_within, "a card")
        yield user


async def on_each(user: User) -> AsyncGenerator[None, None]:
    """One low screen after the other, each of which leaves room for the rest."""
    for size in SIZES:
        await user.pilot.resize_terminal(*size)
        await user.until(lambda: leaves_room(user), "a card that leaves room")
        yield
        await user.until(lambda: leaves_room(user), "a card that leaves room")


def leaves_room(user: User) -> bool:
    """Whether the status is the last line, with something to write in above it."""
    status = user.app.main.status
    last = (0, user.app.size.height - 1, user.app.size.width, 1)
    return status.region == last and lines(user.app)[-2].startswith("›")


@pytest.mark.parametrize(
    ("reply", "keys"),
    [(PLAN, "oaer"), (WRITE, "ynsera"), (QUESTION, "n")],
    ids=["plan", "approval", "question"],
)
def test_a_card_shows_every_way_to_answer_it(tmp_path: Path, reply: Reply, keys: str) -> None:
    async def body() -> None:
        async with asked(reply, tmp_path) as user:
            async for _ in on_each(user):
                card = " ".join(line for line in lines(user.app) if line.startswith("│"))
                assert set(keys) <= set(card.split())

    run(body())


def test_what_a_card_is_about_scrolls(tmp_path: Path) -> None:
    async def body() -> None:
        async with asked(PLAN, tmp_path) as user:
            async for _ in on_each(user):
                await user.presses("home")
                await user.sees("│ 1. Step")
                await user.presses("end")
                await user.sees("│ 29. Step")

    run(body())


def test_the_choice_at_the_cursor_is_seen(tmp_path: Path) -> None:
    async def body() -> None:
        async with asked(QUESTION, tmp_path) as user:
            async for _ in on_each(user):
                await user.presses("home")
                await user.sees("› 1 choice 1")
                await user.presses("down", "down", "down", "down")
                await user.sees("› 5 choice 5")

    run(body())


def test_what_is_to_be_remembered_is_seen_with_where(tmp_path: Path) -> None:
    async def body() -> None:
        async with asked(WRITE, tmp_path) as user:
            async for _ in on_each(user):
                await user.presses("a")
                await user.sees("› 1 exactly")
                await user.sees("this thread")
                await user.presses("right")
                await user.sees("this project")
                await user.presses("left", "escape")

    run(body())


def test_a_reason_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    async def body() -> None:
        async with asked(WRITE, tmp_path) as user:
            async for _ in on_each(user):
                await user.presses("n")
                await user.types("no")
                await user.sees("\n│ no")
                assert "Why not?" in user.screen
                await user.presses("escape")

    run(body())


def test_the_queue_leaves_room_for_the_rest(tmp_path: Path) -> None:
    async def body() -> None:
        async with client([pause(30)], tmp_path) as made, using(made, size=SIZES[0]) as user:
            await user.types("Go", "enter")
            for number in range(1, 7):
                await user.types(f"later {number}", "alt+enter")
            for size in SIZES:
                await user.pilot.resize_terminal(*size)
                await user.sees("4 more")
                await user.types("one\ntwo\nthree\nfour\nfive")
                await user.sees("five")
                await user.presses("ctrl+c", "up")
                await user.sees("› 6 later 6")
                await user.until(lambda: leaves_room(user), "room")
                await user.presses("escape")

    run(body())
