"""`longrein rules`, `grants` and `explain`, and what `approve --always` leaves behind."""

import json

import pytest

from longrein.testing import call, say
from tests.cli.world import World, provider

WITH = ("--tools", "tools.py")
DEPLOY = [call("deploy", target="a"), say("Done.")]
RULES = """
[[rules]]
effect = "deny"
tool = "deploy"
arguments = { target = "prod*" }
[[rules]]
effect = "allow"
tool = "deploy"
arguments = { target = "test" }
[[rules]]
effect = "ask"
always = true
command = "git push*"
"""


def test_every_rule_is_listed_with_where_it_is_from(world: World) -> None:
    world.user_file.write_text(RULES)
    listed = world.run("rules", *WITH)
    rows = [json.loads(line) for line in world.run("rules", "--json", *WITH).stdout.splitlines()]
    assert listed.stdout.splitlines()[:3] == [
        "harness      deny deploy, argument target prod*",
        "harness      ask always any tool, command git push*",
        "harness      allow deploy, argument target test",
    ]
    assert "default      ask any tool that runs commands\n" in listed.stdout
    assert "mode build, trust ask" in listed.stderr
    assert rows[0]["name"] == 'deny:deploy {"arguments":{"target":"prod*"}}'
    assert world.run("threads").stdout == ""


def test_file_rules_are_listed_in_their_order(world: World) -> None:
    world.user_file.write_text('[[files]]\neffect = "deny"\npaths = ["**/.env"]\n')
    rows = [json.loads(line) for line in world.run("rules", "--json").stdout.splitlines()]
    about = [row["rule"] for row in rows if row["source"] == "file rule"]
    own = next(n for n, rule in enumerate(about) if rule["paths"] == ["**/.env"])
    guard = next(n for n, rule in enumerate(about) if ".git" in str(rule["paths"]))
    assert own < guard
    sources = about[own]["source"], about[guard]["source"]
    assert sources == (str(world.user_file), "protected places")
    assert "file rule    deny read+write **/.env\n" in world.run("rules").stdout


def test_a_rule_about_a_tool_that_is_not_loaded_waits_and_is_named(world: World) -> None:
    world.user_file.write_text(RULES)
    listed = world.run("rules")
    assert listed.returncode == 0
    assert "deploy" not in listed.stdout
    assert "Rules about deploy wait" in listed.stderr
    assert world.run("threads").returncode == 0


def test_a_slip_in_the_name_of_a_tool_is_told_where_it_matters(world: World) -> None:
    with provider(world, [say("Hello.")], '[[rules]]\neffect = "deny"\ntool = "deplyo"\n'):
        done = world.run("run", "Hi", *WITH)
    assert (done.returncode, done.stdout) == (0, "Hello.\n")
    assert "about deplyo, which is not loaded; did you mean deploy?" in done.stderr


@pytest.mark.parametrize(
    ("target", "verdict"), [("prod-1", "deny"), ("test", "allow"), ("other", "ask")]
)
def test_a_call_is_explained_by_the_rules_about_it(world: World, target: str, verdict: str) -> None:
    world.user_file.write_text(RULES)
    done = world.run("explain", "deploy", json.dumps({"target": target}), *WITH)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{verdict}: deploy (execute) ")
    assert world.run("threads").stdout == ""


def test_a_call_is_explained_as_things_stand_in_its_thread(world: World) -> None:
    with provider(world, [say("Hello.")]):
        thread = world.json("run", "Hi", "--mode", "plan")["thread"]
        world.run("run", "Hi")
    here = json.loads(world.run("explain", "deploy", '{"target": "a"}', *WITH, "--json").stdout)
    there = world.run("explain", "deploy", '{"target": "a"}', *WITH, "--thread", thread)
    assert (here["verdict"], here["rule"]) == ("ask", "default:execute")
    assert "the rule deny:execute tools (mode) denies it" in there.stdout
    assert "* mode         deny any tool that runs commands\n" in there.stdout


def test_rules_and_grants_are_those_of_the_thread_that_is_named(world: World) -> None:
    with provider(world, DEPLOY):
        first = world.json("run", "Go", "--mode", "plan", *WITH)["thread"]
        (pending,) = world.json("run", "Go", *WITH)["pending"]
        world.run("approve", pending["id"], "--always", "tool", *WITH)
    assert "mode plan" in world.run("rules", first).stderr
    assert "mode build" in world.run("rules").stderr
    assert world.run("grants", first).stdout == ""
    assert "deploy" in world.run("grants").stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing"], "nothing"),
        (["deploy", "{"], "not JSON"),
        (["deploy", "[]"], "one JSON object"),
        (["deploy", '{"target": 7}'], "do not fit"),
    ],
)
def test_what_cannot_be_explained_is_told(world: World, arguments: list[str], says: str) -> None:
    done = world.run("explain", *arguments, *WITH)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_allowed_in_the_project_holds_in_every_thread_until_revoked(world: World) -> None:
    with provider(world, DEPLOY):
        (pending,) = world.json("run", "Go", *WITH)["pending"]
        always = ("--always", "rule", "--in", "project")
        assert world.run("approve", pending["id"], *always, *WITH).returncode == 0
        again = world.run("run", "Go", *WITH)
        listed = world.run("grants")
        grant = listed.stdout.split()[0]
        revoked = world.run("grants", "--revoke", grant)
        asked = world.run("run", "Go", *WITH)
        missing = world.run("grants", "--revoke", grant)
    assert pending["proposal"] == 'deploy with {"target":"a"}'
    assert pending["rule"] == "default:execute"
    assert again.returncode == 0
    assert "the project\n    deploy with" in listed.stdout
    assert "(asked by default:execute)" in listed.stdout
    assert revoked.returncode == 0
    assert asked.returncode == 3
    assert missing.returncode == 6


def test_what_is_allowed_in_a_thread_is_not_allowed_in_another(world: World) -> None:
    with provider(world, DEPLOY):
        (pending,) = world.json("run", "Go", *WITH)["pending"]
        world.run("approve", pending["id"], "--always", "category", *WITH)
        here = world.run("grants")
        other = world.run("run", "Go", *WITH)
    assert "this thread\n    any tool that runs commands" in here.stdout
    assert other.returncode == 3


def test_an_answer_in_the_tools_place_keeps_it_from_running(world: World) -> None:
    with provider(world, DEPLOY):
        (pending,) = world.json("run", "Go", *WITH)["pending"]
        done = world.run("replace", pending["id"], "it", "was", "there", *WITH)
        shown = world.run("show").stdout
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert "deploy (replaced): it was there" in shown
    assert not (world.project / "deployed.txt").exists()
