"""`longrein config` and `longrein init`."""

import json
import os
import stat
import tomllib
from typing import Any

import pytest

from longrein.cli.config_set import parsed
from longrein.core.errors import UsageError
from longrein.settings.shapes import kinds
from tests.cli.world import SECONDS, World


def listed(world: World, *arguments: str, **environ: str) -> dict[str, dict[str, Any]]:
    done = world.run("config", "--json", *arguments, **environ)
    assert done.returncode == 0, done.stderr
    return {one["key"]: one for one in map(json.loads, done.stdout.splitlines())}


def test_each_value_is_listed_with_where_it_is_from(world: World) -> None:
    world.user_file.write_text('model = "a:1"\ntrust = "edits"\n[limits]\nsteps = 5\n')
    world.project_file.write_text('model = "b:1"\n[app]\ntheme = "light"\n')
    world.run("trust")
    found = listed(world, LONGREIN_MAX_STEPS="7")
    assert {key: (found[key]["value"], found[key]["origin"]) for key in found if key in (
        "model", "trust", "limits.steps", "app.theme", "shell", "limits.cost"
    )} == {
        "model": ('"b:1"', str(world.project_file)),
        "trust": ('"edits"', str(world.user_file)),
        "limits.steps": ("7", "environment LONGREIN_MAX_STEPS"),
        "app.theme": ('"light"', str(world.project_file)),
        "shell": ('"sandbox"', "default"),
        "limits.cost": ("", "default"),
    }  # fmt: skip


def test_entries_that_add_up_show_where_each_is_from(world: World) -> None:
    world.user_file.write_text(
        'readable = ["/opt/a"]\n[[rules]]\neffect = "deny"\ntool = "x"\n'
        '[[files]]\neffect = "deny"\npaths = ["a"]\n'
    )
    world.project_file.write_text('[[rules]]\neffect = "ask"\ncommand = "git *"\n')
    world.run("trust")
    found = listed(world)
    assert found["rules[1]"]["origin"] == str(world.user_file)
    assert found["rules[1]"]["value"] == '{ effect = "deny", tool = "x" }'
    assert found["rules[2]"]["origin"] == str(world.project_file)
    assert found["files[1]"]["value"] == '{ effect = "deny", paths = ["a"] }'
    assert found["readable"]["value"] == '["/opt/a"]'


def test_secrets_are_not_shown(world: World) -> None:
    world.user_file.write_text(
        '[providers.x]\nbase_url = "http://me:pass-word@host/v1?key=sk-query"\n'
        'key = "sk-123456"\n'
        'headers = { Authorization = "Bearer tok-en" }\n'
    )
    for done in (
        world.run("config"),
        world.run("config", "--json"),
        world.run("config", "providers"),
    ):
        assert "providers.x.key" in done.stdout
        for secret in ("pass-word", "sk-query", "sk-123456", "tok-en"):
            assert secret not in done.stdout


def test_a_password_in_an_address_is_written_and_not_told(world: World) -> None:
    url = "https://me:p@ss-word@host/v1?key=sk-query"
    done = world.run("config", "providers.x.base_url", url)
    told = 'providers.x.base_url = "https://(not shown)@host/v1?(not shown)" stands'
    assert told in done.stderr
    assert url in world.user_file.read_text()


def test_settings_that_are_changed_at_the_same_time_all_hold(world: World) -> None:
    world.user_file.write_text("# mine\n")
    wanted = {"limits.steps": "7", "limits.tokens": "1000", "trust": "edits"}
    commands = [world.start("config", key, value) for key, value in wanted.items()]
    assert [one.communicate(timeout=SECONDS) and one.returncode for one in commands] == [0, 0, 0]
    assert tomllib.loads(world.user_file.read_text()) == {
        "limits": {"steps": 7, "tokens": 1000},
        "trust": "edits",
    }


def test_one_setting_is_explained_with_all_who_say_something(world: World) -> None:
    world.user_file.write_text("[limits]\nsteps = 5\n")
    done = world.run("config", "limits.steps", LONGREIN_MAX_STEPS="7")
    first, *rest = done.stdout.splitlines()
    assert first == "limits.steps = 7"
    for words in (
        "from environment LONGREIN_MAX_STEPS",
        "How many model calls a run may make.",
        "a whole number",
        "default  250",
        "--max-steps",
        "settings.toml: 5",
    ):
        assert any(words in line for line in rest), words


def test_a_slip_in_a_key_is_told_with_the_nearest(world: World) -> None:
    for arguments in (["limits.step"], ["limits.step", "1"]):
        done = world.run("config", *arguments)
        assert (done.returncode, "did you mean limits.steps?" in done.stderr) == (2, True)


