"""`longrein skills`, and when the skills of a project count."""

import json
from pathlib import Path

from longrein.testing import call, say
from tests.cli.terminal import Terminal
from tests.cli.world import World, provider


def put(folder: Path, name: str, about: str = "Does it.", body: str = "Do it.") -> Path:
    skill = folder / name
    skill.mkdir(parents=True, exist_ok=True)
    head = f"---\nname: {name}\ndescription: {about}\n---\n"
    (skill / "SKILL.md").write_text(head + body, encoding="utf-8")
    return skill


def listed(world: World) -> dict[str, tuple[str, str]]:
    done = world.run("skills", "--json")
    assert done.returncode == 0
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    counting = [line for line in lines if not line.get("shadowed")]
    return {line["name"]: (line["source"], line["description"]) for line in counting}


def test_they_are_listed_with_where_they_are_from_and_who_is_hidden(world: World) -> None:
    weak = put(world.root / ".agents" / "skills", "pdf", "Anybody's.")
    put(world.user_file.parent / "skills", "pdf", "Longrein's.")
    put(world.user_file.parent / "skills", "skill-writing", "Our own way.")
    assert listed(world) == {
        "pdf": ("user", "Longrein's."),
        "skill-writing": ("user", "Our own way."),
    }
    told = world.run("skills")
    assert "pdf                      user     Longrein's." in told.stdout
    assert f"{weak} does not count: " in " ".join(told.stderr.split())


def test_those_of_a_project_count_once_they_are_trusted_until_they_change(world: World) -> None:
    own = world.project / ".agents" / "skills"
    put(own, "pdf", "The project's.")
    put(world.root / ".agents" / "skills", "pdf", "The user's.")
    assert listed(world)["pdf"] == ("user", "The user's.")
    assert f"{own}: not trusted" in world.run("skills").stderr

    assert f"The skills in {own} are used now" in world.run("trust").stderr
    assert listed(world)["pdf"] == ("project", "The project's.")

    put(own, "pdf", "The project's.", "Do something else.")
    assert listed(world)["pdf"] == ("user", "The user's.")
    world.run("trust")
    world.run("trust", "--revoke")
    assert listed(world)["pdf"] == ("user", "The user's.")


def test_a_yes_to_a_project_is_about_scripts_too_and_doctor_says_when_it_holds_no_longer(
    world: World,
) -> None:
    own = world.project / ".agents" / "skills"
    script = put(own, "pdf", "The project's.") / "run.sh"
    script.write_text("echo ok")
    world.run("trust")
    assert "pdf" in listed(world)
    script.write_text("echo evil")
    assert "pdf" not in listed(world)
    done = world.run("doctor")
    assert f"{own}: not trusted (see `longrein trust`)" in " ".join(done.stdout.split())


def test_a_link_out_of_the_project_shows_nothing_to_commands(world: World) -> None:
    (world.root / "private").mkdir()
    (world.root / "private" / "notes").write_text("the secret")
    (world.project / ".agents").mkdir()
    (world.project / ".agents" / "skills").symlink_to(world.root)
    look = call("execute", command=f"cat {world.root}/private/notes")
    with provider(world, [look, say("Done.")]):
        done = world.run("run", "--trust", "yolo", "Hi")
    assert done.stdout == "Done.\n"
    assert "a link leads out of" in " ".join(done.stderr.split())
    shown = world.run("show").stdout
    assert "No such file" in shown
    assert "the secret" not in shown


def test_a_person_at_a_terminal_is_asked_once_and_shown_what_they_are(world: World) -> None:
    put(world.project / ".longrein" / "skills", "pdf", "The project's.")
    with Terminal(world, "skills") as person:
        person.sees("This project has skills of its own")
        person.sees("pdf: The project's.")
        person.sees("[y/N]")
        person.types("y\n")
        person.sees("project  The project's.")
        assert person.ends() == 0
    assert listed(world)["pdf"] == ("project", "The project's.")


def test_a_bad_skill_is_told_by_skills_and_doctor_and_stops_nothing(world: World) -> None:
    bad = put(world.user_file.parent / "skills", "Bad")
    put(world.user_file.parent / "skills", "good")
    for command in (("skills",), ("doctor",)):
        done = world.run(*command)
        told = " ".join((done.stdout + done.stderr).split())
        assert f"{bad} does not count: name 'Bad' has others than lower case" in told
    with provider(world, [call("skill", name="good"), say("Hello.")]):
        assert world.run("run", "Hi").stdout == "Hello.\n"


def test_a_skill_is_checked_before_it_is_put_anywhere(world: World) -> None:
    put(world.project / "drafts", "good")
    assert world.run("skills", "check", "drafts/good").returncode == 0
    assert world.run("skills", "check", "drafts/good/SKILL.md").returncode == 0
    put(world.project / "drafts", "bad", "Use it: now")
    done = world.run("skills", "check", "drafts")
    assert done.returncode == 1
    assert "Line 3 has ': ' inside a text: put the text in quotes." in " ".join(done.stderr.split())
    assert "good: as it should be." in done.stderr
    (world.project / "drafts" / "good" / "out").symlink_to("../bad/SKILL.md")
    done = world.run("skills", "check", "drafts/good")
    assert done.returncode == 1
    assert "out is a link that leads out of it." in done.stderr


def test_settings_switch_skills_off(world: World) -> None:
    put(world.user_file.parent / "skills", "pdf")
    world.user_file.write_text("[skills]\nenabled = false\n")
    assert listed(world) == {}
    assert "There are no skills here." in world.run("skills").stderr
