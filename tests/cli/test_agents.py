"""`longrein agents`, and when the subagents of a project count."""

import json
import re
from pathlib import Path

from longrein.testing import Script, call, say, when
from tests.cli.terminal import Terminal
from tests.cli.world import World, provider

READER = "---\ndescription: {}\n---\nRead.\n"

CODE = """
from longrein import Agent, Subagent, Subagents
agent = Agent("own", capabilities=[Subagents([Subagent("tester", "Runs tests.")], default=False)])
"""


def put(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def listed(world: World, *arguments: str) -> dict[str, tuple[str, str]]:
    done = world.run("agents", "--json", *arguments)
    assert done.returncode == 0
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line["name"]: (line["source"], line["description"]) for line in lines}


def test_the_users_own_count_and_those_of_longrein_win(world: World) -> None:
    put(world.root / ".agents" / "agents", "reader", READER.format("Anybody's."))
    put(world.root / ".agents" / "agents", "writer", READER.format("Writes."))
    put(world.user_file.parent / "agents", "reader", READER.format("Longrein's."))
    assert listed(world) == {
        "general-purpose": ("default", listed(world)["general-purpose"][1]),
        "reader": ("user", "Longrein's."),
        "writer": ("user", "Writes."),
    }


def test_those_of_a_project_count_once_they_are_trusted_until_they_change(world: World) -> None:
    own = put(world.project / ".longrein" / "agents", "reader", READER.format("The project's."))
    put(world.project / ".agents" / "agents", "reader", READER.format("Anybody's."))
    put(world.root / ".agents" / "agents", "reader", READER.format("The user's."))
    assert listed(world)["reader"] == ("user", "The user's.")
    told = world.run("agents")
    assert f"{own}: not trusted" in told.stderr

    trusted = world.run("trust")
    assert f"The subagents in {own} are used now" in trusted.stderr
    assert listed(world)["reader"] == ("project", "The project's.")

    put(own, "reader", READER.format("Something else."))
    assert listed(world)["reader"] == ("project", "Anybody's.")
    world.run("trust", "--revoke")
    assert listed(world)["reader"] == ("user", "The user's.")


def test_a_person_at_a_terminal_is_asked_once_and_shown_what_they_say(world: World) -> None:
    put(world.project / ".longrein" / "agents", "reader", READER.format("The project's."))
    with Terminal(world, "agents") as person:
        person.sees("This project has subagents of its own")
        person.sees("description: The project's.")
        person.sees("[y/N]")
        person.types("y\n")
        person.sees("project  The project's.")
        assert person.ends() == 0
    assert listed(world)["reader"] == ("project", "The project's.")


def test_a_bad_file_is_told_by_agents_and_doctor_and_stops_nothing(world: World) -> None:
    put(world.user_file.parent / "agents", "bad", "nothing")
    put(world.user_file.parent / "agents", "foreign", "---\ndescription: F.\ntools: Bash\n---\n")
    told = " ".join(world.run("agents").stderr.split())
    assert "bad.md: The file does not begin with a line" in told
    assert "'foreign' has the tool 'Bash', which the agent does not have" in told
    checked = " ".join(world.run("doctor").stdout.split())
    assert "subagents general-purpose, foreign" in checked
    assert "bad.md: The file does not begin with a line" in checked
    with provider(world, [say("Hello.")]):
        assert world.run("run", "Hi").stdout == "Hello.\n"


def test_those_of_the_users_code_are_listed(world: World) -> None:
    (world.project / "own.py").write_text(CODE)
    assert listed(world, "--agent", "own.py") == {"tester": ("code", "Runs tests.")}


def test_settings_switch_off_the_default_child_or_all_of_it(world: World) -> None:
    put(world.user_file.parent / "agents", "reader", READER.format("Reads."))
    world.user_file.write_text("[subagents]\ndefault = false\n")
    assert list(listed(world)) == ["reader"]
    world.user_file.write_text("[subagents]\nenabled = false\n")
    assert listed(world) == {}
    assert "Nobody can be delegated to here." in world.run("agents").stderr


def test_a_depth_below_nothing_is_refused(world: World) -> None:
    world.user_file.write_text("[subagents]\ndepth = -1\n")
    done = world.run("agents")
    assert done.returncode == 2
    assert "subagents.depth: -1 is below 0" in done.stderr


DELEGATES = Script(
    [
        call("task", agent="general-purpose", description="Deploy it", prompt="Deploy to prod"),
        say("Thanks."),
    ],
    rules=[when("Deploy to prod", call("deploy", target="prod"), say("It is out."))],
)


def test_what_a_child_asks_is_told_with_its_name_and_answered_from_anywhere(world: World) -> None:
    tools = ("--tools", "tools.py")
    with provider(world, DELEGATES):
        waits = world.run("run", "Go", *tools)
        assert waits.returncode == 3
        assert "The subagent general-purpose asks:" in waits.stderr
        (id,) = set(re.findall(r"apr_\w+", waits.stderr))
        assert f"longrein approve {id}" in world.run("show").stdout
        done = world.run("approve", id, *tools)
    assert (done.returncode, done.stdout) == (0, "Thanks.\n")
    assert "task It is out." in done.stderr
    assert (world.project / "deployed.txt").read_text() == "prod\n"


def test_an_answer_to_a_child_can_be_left_for_whoever_goes_on(world: World) -> None:
    tools = ("--tools", "tools.py")
    with provider(world, DELEGATES):
        (id,) = set(re.findall(r"apr_\w+", world.run("run", "Go", *tools).stderr))
        assert "accepted: kept" in world.run("approve", id, "--no-wait", *tools).stderr
        assert not (world.project / "deployed.txt").exists()
        assert world.run("resume", *tools).stdout == "Thanks.\n"
    assert (world.project / "deployed.txt").read_text() == "prod\n"


def test_a_person_at_a_terminal_is_asked_what_a_child_asks(world: World) -> None:
    with provider(world, DELEGATES), Terminal(world, "run", "Go", "--tools", "tools.py") as person:
        person.sees("The subagent general-purpose asks:")
        person.sees("y yes")
        person.types("y\n")
        person.sees("Thanks.")
        assert person.ends() == 0


def test_children_are_not_among_the_threads_of_the_project(world: World) -> None:
    with provider(world, DELEGATES):
        world.run("run", "Go", "--tools", "tools.py", "--trust", "yolo")
        assert len(world.run("threads", "--json").stdout.splitlines()) == 1
        shown = world.run("invoke", "agents").stdout
    assert "general-purpose 'Deploy it': finished, 2 steps" in shown
