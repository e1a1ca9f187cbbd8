"""What the app opens with: the person's own likes, also in the demo."""

import os
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from longrein.cli.opening import open_demo, open_place
from longrein.cli.parser import build_parser
from longrein.core.preferences import Preferences
from longrein.settings.places import find_places
from longrein.tui.app import LongreinApp
from longrein.tui.commanding import perform
from longrein.tui.opening import Dialogs, Opened
from tests.support import run
from tests.tui.apps import Unhurried, using
from tests.tui.host import before


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own file, in a home of a test."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.chdir(tmp_path)
    file = find_places(tmp_path, os.environ).user_file
    file.parent.mkdir(parents=True)
    return file


def test_the_demo_looks_as_the_person_likes(settings: Path) -> None:
    settings.write_text('[app]\ntheme = "longrein-light"\ntimestamps = true\n', encoding="utf-8")

    async def main() -> None:
        async with AsyncExitStack() as stack:
            opened = await open_demo(stack)
            assert opened.preferences == Preferences(theme="longrein-light", timestamps=True)

    run(main())


def test_a_theme_that_is_chosen_in_the_demo_is_kept(settings: Path) -> None:
    settings.write_text("# mine\n", encoding="utf-8")

    async def main() -> None:
        async with AsyncExitStack() as stack:
            opened = await open_demo(stack)
            async with using(opened.client, thread=opened.thread) as person:
                await person.types("/theme longrein-light", "enter")
                await person.until(lambda: "longrein-light" in settings.read_text(), "a theme")
                assert person.app.theme == "longrein-light"

    run(main())
    assert settings.read_text().startswith("# mine\n")


def test_the_theme_of_the_settings_is_worn_once_the_client_is_open(settings: Path) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            demo = await open_demo(stack)

            async def opener(dialogs: Dialogs) -> Opened:
                return Opened(demo.client, Preferences(theme="longrein-light"), demo.thread)

            app = LongreinApp(opener, perform, Preferences())
            async with app.run_test() as pilot:
                for _ in range(500):
                    if app.is_open:
                        break
                    await pilot.pause(0.01)
                assert app.theme == "longrein-light"

    run(main())


def test_a_key_without_a_model_leads_to_one_that_is_kept(
    settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-some-key")

    async def main() -> None:
        async with AsyncExitStack() as stack:

            async def opener(dialogs: Dialogs) -> Opened | None:
                return await open_place(build_parser().parse_args(["app"]), dialogs, stack)

            app = LongreinApp(opener, perform, clock=Unhurried())
            async with before(app) as person:
                screen = await person.sees("claude-")
                assert "As configured" not in screen
                await person.presses("escape")
                await person.types("hello", "enter")
                await person.sees("/model chooses one")
                await person.presses("ctrl+c")
                await person.types("/model", "enter")
                await person.sees("claude-")
                await person.presses("enter")
                await person.until(lambda: any("is kept" in note for note in person.notes))
                await person.types("/new", "enter")
                await person.until(lambda: app.stage.desk.thread.display.model, "its model")

    run(main())
    assert 'model = "anthropic:claude-' in settings.read_text()
