"""Themes give styles that can be read, whatever they were made for."""

from dataclasses import fields

import pytest
from rich.style import Style
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from longrein.tui.look import DARK, LIGHT, THEMES, Look, look_of

EVERY = {theme.name: theme for theme in (*THEMES, *BUILTIN_THEMES.values())}


def _styles(look: Look) -> dict[str, Style]:
    return {field.name: getattr(look, field.name) for field in fields(look)}


def _contrast(style: Style, ground: Color) -> float:
    assert style.color is not None
    return abs(Color.from_rich_color(style.color).brightness - ground.brightness)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_every_role_of_our_themes_stands_out_from_the_ground(theme: Theme) -> None:
    ground = Color.parse(theme.background or "")
    assert all(_contrast(style, ground) > 0.25 for style in _styles(look_of(theme)).values())


@pytest.mark.parametrize("theme", EVERY.values(), ids=EVERY)
def test_any_theme_gives_a_look_without_backgrounds(theme: Theme) -> None:
    assert not any(style.bgcolor for style in _styles(look_of(theme)).values())


def test_a_theme_of_the_terminals_own_colours_keeps_them() -> None:
    good = look_of(BUILTIN_THEMES["ansi-dark"]).good.color
    assert good is not None
    assert good.name == "green"


def test_looks_of_one_theme_are_equal() -> None:
    assert look_of(DARK) == look_of(DARK)
    assert hash(look_of(DARK)) == hash(look_of(DARK))
