"""Profiles of installed packages and of settings files."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from longrein.core.errors import UsageError
from longrein.loop.profiles.profile import Profile
from longrein.models.base import ModelSettings
from longrein.settings.layer import Layer, parse
from longrein.settings.merge import merge

SOURCE = Path(__file__).parents[2] / "src"
FILE = Path("settings.toml")

BROUGHT = """
from longrein import Capability, Profile, Workspace
PROFILES = {"openai": Profile(prompt="Of a package.", base_prompt="Of a package.")}
def make():
    return {"openai:small": Profile(prompt="Made.")}
def breaks():
    raise OSError("no such device")
bad_key = {"open ai": Profile()}
HASTY = {"openai": Profile(excluded_capabilities={Workspace})}
def broken():
    raise OSError("no such part")
PARTS = {"openai": Profile(capabilities=[broken])}
"""

LOOK = """
import json, sys, warnings
from longrein import Agent, Harness, Profile, Workspace, register_profile
register_profile("openai", Profile(prompt="Registered."))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    agent = Agent("a", model="openai:small", capabilities=[Workspace(sys.argv[1], shell=None)])
    harness = Harness(agent, profiles={"openai": Profile(prompt="Given.")})
    again = Harness(agent)
found = harness._blueprint.profiles
print(json.dumps({
    "prompt": found.of("openai:small").prompt.split("\\n\\n"),
    "base": found.of("openai:small").base_prompt,
    "origins": [one.origin for one in found.about("openai:small")],
    "warnings": [str(one.message) for one in caught],
    "capabilities": [one.name for one in harness._blueprint.capabilities],
}))
"""


def installed(folder: Path, points: dict[str, str]) -> dict[str, Any]:
    """What a new process with a package that has these entry points finds."""
    (folder / "brought_profiles.py").write_text(BROUGHT)
    info = folder / "brought_profiles-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: brought-profiles\nVersion: 1.0\n")
    lines = [f"{name} = brought_profiles:{what}" for name, what in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[longrein.profiles]", *lines]))
    done = subprocess.run(
        [sys.executable, "-c", LOOK, str(folder)],
        env={"PYTHONPATH": f"{SOURCE}:{folder}", "PATH": ""},
        capture_output=True,
        timeout=50,
        check=True,
    )
    return json.loads(done.stdout)


def test_profiles_of_a_package_are_weaker_than_those_of_code(tmp_path: Path) -> None:
    found = installed(tmp_path, {"one": "PROFILES", "two": "make"})
    assert found["prompt"] == ["Of a package.", "Registered.", "Given.", "Made."]
    assert found["base"] == "Of a package."
    assert found["origins"] == [
        "openai (package brought-profiles)",
        "openai (registered)",
        "openai (given)",
        "openai:small (package brought-profiles)",
    ]
    assert found["warnings"] == []


def test_what_is_wrong_with_a_package_is_told_and_harms_no_other(tmp_path: Path) -> None:
    points = {"a": "missing", "b": "breaks", "c": "bad_key", "d": "PROFILES", "e": "HASTY"}
    found = installed(tmp_path, {**points, "f": "PARTS"})
    assert found["prompt"] == ["Of a package.", "Registered.", "Given."]
    assert found["capabilities"] == ["workspace"]
    told = "\n".join(found["warnings"])
    assert "brought-profiles (a): AttributeError" in told
    assert "brought-profiles (b): OSError: no such device" in told
    assert "brought-profiles (c): UsageError" in told
    assert "'workspace' cannot be excluded" in told
    assert "no such part" in told


def layer(text: str) -> Layer:
    return parse(text.encode(), FILE)


def test_a_settings_file_says_all_of_a_profile_that_is_not_code() -> None:
    found = merge(
        [
            layer(
                '[profiles."openai:small*"]\nprompt = "One."\nexcluded_tools = ["ls"]\n'
                'base_prompt = "B."\nexcluded_capabilities = ["todos"]\nalone = true\n'
                '[profiles."openai:small*".tool_descriptions]\ngrep = "Find."\n'
                '[profiles."openai:small*".settings]\neffort = "low"\nmax_output = 9\n'
            ),
        ]
    )
    assert found.profiles == {
        "openai:small*": Profile(
            prompt="One.",
            base_prompt="B.",
            excluded_tools=frozenset(("ls",)),
            excluded_capabilities=frozenset(("todos",)),
            tool_descriptions={"grep": "Find."},
            settings=ModelSettings(max_output=9, effort="low"),
            alone=True,
        )
    }


def test_profiles_of_two_files_are_merged() -> None:
    found = merge(
        [
            layer('[profiles.openai]\nprompt = "One."\nbase_prompt = "Old."'),
            layer('[profiles.openai]\nprompt = "Two."\nbase_prompt = "New."'),
        ]
    )
    assert found.profiles["openai"] == Profile(prompt="One.\n\nTwo.", base_prompt="New.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[profiles."open ai"]\nprompt = "x"', "no key of a profile"),
        ('[profiles.openai]\npromt = "x"', "did you mean 'prompt'"),
        ("[profiles.openai]\nexcluded_tools = 3", "profiles"),
        ('[profiles.openai.settings]\neffrt = "low"', "did you mean 'effort'"),
        ("[profiles.openai.settings]\nmax_output = 0", "is not a whole number from 1 on"),
    ],
)
def test_a_slip_of_the_pen_in_a_profile_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        layer(text)
