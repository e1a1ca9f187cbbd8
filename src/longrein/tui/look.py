"""How things look: the themes of Longrein, and the styles by role that any theme gives."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from rich.style import Style
from textual.color import Color
from textual.design import DEFAULT_DARK_BACKGROUND, DEFAULT_LIGHT_BACKGROUND
from textual.theme import BUILTIN_THEMES, Theme

DARK = Theme(
    name="longrein-dark",
    primary="#8fa8f0",
    secondary="#7f88a3",
    accent="#8fa8f0",
    success="#83c092",
    warning="#dbbc7f",
    error="#e67e80",
    foreground="#d8dbe2",
    background="#15171c",
    surface="#1b1e25",
    panel="#242832",
    dark=True,
)
LIGHT = Theme(
    name="longrein-light",
    primary="#3553b8",
    secondary="#5d6579",
    accent="#3553b8",
    success="#2c7a3f",
    warning="#8a5f00",
    error="#b3261e",
    foreground="#23262d",
    background="#fbfbf9",
    surface="#f3f3f0",
    panel="#e7e7e2",
    dark=False,
)
# Their own accents stand for success, or for nothing else here.
ANSI = tuple(
    replace(BUILTIN_THEMES[name], accent=accent)
    for name, accent in (("ansi-dark", "ansi_bright_blue"), ("ansi-light", "ansi_blue"))
)
THEMES = (DARK, LIGHT, *ANSI)

READABLE = 4.0
"""The least contrast that colours with a meaning have; themes made for accents have less."""

CURSOR = "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"
"""Stands before what is chosen, and before what is written."""

LOW = 16
"""A screen of fewer rows has none to spare."""


@dataclass(frozen=True, slots=True)
class Look:
    """Styles by role. None has a background, so that what is copied or selected stays plain."""

    text: Style
    strong: Style
    dim: Style
    accent: Style
    good: Style
    bad: Style
    warn: Style
    said: Style
    bar: Style
    heading: Style
    quote: Style
    link: Style
    code: Style
    diff_add: Style
    diff_del: Style
    diff_hunk: Style
    keyword: Style
    string: Style
    number: Style
    comment: Style
    name: Style


def of_terminal(theme: Theme) -> Theme:
    """A theme of the terminal's own colours in the place of another one.

    >>> of_terminal(LIGHT).name
    'ansi-light'
    """
    return ANSI[0] if theme.dark else ANSI[1]


def look_of(theme: Theme, *, colours: bool = True) -> Look:
    """The styles that fit a theme; without colours, what is left is said by weight and signs.

    >>> look_of(DARK).good.color.name
    '#83c092'
    >>> look_of(DARK, colours=False).good.color is None
    True
    """
    if not colours:
        return _made(_PLAIN)
    return _made(_of_terminal(theme) if theme.ansi else _mixed(theme))


_PLAIN: Mapping[str, Style] = MappingProxyType(
    {
        "text": Style(),
        "dim": Style(dim=True),
        "accent": Style(bold=True),
        "keyword": Style(bold=True),
        "bad": Style(bold=True),
        "diff_del": Style(dim=True),
    }
)
_ANSI: Mapping[str, Style] = MappingProxyType(
    {
        "text": Style(),
        "dim": Style(dim=True),
        "good": Style(color="green"),
        "bad": Style(color="red"),
        "warn": Style(color="yellow"),
        "keyword": Style(color="magenta"),
        "string": Style(color="green"),
        "number": Style(color="cyan"),
        "name": Style(color="blue"),
        "code": Style(color="cyan"),
    }
)
_SYNTAX_ON_DARK = {
    "keyword": "#c3a6e0",
    "string": "#9cc48f",
    "number": "#e0a97a",
    "name": "#8fb8e8",
    "code": "#9fd0cb",
}
_SYNTAX_ON_LIGHT = {
    "keyword": "#7a3e9d",
    "string": "#3d6b21",
    "number": "#9a4a00",
    "name": "#1f5aa6",
    "code": "#0f6a68",
}


def _of_terminal(theme: Theme) -> Mapping[str, Style]:
    accent = (theme.accent or theme.primary).removeprefix("ansi_")
    return {**_ANSI, "accent": Style(color=accent)}


def _mixed(theme: Theme) -> Mapping[str, Style]:
    """Colours of a theme, each made readable on its background."""
    default = DEFAULT_DARK_BACKGROUND if theme.dark else DEFAULT_LIGHT_BACKGROUND
    ground = Color.parse(theme.background or default)
    text = Color.parse(theme.foreground) if theme.foreground else ground.inverse
    named = {
        "accent": theme.accent or theme.primary,
        "good": theme.success or theme.secondary or theme.primary,
        "bad": theme.error or theme.secondary or theme.primary,
        "warn": theme.warning or theme.primary,
        **(_SYNTAX_ON_DARK if theme.dark else _SYNTAX_ON_LIGHT),
    }
    colours = {role: _readable(Color.parse(name), ground) for role, name in named.items()}
    colours |= {"text": text, "dim": _readable(text.blend(ground, 0.45), ground)}
    return {role: Style(color=colour.rich_color) for role, colour in colours.items()}


def _readable(colour: Color, ground: Color) -> Color:
    """The colour, moved towards black or white until it stands out from the ground."""
    away = Color(255, 255, 255) if _light(ground) < 0.18 else Color(0, 0, 0)
    for step in range(10):
        mixed = colour.blend(away, step / 10)
        if _contrast(mixed, ground) >= READABLE:
            return mixed
    return away


def _contrast(one: Color, other: Color) -> float:
    darker, lighter = sorted((_light(one), _light(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _light(colour: Color) -> float:
    """The relative luminance, as WCAG defines it."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _made(styles: Mapping[str, Style]) -> Look:
    text, dim, accent = styles["text"], styles["dim"], styles["accent"]

    def role(name: str, default: Style = text) -> Style:
        return styles.get(name, default)

    return Look(
        text=text,
        strong=text + Style(bold=True),
        dim=dim,
        accent=accent,
        good=role("good"),
        bad=role("bad"),
        warn=role("warn"),
        said=text,
        bar=accent,
        heading=accent + Style(bold=True),
        quote=text + Style(italic=True),
        link=text + Style(underline=True),
        code=role("code"),
        diff_add=role("good"),
        diff_del=role("diff_del", role("bad")),
        diff_hunk=dim,
        keyword=role("keyword"),
        string=role("string"),
        number=role("number"),
        comment=dim + Style(italic=True),
        name=role("name"),
    )
