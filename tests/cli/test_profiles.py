"""`longrein profiles`, and profiles in settings files."""

import json
from pathlib import Path
from typing import Any

from longrein.testing import Script, call, say
from tests.cli.world import World, provider

DOCS = Path(__file__).parents[2] / "docs"

PROFILE = """
[profiles.local]
prompt = "Be brief."
[profiles."local:script*"]
excluded_tools = ["ls"]
"""


def listed(world: World, *arguments: str) -> list[dict[str, Any]]:
    done = world.run("profiles", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_profile_is_listed_with_its_source_and_what_holds_for_the_model(
    world: World,
) -> None:
    world.use("http://127.0.0.1:1", PROFILE)
    *entries, merged = listed(world)
    assert {"key": "local", "source": "settings", "profile": {"prompt": "Be brief."}} in entries
    assert any(one["source"] == "built in" for one in entries)
    assert merged == {
        "model": "local:scripted",
        "sources": ["local (settings)", "local:script* (settings)"],
        "profile": {"prompt": "Be brief.", "excluded_tools": ["ls"]},
    }


def test_another_model_can_be_named(world: World) -> None:
    found = listed(world, "anthropic:claude-one")[-1]
    assert found["sources"] == ["anthropic:claude-* (built in)"]
    shown = world.run("profiles", "anthropic:claude-one").stdout
    assert "anthropic:claude-one: anthropic:claude-* (built in)" in shown


def test_doctor_and_models_tell_which_profile_is_in_use(world: World) -> None:
    world.use("http://127.0.0.1:1", PROFILE)
    report = json.loads(world.run("doctor", "--json").stdout)
    found = [one["found"] for one in report["checks"] if one["name"] == "profiles"]
    assert found == ["local:scripted: local (settings), local:script* (settings)"]
    assert "Profiles of local:scripted: local (settings)" in world.run("models").stderr


def test_a_profile_of_the_settings_holds_in_a_run(world: World) -> None:
    script = Script([call("ls", path="/"), say("Then not.")])
    with provider(world, script, PROFILE):
        done = world.run("run", "--output", "stream-json", "Look")
    assert done.returncode == 0, done.stderr
    assert "There is no tool `ls`" in done.stdout


def test_a_profile_that_excludes_what_must_stay_is_refused_with_what_to_do(world: World) -> None:
    more = '[profiles.local]\nexcluded_capabilities = ["workspace"]\n'
    with provider(world, [say("ok")], more):
        done = world.run("run", "Hello")
    assert done.returncode == 2
    assert "local (settings)" in done.stderr
    assert "excluded_tools" in done.stderr


def test_a_broken_package_is_told_by_doctor_and_a_run_goes_on(world: World) -> None:
    info = world.project / "broken_profiles-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[longrein.profiles]\none = no_such_module:PROFILES\n")
    path = f"{world.environ['PYTHONPATH']}:{world.project}"
    with provider(world, [say("Hello")]):
        done = world.run("run", "Hi", PYTHONPATH=path)
        report = json.loads(world.run("doctor", "--json", PYTHONPATH=path).stdout)
    assert done.stdout.strip() == "Hello"
    assert "Profiles of the package broken (one)" in done.stderr
    states = [one["state"] for one in report["checks"] if one["name"] == "profiles"]
    assert states == ["note", "missing"]


def test_a_profile_that_cannot_hold_is_named_with_its_file_by_doctor_too(world: World) -> None:
    world.use("http://127.0.0.1:1", '[profiles.local]\nexcluded_capabilities = ["plans"]\n')
    why = (
        "the profile local (settings) excludes the capability 'plans', which has 'submit_plan': "
        "take that away, or exclude the tool with excluded_tools. "
        f'profiles."local" is in {world.user_file}.'
    )
    for command in (("threads",), ("run", "Hi")):
        done = world.run(*command)
        assert (done.returncode, why in done.stderr) == (2, True)
    checked = world.run("doctor", "--json")
    assert checked.returncode == 1
    (settings,) = [one for one in json.loads(checked.stdout)["checks"] if one["name"] == "settings"]
    assert why in settings["found"]


def test_the_example_of_the_docs_holds(world: World) -> None:
    section = (DOCS / "profiles.md").read_text().partition("## In a settings file")[2]
    example = section.partition("```toml\n")[2].partition("```")[0]
    world.user_file.write_text(f'model = "ollama:small"\n{example}')
    assert world.run("threads").returncode == 0
    assert listed(world)[-1]["sources"] == ["ollama (settings)"]
