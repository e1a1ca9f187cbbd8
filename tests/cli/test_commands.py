"""Custom commands from files, given on the command line."""

from pathlib import Path

from longrein.testing import say
from tests.cli.world import World, provider


def put(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def test_commands_of_the_user_are_listed_and_given(world: World) -> None:
    put(
        world.user_file.parent / "commands" / "git",
        "log.md",
        "---\ndescription: Sum up\nargument-hint: [n]\n---\nSum up $1 commits.",
    )
    with provider(world, [say("Hello."), say("Three.")]):
        world.run("run", "Hi")
        listed = world.run("invoke")
        done = world.run("invoke", "/git:log", "3")
        shown = world.run("show")
    assert "/git:log [n]  Sum up\n" in listed.stdout
    assert done.stdout.endswith("Three.\n")
    assert "Sum up 3 commits." in shown.stdout


def test_those_of_a_project_count_once_they_are_trusted_until_they_change(world: World) -> None:
    own = world.project / ".longrein" / "commands"
    put(own, "fix.md", "Fix it.")
    put(own, "help.md", "Mine.")
    with provider(world, [say("Hello.")]):
        done = world.run("run", "Hi")
        assert f"{own}: not trusted" in " ".join(done.stderr.split())
        assert "/fix" not in world.run("invoke").stdout
        assert f"The commands in {own} are used now" in world.run("trust").stderr
        listed = world.run("invoke")
        assert "/fix  Fix it." in listed.stdout
        assert "/help  Mine." not in listed.stdout
        put(own, "fix.md", "Something else.")
        assert "/fix" not in world.run("invoke").stdout
