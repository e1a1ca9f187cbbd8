"""The page of models: by provider, with keys, prices and effort."""

from pathlib import Path
from typing import get_args

import pytest

from longrein.core.commands import SwitchModel
from longrein.models.base import Effort
from longrein.models.listing import ModelInfo
from longrein.testing import say
from longrein.tui.draw.rows import draw_row
from longrein.tui.pages.models import ModelsPage
from longrein.tui.view.models import EFFORTS, NAME_ONE, model_rows
from tests.support import run
from tests.tui.host import shown
from tests.tui.kit import client
from tests.tui.screens import lines

KNOWN = (
    ModelInfo("groq:some", "groq", False, "Set GROQ_API_KEY.", key="no key: longrein login groq"),
    ModelInfo(
        "house:large", "house", True, window=200_000, input=3_000_000_000, output=15_000_000_000
    ),
)


def test_every_effort_can_be_chosen() -> None:
    assert EFFORTS[1:] == get_args(Effort)


def test_usable_models_come_first_and_missing_keys_are_said() -> None:
    house, large, groq, some = model_rows(KNOWN, "house:large")
    assert (house.title, large.title, large.current) == ("house", "large", True)
    assert large.cells == ("$3 in, $15 out", "holds 200k")
    assert (groq.title, groq.note) == ("groq", "no key: longrein login groq")
    assert some.tone == "dim"


def test_what_to_do_with_a_provider_that_names_no_models_is_said_in_full() -> None:
    rows = model_rows((ModelInfo("own:", "own", True), *KNOWN), "")
    own = next(row for row in rows if row.key == "own:")
    line = draw_row(own, 76, (16, 10), marks=False, at_cursor=False)
    assert NAME_ONE in "".join(text for text, _ in line)


def test_the_model_in_use_is_pointed_at_though_it_is_in_no_list(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            page = ModelsPage(made, "own:typed", "")
            async with shown(page) as (app, person):
                await person.until(lambda: page.listed.row)
                assert page.listed.row
                assert page.listed.row.key == "own:typed"
                assert any("› ✓ own:typed" in line for line in lines(app))
                await person.presses(*"own:typed")
                await person.until(lambda: sum("own:typed" in line for line in lines(app)) == 2)
                assert "not in the list" not in "".join(lines(app))

    run(main())


def test_where_none_is_in_use_the_first_usable_model_is_pointed_at(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            page = ModelsPage(made, "", "")
            async with shown(page) as (_, person):
                await person.until(lambda: page.listed.row)
                assert page.listed.row
                assert page.listed.row.key == "custom:ScriptedModel"

    run(main())


def test_a_model_and_an_effort_are_chosen(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            page = ModelsPage(made, "custom:ScriptedModel", "")
            async with shown(page) as (app, person):
                await person.until(lambda: page.listed.row)
                await person.presses("right", "right", "right", "left")
                assert any("[minimal]" in line for line in lines(app))
                await person.presses(*"scripted", "enter")
                await person.until(lambda: app.result)
                assert app.result == [SwitchModel("custom:ScriptedModel", "minimal")]

    run(main())


def test_a_model_that_is_in_no_list_is_taken_as_it_was_typed(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            page = ModelsPage(made, "", "")
            async with shown(page) as (app, person):
                await person.until(lambda: page.listed.row)
                await person.presses(*"vllm:my-own", "enter")
                await person.until(lambda: app.result)
                assert app.result == [SwitchModel("vllm:my-own", "")]

    run(main())


def test_a_model_without_a_key_says_what_to_do_and_stays(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            page = ModelsPage(made, "", "high")
            async with shown(page) as (app, person):
                await person.until(lambda: page.listed.row)
                await person.presses(*"anthropic:claude-opus", "enter")
                await person.until(lambda: person.notes)
                assert "cannot be used yet: no key: longrein login anthropic" in person.notes[0]
                assert app.screen is page

    run(main())


def test_the_configured_model_is_gone_back_to(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            page = ModelsPage(made, "custom:ScriptedModel", "")
            async with shown(page) as (app, person):
                await person.until(lambda: page.listed.row)
                await person.presses("up", "enter")
                await person.until(lambda: app.result)
                assert app.result == [SwitchModel("", "")]

    run(main())


@pytest.mark.parametrize("size", [(40, 10), (200, 60)])
def test_it_opens_at_every_size(tmp_path: Path, size: tuple[int, int]) -> None:
    async def main() -> None:
        async with client([say("hi")], tmp_path) as made:
            page = ModelsPage(made, "custom:ScriptedModel", "")
            async with shown(page, size) as (app, person):
                await person.until(lambda: any("✓ ScriptedModel" in line for line in lines(app)))
                assert any("Effort [as configured]" in line for line in lines(app))

    run(main())
