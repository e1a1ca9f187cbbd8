"""What a project brings counts only by a yes that was meant, in the app."""

import asyncio
import time
from pathlib import Path

import pytest

from longrein.cli.opening import AskingDialogs
from longrein.testing import say
from longrein.tui.app import LongreinApp
from longrein.tui.commanding import perform
from longrein.tui.opening import Dialogs
from tests.cli.world import World, provider
from tests.support import run
from tests.tui.apps import Unhurried
from tests.tui.host import before
from tests.tui.tmux import needs_tmux, terminal

LONG = "/project/" + "deep/" * 20 + ".longrein/settings.toml"


def answered(*keys: str) -> tuple[str, bool]:
    """What a person is shown who is asked, and what comes of pressing keys."""
    verdicts: list[bool] = []

    async def opener(dialogs: Dialogs) -> None:
        asking = AskingDialogs(dialogs)
        lines = [f"line {number}" for number in range(60)]
        headline = f"This project has hooks of its own, {LONG}:"
        verdicts.append(await asyncio.to_thread(asking.confirms, headline, lines, "They run."))

    async def body() -> str:
        async with before(LongreinApp(opener, perform, clock=Unhurried())) as person:
            seen = await person.sees("Ignore them")
            await person.presses(*keys)
            await person.until(lambda: verdicts, "a verdict")
            return seen

    return run(body()), verdicts[0]


@pytest.mark.parametrize(
    ("keys", "counts"),
    [(["enter"], False), (["escape"], False), (["down", "enter"], True), (["y"], True)],
)
def test_to_ignore_what_a_project_brings_comes_first(keys: list[str], counts: bool) -> None:
    assert answered(*keys)[1] is counts


def test_the_risk_and_the_whole_path_stand_above_what_is_long() -> None:
    seen, _ = answered("n")
    rows = "".join(line.strip(" │▁▂▃▄▅▆▇█") for line in seen.split("\n"))
    assert rows.index(LONG) < rows.index("They run.") < rows.index("line 0")
    assert "more lines, PageDown" in seen


@needs_tmux
@pytest.mark.timeout(120)
def test_a_prompt_that_is_typed_as_the_app_opens_lets_no_hook_run_and_is_there_afterwards(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    world.project_file.write_text('[[hooks.SessionStart]]\ncommand = "touch ran"\n')
    running = terminal(world.command(), world.project, world.environ)
    with provider(world, [say("Hello.")] * 3), running as shown:
        shown.wait("Use them?")
        # In one piece: whoever stops for seconds in the middle of a word may answer by the rest.
        shown.type("why, my 2 tests say yes\r")
        time.sleep(0.5)
        assert "Use them?" in shown.screen()
        shown.keys("Escape")
        shown.wait("asks first")
        shown.wait("› why, my 2 tests say yes")
    assert not (world.project / "ran").exists()
