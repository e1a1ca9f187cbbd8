"""Pages to read: context, cost, doctor, help, and what capabilities say."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import CommandContext, SlashCommand
from longrein.client.local import LocalClient
from longrein.client.port import About, Check, Client
from longrein.context.report import ContextReport
from longrein.core.children import ChildView
from longrein.core.display import display
from longrein.core.state import State
from longrein.core.usage import Spent, Usage
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.testing import ScriptedModel, say
from longrein.tui.commands import COMMANDS
from longrein.tui.keys import KEYS
from longrein.tui.pages.brought import BroughtPage
from longrein.tui.pages.context import ContextPage
from longrein.tui.pages.cost import CostPage
from longrein.tui.pages.doctor import DoctorPage
from longrein.tui.pages.help import HelpPage
from longrein.tui.pages.text import TextPage
from longrein.tui.view.compacting import compacted
from longrein.tui.view.context import context_lines
from longrein.tui.view.cost import cost_lines
from longrein.tui.view.tones import Line
from tests.support import run
from tests.tui.host import Host, shown
from tests.tui.kit import client
from tests.tui.screens import lines
from tests.tui.working import talked


class Notes(Capability):
    """Brings `/memory`, and says something nasty."""

    @property
    def name(self) -> str:
        return "notes"

    def commands(self) -> tuple[SlashCommand, ...]:
        def memory(ctx: CommandContext, arguments: str) -> str:
            return f"You like tea.\nEvil: \x1b[2J\u202e{arguments}"

        return (SlashCommand("memory", "What is remembered.", memory),)


def text(app: Host) -> str:
    return "\n".join(lines(app))


def said(made: list[Line]) -> list[str]:
    return ["".join(piece for piece, _ in line) for line in made]


def test_the_context_is_a_chart_with_what_is_free() -> None:
    report = ContextReport({"agent": 800}, 1_200, 0, 500, 700, 0, 6_800, 9_500, 20_000)
    made = said(context_lines(report, "house:large"))
    assert made[0] == f"{'━' * 20}{'─' * 20}  50%  10k of 20k tokens"
    assert made[1].startswith("10,000 free")
    assert f"Results of tools   {6_800:>8,}   68%  ━━━━━━━━━━━━━━" in made


def test_a_window_that_nobody_knows_is_said() -> None:
    report = ContextReport({}, 10, 0, 0, 0, 0, 0, 0, None)
    assert said(context_lines(report, "house:large"))[0] == (
        "10 tokens  nobody knows how many house:large holds"
    )


def test_the_cost_tells_run_thread_and_children_and_what_has_no_price() -> None:
    below = Spent(Usage(50, 5), cost=100_000_000, steps=1)
    spent = Spent(Usage(1_000, 100, cached=400), cost=500_000_000, unpriced=1, steps=3)
    shown = replace(
        display(State()),
        run="run_1",
        run_spent=below,
        spent=spent,
        below=below,
        children=(ChildView("thr_2", "reviewer", "Read", "finished", spent=below),),
    )
    made = said(cost_lines(shown))
    assert made[0].split() == ["This", "run", "Thread", "children's"]
    assert made[1].split() == ["Cost", "$0.1000", "$0.5000+", "$0.1000"]
    assert "The price of 1 call is not known and not part of the sum." in made
    assert made[-1].split() == ["$0.1000", "1", "call", "reviewer:", "Read,", "finished"]


def test_a_summary_that_was_made_is_told_once_it_stands() -> None:
    shown = replace(display(State()), context_used=90_000)
    makes = replace(shown, compacting=True)
    assert compacted(makes, replace(shown, context_used=12_000)).startswith(
        "Requests hold about 12k tokens now"
    )
    assert not compacted(shown, makes)
    assert not compacted(makes, shown), "it was stopped, or went wrong"


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (200, 60)])
def test_context_and_cost_open_and_close(tmp_path: Path, size: tuple[int, int]) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            thread = await talked(made, "Hello")
            for page, words in ((ContextPage(thread), "tokens"), (CostPage(thread), "Thread")):
                async with shown(page, size) as (app, person):
                    await person.until(lambda app=app, words=words: words in text(app))
                    await person.presses("escape")
                    await person.until(lambda app=app: app.result)

    run(main())


def test_help_names_every_key_and_every_command(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            thread = await made.open(new=True)
            async with shown(HelpPage(thread), (120, 120)) as (_, person):
                seen = await person.sees("/changes")
                for group in KEYS:
                    assert all(one.what in seen for one in group.keys)
                assert all(f"/{one.name}" in seen for one in COMMANDS)

    run(main())


def test_keys_are_not_lost_where_it_is_narrow(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            thread = await made.open(new=True)
            async with shown(HelpPage(thread), (40, 24)) as (app, person):
                await person.until(lambda: "Alt+Enter" in text(app))
                assert "queue: it is said when the" in text(app)

    run(main())


def test_a_long_page_scrolls(tmp_path: Path) -> None:
    async def main() -> None:
        async def make() -> list[Line]:
            return [((f"line {number}", ""),) for number in range(500)]

        async with shown(TextPage("Long", make)) as (app, person):
            await person.until(lambda: "line 0" in text(app))
            await person.presses("end")
            await person.until(lambda: "line 499" in text(app))
            await person.presses("home", "down")
            await person.until(lambda: "line 1\n" in text(app) and "line 0\n" not in text(app))

    run(main())


def test_what_a_capability_says_is_shown_and_cannot_steer_the_terminal(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path, capabilities=[Notes()]) as made:
            thread = await made.open(new=True)
            async with shown(BroughtPage(thread, "memory", "x")) as (app, person):
                await person.until(lambda: "You like tea." in text(app))
                assert "Evil: \\x1b[2J\\u202ex" in text(app)

    run(main())


@pytest.mark.parametrize("name", ["agents", "skills", "memory", "hooks"])
def test_where_no_capability_has_the_command_it_is_said(tmp_path: Path, name: str) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            thread = await made.open(new=True)
            async with shown(BroughtPage(thread, name)) as (app, person):
                await person.until(lambda: "This agent" in text(app) or "no hooks" in text(app))

    run(main())


def test_the_doctor_says_what_is_missing_and_what_to_do() -> None:
    async def look() -> list[Check]:
        return [
            Check("ripgrep", "ok", "14.1"),
            Check("sandbox", "missing", "no bubblewrap", "Install bubblewrap."),
        ]

    async def main() -> None:
        model = ScriptedModel(lambda request: say("hi"))
        async with Harness(Agent("assistant", model=model), environ={}) as harness:
            made: Client = LocalClient(harness, "me", About("/project", ()), look=look)
            async with shown(DoctorPage(made)) as (app, person):
                await person.until(lambda: "✗ sandbox" in text(app))
                assert "Install bubblewrap." in text(app)
                assert "1 thing to put right." in text(app)

    run(main())


def test_what_goes_wrong_stands_on_the_page(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made, shown(DoctorPage(made)) as (app, person):
            await person.until(lambda: "run `longrein doctor` instead" in text(app))

    run(main())
