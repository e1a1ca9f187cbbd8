"""A settings file in which every setting stands as an example, commented out."""

import textwrap
from collections.abc import Iterator

from longrein.settings.described import GROUPS
from longrein.settings.held import default_of
from longrein.settings.setting import Group, Setting
from longrein.settings.shapes import Text, Texts, kinds

WIDTH = 88
HEAD = """\
Settings of Longrein{whose}. Lines that begin with "#" and no space are examples: take the "#" \
away to set something. `longrein config` shows what holds and where it is from, and \
`longrein config KEY` explains one setting."""

EACH = "One table for each name, of which this is an example."
AGAIN = "As many of these as you like."


def template(*, project: bool = False) -> str:
    """The text of the file. That of a project leaves out what only the user may set.

    Each line that begins with `#` and no space can be uncommented, alone or together with others of
    its table.
    """
    head = HEAD.format(whose=" for this project" if project else "")
    groups = (_group(one, project=project) for one in GROUPS)
    return "\n".join(("\n".join(_comment(head)), *(text for text in groups if text))) + "\n"


def _group(group: Group, *, project: bool) -> str:
    settings = [one for one in group.settings if not (project and one.own is True)]
    if not settings:
        return ""
    lines = ["", *_comment(f"---- {group.title} ----")]
    match group.shape:
        case "table" if group.key:
            # Not commented out: a setting below it can be, by itself.
            lines.append(f"[{group.key}]")
        case "table":
            pass
        case "named":
            lines += (*_comment(EACH), f"#[{group.key}.{group.named}]")
        case "list":
            lines += (*([] if group.brief else _comment(AGAIN)), f"#[[{group.key}]]")
    for one in settings:
        lines += _setting(group, one)
    return "\n".join(lines)


def _setting(group: Group, setting: Setting) -> Iterator[str]:
    before = {"table": f"{group.key}.", "named": f"{group.key}.*.", "list": f"{group.key}[]."}
    help, default = setting.help, default_of(setting) or setting.otherwise
    kind = kinds()[setting.key]
    if isinstance(kind, Text | Texts) and kind.choices:
        help = f"{help} Of: {', '.join(kind.choices)}."
    if default not in ("", "[]", "none", setting.example):
        help = f"{help} Default: {default.rstrip('.')}."
    if group.shape == "table":
        yield ""
    if not group.brief:
        yield from _comment(help)
    yield f"#{setting.key.removeprefix(before[group.shape])} = {setting.example}"


def _comment(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )
