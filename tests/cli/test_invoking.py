"""`longrein invoke`: commands of capabilities, given from the command line."""

import pytest

from longrein.testing import say
from tests.cli.world import World, provider

AGENT = """
from longrein import Agent, Capability, SlashCommand

def shout(ctx, arguments):
    return arguments.upper()

def greet(ctx, arguments):
    ctx.send(f"Greet {arguments}.")
    return "Greeting."

class Desk(Capability):
    def commands(self):
        loud = SlashCommand("shout", "Say it loud.", shout)
        return [loud, SlashCommand("greet", "Greet.", greet)]

agent = Agent("mine", capabilities=[Desk()])
"""
WITH = ("--agent", "mine.py")


@pytest.fixture
def served(world: World) -> World:
    (world.project / "mine.py").write_text(AGENT)
    return world


def test_a_command_is_carried_out_in_the_last_thread(served: World) -> None:
    with provider(served, [say("Hello.")]):
        served.run("run", "Hi", *WITH)
        done = served.run("invoke", "shout", "so", "be", "it", *WITH)
        slashed = served.run("invoke", "/shout", "yes", *WITH)
    assert (done.returncode, done.stdout) == (0, "SO BE IT\n")
    assert (slashed.returncode, slashed.stdout) == (0, "YES\n")


def test_a_run_that_a_command_starts_is_seen_through(served: World) -> None:
    with provider(served, [say("Hello."), say("Hello Ada.")]):
        served.run("run", "Hi", *WITH)
        done = served.run("invoke", "greet", "Ada", *WITH)
    assert done.returncode == 0
    assert done.stdout.startswith("Greeting.\n")
    assert done.stdout.endswith("Hello Ada.\n")


def test_without_a_name_the_commands_are_listed(served: World) -> None:
    with provider(served, [say("Hello.")]):
        served.run("run", "Hi", *WITH)
        mine = served.run("invoke", *WITH)
        none = served.run("invoke")
    assert mine.stdout.startswith("/shout  Say it loud.\n/greet  Greet.\n/context  ")
    assert none.stdout.startswith("/changes  ")


def test_a_command_that_is_not_known_is_told(served: World) -> None:
    with provider(served, [say("Hello.")]):
        served.run("run", "Hi", *WITH)
        done = served.run("invoke", "shuot", *WITH)
    assert done.returncode == 2
    assert "known: shout, greet" in done.stderr


def test_commands_are_listed_where_there_is_no_thread_yet(served: World) -> None:
    with provider(served, []):
        listed = served.run("invoke", *WITH)
        threads = served.run("threads")
    assert listed.returncode == 0
    assert listed.stdout.startswith("/shout  Say it loud.\n")
    assert "thr_" not in threads.stdout
