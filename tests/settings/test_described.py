"""Every setting is described once, and the description is true."""

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from longrein.capabilities.observing.memory import OBSERVE_AT, REFLECT_AT
from longrein.capabilities.subagents.capability import DEPTH
from longrein.core.errors import UsageError
from longrein.settings.described import GROUPS, SETTINGS
from longrein.settings.layer import Layer, parse, parse_project
from longrein.settings.merge import merge
from longrein.settings.said import said
from longrein.settings.shapes import kinds
from longrein.settings.template import template

FILE = Path("settings.toml")
EXAMPLE = re.compile(r"^#(?! )", re.MULTILINE)


def uncommented(text: str) -> str:
    return EXAMPLE.sub("", text)


def test_what_a_file_can_say_is_described_and_nothing_else() -> None:
    # Hooks may also be nested as users of another program know it, which nobody has to learn.
    assert {key for key in kinds() if "[].hooks[]" not in key} == set(SETTINGS)


def test_titles_fit_on_a_line_and_help_is_a_sentence() -> None:
    assert [group.title for group in GROUPS if len(group.title) > 75] == []
    assert [one.key for one in SETTINGS.values() if not one.help.endswith(".")] == []


@pytest.mark.parametrize("project", [False, True])
def test_the_file_that_is_written_says_nothing_before_it_is_changed(project: bool) -> None:
    assert parse(template(project=project).encode(), FILE) == Layer()


def test_every_example_of_the_file_can_be_uncommented() -> None:
    layer = parse(uncommented(template()).encode(), FILE)
    for setting in SETTINGS.values():
        if "[]" not in setting.key:
            ((_, value),) = said(layer, setting.key)
            assert value == _read(setting.example) or setting.key == "store"
    assert all(next(said(layer, one.key))[1] for one in GROUPS if one.shape == "list")


def test_every_example_can_be_uncommented_alone() -> None:
    lines = template().splitlines()
    for number, line in enumerate(lines):
        if line.startswith("#") and line[1:2].isalpha() and not line.startswith("#settings."):
            alone = "\n".join((*lines[:number], line[1:], *lines[number + 1 :]))
            try:
                parse(alone.encode(), FILE)
            except UsageError:
                # It belongs to a table that is commented out, and now stands in the one before.
                assert _in_commented_table(lines[:number])


def test_the_file_of_a_project_has_only_what_a_project_may_say() -> None:
    layer = parse_project(uncommented(template(project=True)).encode(), FILE)
    assert layer.model
    assert not layer.readable


@pytest.mark.parametrize("key", [one.key for one in SETTINGS.values() if one.own is True])
def test_what_is_the_users_own_is_refused_from_a_project(key: str) -> None:
    setting = SETTINGS[key]
    text = f"{key.replace('*', 'local')} = {setting.example}"
    parse(text.encode(), FILE)
    with pytest.raises(UsageError, match="counts only from yourself"):
        parse_project(text.encode(), FILE)


def test_defaults_are_those_that_hold() -> None:
    settings = merge([])
    held = {
        **{f"app.{name}": getattr(settings.app, name) for name in settings.app.__struct_fields__},
        **{
            f"compaction.{name}": getattr(settings.compaction, name)
            for name in ("share", "keep", "model", "timeout", "enabled")
        },
        "limits.steps": settings.limits.steps,
        "trust": settings.trust,
        "shell": settings.shell,
        "synchronous": settings.synchronous,
        "skills.enabled": settings.skills,
        "memory.enabled": settings.memory,
        "subagents.depth": DEPTH,
        "observing.observe_at": OBSERVE_AT,
        "observing.reflect_at": REFLECT_AT,
    }
    assert {key: SETTINGS[key].default or "" for key in held} == {
        key: value or "" for key, value in held.items()
    }


def _read(example: str) -> object:
    value = tomllib.loads(f"x = {example}")["x"]
    return tuple(msgspec.convert(value, list[str])) if isinstance(value, list) else value


def _in_commented_table(before: list[str]) -> bool:
    return next(line for line in reversed(before) if "[" in line[:3]).startswith("#[")


def test_the_docs_name_what_a_project_may_not_set() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text()
    told = page[page.index("What only you may set") :].partition("\n\n")[0]
    for setting in SETTINGS.values():
        name = setting.key.replace("*", "NAME")
        values = setting.own if isinstance(setting.own, tuple) else ()
        names = [f'`{name} = "{value}"`' for value in values] or [f"`{name}`"]
        assert not setting.own or all(one in told for one in names)
