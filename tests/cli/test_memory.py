"""Instructions from AGENTS.md files on the command line."""

import json
from pathlib import Path

from longrein.testing import Script, say, when
from tests.cli.terminal import Terminal
from tests.cli.world import World, provider


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_project_counts_once_it_is_trusted_and_stays_so_when_it_changes(world: World) -> None:
    put(world.project / "AGENTS.md", "one")
    heard = Script(rules=[when("two", say("I know."), where="system")], otherwise=say("What?"))
    with provider(world, heard):
        done = world.run("run", "hi")
        assert f"Ignored: {world.project}/AGENTS.md: not trusted" in done.stderr
        assert "instructions" in world.run("trust").stderr
        put(world.project / "AGENTS.md", "two")
        done = world.run("run", "hi")
    assert "Ignored" not in done.stderr
    assert "I know." in done.stdout


def test_whoever_sits_at_a_terminal_is_asked_once(world: World) -> None:
    put(world.project / "AGENTS.md", "the rules")
    heard = Script(rules=[when("the rules", say("I know."), where="system")])
    with provider(world, heard):
        with Terminal(world, "run", "hi") as person:
            person.sees("    the rules")
            person.sees("Use them? You are asked once. [y/N]")
            person.types("y\n")
            person.sees("I know.")
            assert person.ends() == 0
        with Terminal(world, "run", "hi") as person:
            person.sees("I know.")
            assert person.ends() == 0


def test_memory_lists_files_with_their_sizes_and_what_does_not_count(world: World) -> None:
    put(world.root / ".agents/AGENTS.md", "everywhere")
    put(world.user_file.parent / "AGENTS.md", "here too")
    put(world.project / "AGENTS.md", "line of the project\n" * 2_000)

    first = world.run("memory")
    world.run("trust")
    second = world.run("memory")
    listed = [json.loads(line) for line in world.run("memory", "--json").stdout.splitlines()]

    assert "not trusted (see `longrein trust`)" in first.stdout
    assert "of them are shown" in second.stdout
    assert [one["path"] for one in listed] == [
        f"{world.root}/.agents/AGENTS.md",
        f"{world.user_file.parent}/AGENTS.md",
        f"{world.project}/AGENTS.md",
    ]
    assert listed[2]["shown"] < listed[2]["tokens"]


def test_a_file_that_is_not_trusted_says_so_whatever_else_is_wrong_with_it(world: World) -> None:
    put(world.project / "AGENTS.md", "a\u200bb\n")
    for command in ("memory", "doctor"):
        told = " ".join(world.run(command).stdout.split())
        assert "that nobody can see; they are left out; not trusted (see `longrein" in told
    world.run("trust")
    assert "not trusted" not in world.run("memory").stdout


def test_a_folder_of_the_project_counts_with_the_project(world: World) -> None:
    put(world.project / "sub" / "AGENTS.md", "the rules")
    heard = Script(rules=[when("the rules", say("I know."), where="system")], otherwise=say("No."))
    with provider(world, heard):
        assert world.run("run", "hi", "--workspace", "sub").stdout == "No.\n"
        world.run("trust")
        assert world.run("run", "hi", "--workspace", "sub").stdout == "I know.\n"
        world.run("trust", "--revoke")
        assert world.run("run", "hi", "--workspace", "sub").stdout == "No.\n"


def test_settings_switch_it_off(world: World) -> None:
    put(world.project / "AGENTS.md", "one")
    world.user_file.write_text("[memory]\nenabled = false\n")
    assert "do without instructions" in world.run("memory").stderr


def test_doctor_tells_of_a_file_that_cannot_be_read(world: World) -> None:
    (world.project / "AGENTS.md").symlink_to("/etc/passwd")
    world.run("trust")
    assert "A link here leads out of the workspace" in " ".join(world.run("doctor").stdout.split())