def test_a_value_is_written_and_everything_else_stays(world: World) -> None:
    world.user_file.write_text('# mine\nmodel = "a:1"  # best\n')
    world.user_file.chmod(0o640)
    for key, value in (
        ("model", "b:2"),
        ("limits.cost", "2.5"),
        ("models.openai:gpt-4.1.effort", "high"),
    ):
        assert world.run("config", key, value).returncode == 0
    text = world.user_file.read_text()
    assert text.startswith('# mine\nmodel = "b:2"  # best\n')
    assert tomllib.loads(text) == {
        "model": "b:2",
        "limits": {"cost": 2.5},
        "models": {"openai:gpt-4.1": {"effort": "high"}},
    }
    assert stat.S_IMODE(world.user_file.stat().st_mode) == 0o640
    assert world.run("config", "limits.cost", "--unset").returncode == 0
    assert "cost" not in world.user_file.read_text()


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("trust", "edit", "did you mean edits?"),
        ("limits.steps", "0", "is not a whole number from 1 on"),
        ("providers.groq.key", "sk-1", "longrein login groq"),
        ("rules.effect", "deny", "edit [[rules]]"),
    ],
)
def test_a_value_that_cannot_be_changes_nothing(
    world: World, key: str, value: str, says: str
) -> None:
    world.user_file.write_text('model = "a:1"\n')
    done = world.run("config", key, value)
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr
    assert world.user_file.read_text() == 'model = "a:1"\n'


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("model", "a:1", "a:1"),
        ("model", '"a:1"', "a:1"),
        ("fallback", "a:1, b:2", ["a:1", "b:2"]),
        ("fallback", '["a:1"]', ["a:1"]),
        ("app.mouse", "No", False),
        ("limits.steps", "1_000", 1000),
        ("limits.cost", "3", 3.0),
        ("models.*.media", "image,pdf", ["image", "pdf"]),
    ],
)
def test_values_are_read_as_people_write_them(key: str, text: str, value: object) -> None:
    assert parsed(kinds()[key], text, key) == value


@pytest.mark.parametrize(
    ("key", "text", "says"),
    [
        ("limits.steps", "many", "is not a whole number"),
        ("limits.cost", "much", "is not a number"),
        ("app.mouse", "maybe", "neither true nor false"),
        ("models.*.media", "image,smell", "write one of"),
        ("fallback", "[a", "write"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(key: str, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parsed(kinds()[key], text, key)


def test_a_file_that_is_wrong_already_is_named_and_left(world: World) -> None:
    world.user_file.write_text("model = \n")
    done = world.run("config", "trust", "edits")
    assert (done.returncode, "this is not TOML" in done.stderr) == (2, True)
    assert world.user_file.read_text() == "model = \n"


def test_what_wins_over_the_new_value_is_told(world: World) -> None:
    done = world.run("config", "trust", "edits", LONGREIN_TRUST="plan")
    assert 'What holds is "plan", from environment LONGREIN_TRUST.' in done.stderr


def test_what_the_user_writes_for_the_project_counts(world: World) -> None:
    assert world.run("config", "--project", "model", "b:1").returncode == 0
    assert listed(world)["model"]["origin"] == str(world.project_file)
    world.project_file.write_text('model = "evil:1"\n')
    done = world.run("config", "--project", "trust", "plan")
    assert "longrein trust" in done.stderr
    assert listed(world)["trust"]["origin"] == "default"


def test_a_project_is_not_given_what_only_the_user_may_say(world: World) -> None:
    done = world.run("config", "--project", "app.editor", "vim")
    assert (done.returncode, "counts only from yourself" in done.stderr) == (2, True)
    assert not world.project_file.exists()


def test_a_link_of_the_project_that_leads_out_is_not_written_through(world: World) -> None:
    world.project_file.symlink_to(world.root / "elsewhere.toml")
    for arguments in (["config", "--project", "model", "b:1"], ["init", "--project"]):
        done = world.run(*arguments)
        assert (done.returncode, "leads out of the project" in done.stderr) == (2, True)
    assert not (world.root / "elsewhere.toml").exists()


def test_init_writes_a_file_that_explains_everything_and_says_what_is_next(world: World) -> None:
    done = world.run("init")
    assert done.returncode == 0
    assert "longrein login PROVIDER" in done.stderr
    assert "#model = " in world.user_file.read_text()
    changed = world.run("config", "--changed")
    assert (changed.stdout, "Nothing is set" in changed.stderr) == ("", True)
    assert stat.S_IMODE(world.user_file.stat().st_mode) == 0o600


def test_init_overwrites_nothing_and_keeps_the_old_file_if_forced(world: World) -> None:
    for number, text in enumerate(('model = "a:1"\n', 'model = "b:1"\n')):
        world.user_file.write_text(text)
        assert world.run("init").returncode == 2
        assert world.user_file.read_text() == text
        assert world.run("init", "--force").returncode == 0
        backup = world.user_file.with_name(f"settings.toml.bak{number + 1 if number else ''}")
        assert backup.read_text() == text


def test_init_for_a_project_counts_at_once(world: World) -> None:
    assert world.run("init", "--project").returncode == 0
    text = world.project_file.read_text()
    world.run("config", "--project", "trust", "plan")
    assert "editor" not in text
    assert listed(world)["trust"]["value"] == '"plan"'


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_to_is_named(world: World) -> None:
    world.user_file.parent.chmod(0o500)
    done = world.run("config", "trust", "edits")
    assert (done.returncode, "cannot be written" in done.stderr) == (2, True)
