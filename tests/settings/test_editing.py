"""One setting changed in a file, and nothing else."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longrein.settings.editing import with_value, without_value
from longrein.settings.template import template
from longrein.settings.toml import as_toml

FILE = """\
# my settings
model = "a:1"  # the best

[limits]  # of each run
steps = 5

# colours
[app]
theme = "dark"
"""


def test_a_value_is_replaced_where_it_stands_and_its_comment_stays() -> None:
    changed = with_value(FILE, ("model",), "b:2")
    assert changed == FILE.replace('"a:1"', '"b:2"')


def test_a_new_setting_stands_at_the_head_of_its_table() -> None:
    changed = with_value(FILE, ("limits", "cost"), 2.5)
    assert changed == FILE.replace("each run\n", "each run\ncost = 2.5\n")


def test_a_new_setting_of_the_top_stands_before_the_tables() -> None:
    changed = with_value(FILE, ("trust",), "edits")
    assert changed == FILE.replace("best\n", 'best\ntrust = "edits"\n')


def test_a_new_table_stands_at_the_end() -> None:
    changed = with_value(FILE, ("models", "openai:gpt-4.1", "effort"), "low")
    assert changed == f'{FILE}\n[models."openai:gpt-4.1"]\neffort = "low"\n'


def test_in_a_file_of_examples_it_stands_beside_its_own() -> None:
    changed = with_value(template(), ("compaction", "model"), "a:1")
    lines = changed.splitlines()
    at = lines.index('model = "a:1"')
    assert lines[at - 1].startswith("#model = ")
    assert lines.index("[compaction]") < at < lines.index("[observing]")
    assert "\n".join(lines[:at] + lines[at + 1 :]) + "\n" == template()


@pytest.mark.parametrize(
    "text",
    [
        'limits = { steps = 5 }\nmodel = "x:1"\n',
        "limits.steps = 5\n",
        '[limits]\r\nsteps = 5\r\n[app]\r\ntheme = "x"\r\n',
        'titles = """\n[limits]\n#steps = 1\n"""\n',
        "[limits]\nsteps = 5",
        "",
    ],
)
def test_files_in_any_style_are_changed_and_stay_what_they_were(text: str) -> None:
    changed = with_value(text, ("limits", "steps"), 9)
    before, after = tomllib.loads(text), tomllib.loads(changed)
    assert after.pop("limits")["steps"] == 9
    before.pop("limits", None)
    assert after == before


def test_taking_a_setting_out_leaves_the_rest() -> None:
    assert without_value(FILE, ("app", "theme")) == FILE.replace('theme = "dark"\n', "")


@given(
    st.lists(
        st.text(st.characters(exclude_categories=("Cs",)), min_size=1), min_size=1, max_size=3
    ),
    st.text(st.characters(exclude_categories=("Cs",)))
    | st.booleans()
    | st.integers(-(2**62), 2**62),
)
def test_any_key_and_any_value_come_back_as_they_went_in(keys: list[str], value: object) -> None:
    found: object = tomllib.loads(with_value(FILE, ["models", *keys], value))["models"]
    for key in keys:
        assert isinstance(found, dict)
        found = found[key]  # pyright: ignore[reportUnknownVariableType]
    assert found == value
    assert tomllib.loads(f"x = {as_toml(value)}") == {"x": value}
