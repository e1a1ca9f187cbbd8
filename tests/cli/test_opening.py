"""What the app opens with: the person's own likes, also in the demo."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from longrein.cli.opening import DEMO_ANEW, NO_KEY, open_demo, open_place
from longrein.cli.parser import build_parser
from longrein.client.port import Check
from longrein.core.commands import Interrupt, SetTrust, SwitchMode, SwitchModel
from longrein.core.preferences import Preferences
from longrein.settings.places import find_places
from longrein.tui.app import LongreinApp
from longrein.tui.commanding import perform
from longrein.tui.desk import Desk
from longrein.tui.opening import Choice, Dialogs, Opened
from tests.models.keyed import Keyed
from tests.support import run
from tests.tui.apps import Unhurried, using
from tests.tui.host import before
from tests.tui.working import settled

LOCAL = '[providers.local]\nbase_url = "http://127.0.0.1:9/v1"\nkey = "sk-some-key"\n'


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


def test_the_demo_introduces_itself_once_and_says_where_another_one_was_over(
    settings: Path,
) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            opened = await open_demo(stack, NO_KEY, again=True)
            first = opened.client.about.notices
            thread = await opened.client.open(opened.thread)
            await thread.say("send", "Hello")
            await settled(thread)
        assert [notice for notice in first if "demo" in notice] == [NO_KEY]
        assert DEMO_ANEW not in first
        async with AsyncExitStack() as stack:
            opened = await open_demo(stack, NO_KEY, again=True)
            assert DEMO_ANEW in opened.client.about.notices

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
                while not app.is_open:
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
                found = await open_place(build_parser().parse_args(["app"]), dialogs, stack)
                opened.extend([found] if found else [])
                return found

            opened: list[Opened] = []
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
                await person.until(lambda: any("in your settings" in note for note in person.notes))
                first = app.stage.desk
                await person.types("/new", "enter")
                await person.until(lambda: app.stage.desk is not first, "another thread")
                await person.until(lambda: app.stage.desk.thread.display.model, "its model")
                await person.presses("shift+tab")
                await person.until(lambda: app.stage.desk.thread.display.mode == "plan", "a mode")
                assert app.stage.desk.thread.display.model
                assert [one.state for one in await named(opened[0], "model")] == ["ok"]

    run(main())
    assert 'model = "anthropic:claude-' in settings.read_text()


def test_a_model_named_by_a_flag_holds_in_every_mode(settings: Path) -> None:
    settings.write_text(f'model = "local:one"\n{LOCAL}', encoding="utf-8")

    async def main() -> None:
        async with AsyncExitStack() as stack:
            opened = await open_with(stack, "--model", "local:other")
            thread = await opened.client.open(new=True)
            for mode in ("plan", "explore", "build"):
                await thread.submit(SwitchMode(mode))
                assert (thread.display.mode, thread.display.model) == (mode, "local:other")

    run(main())


def test_a_first_model_holds_for_threads_that_were_there_before(
    settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.write_text(LOCAL, encoding="utf-8")
    monkeypatch.setenv("LONGREIN_MODEL", "local:one")

    async def main() -> None:
        async with AsyncExitStack() as stack:
            before = await (await open_with(stack)).client.open(new=True)
            await before.submit(SetTrust("edits"))
            await before.say("send", "hello")
            await before.submit(Interrupt())
            async for shown in before.displays():
                if shown.messages and shown.activity == "idle":
                    break
        monkeypatch.delenv("LONGREIN_MODEL")
        async with AsyncExitStack() as stack:
            client = (await open_with(stack)).client
            new = await client.open(new=True)
            await new.submit(SwitchMode("plan"))
            assert await Desk(client, new).use(SwitchModel("local:first"))
            await new.submit(SwitchMode("build"))
            written = len(await client.export(before.thread, "json"))
            old = await client.open(before.thread)
            assert (new.display.model, old.display.model) == ("local:first", "local:first")
            assert old.display.trust == "edits"
            # Who only looks writes nothing, and does not take the thread.
            assert len(await client.export(before.thread, "json")) == written
            assert await old.owner() == "nobody"

    run(main())


def test_an_own_provider_without_a_model_has_its_models_in_the_picker(settings: Path) -> None:
    def own(name: str, url: str) -> str:
        return f'[providers.{name}]\nbase_url = "{url}/v1"\nkey = "sk-some-key"\n'

    async def main() -> None:
        with Keyed("sk-some-key") as server, Keyed("another") as other:
            text = own("local", server.url) + own("other", other.url)
            await asyncio.to_thread(settings.write_text, text, encoding="utf-8")
            async with AsyncExitStack() as stack:
                app = LongreinApp(lambda dialogs: open_with(stack), perform, clock=Unhurried())
                async with before(app) as person:
                    await person.sees("local  key from settings")
                    await person.sees("other  It does not list its models: invalid x-api-key")
                    await person.types("other", "enter")
                    await person.types("large")
                    await person.sees("other:large  not in the list")
                    await person.types("\x15local:large", "enter")
                    await person.until(lambda: app.stage.desk.thread.display.model == "local:large")

    run(main())
    assert 'model = "local:large"' in settings.read_text()


async def open_with(stack: AsyncExitStack, *flags: str) -> Opened:
    opened = await open_place(build_parser().parse_args(["app", *flags]), Nobody(), stack)
    assert opened
    return opened


async def named(opened: Opened, name: str) -> list[Check]:
    return [one for one in await opened.client.checks() if one.name == name]


class Nobody(Dialogs):
    """Somebody who turns away from every question."""

    async def choose(
        self, title: str, text: str, choices: Sequence[Choice], *, shown: str = ""
    ) -> str:
        return ""

    async def ask(self, title: str, text: str, *, secret: bool = False) -> str | None:
        return None
