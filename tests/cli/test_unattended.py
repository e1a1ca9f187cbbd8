"""Runs with a deadline for answers, on the command line."""

import re

from longrein.testing import call, say
from tests.cli.world import SECONDS, World, asked, provider

DEPLOY = [call("deploy", target="prod"), say("Done.")]
WITH = ("--tools", "tools.py")


def test_after_the_deadline_it_is_declined_and_the_run_goes_on(world: World) -> None:
    with provider(world, DEPLOY):
        done = world.run("run", "Go", "--unattended", "deny", "--deadline", "0.3", *WITH)
        shown = world.run("show")
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert "nobody answered in time" in shown.stdout


def test_without_a_deadline_nobody_is_said_to_have_declined(world: World) -> None:
    with provider(world, DEPLOY):
        done = world.run("run", "Go", "--unattended", "deny", *WITH)
        shown = " ".join(world.run("show").stdout.split())
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert "This call was not run: nobody answered in time" in shown
    assert "user declined" not in shown


def test_after_the_deadline_it_is_parked(world: World) -> None:
    with provider(world, DEPLOY):
        done = world.run("run", "Go", "--deadline", "0.3", *WITH)
    assert done.returncode == 3
    assert "the run is left waiting" in done.stderr
    assert "longrein approve" in done.stderr


def test_an_answer_from_another_process_before_the_deadline_counts(world: World) -> None:
    with provider(world, DEPLOY):
        running = world.start("run", "Go", "--deadline", "20", *WITH)
        approval = asked(world)
        assert world.run("approve", approval, "--no-wait", *WITH).returncode == 0
        output, _ = running.communicate(timeout=SECONDS)
    assert (running.returncode, output) == (0, "Done.\n")
    assert (world.project / "deployed.txt").read_text() == "prod\n"


def test_while_it_waits_it_says_how_to_answer_from_elsewhere(world: World) -> None:
    with provider(world, DEPLOY):
        running = world.start("run", "Go", "--deadline", "20", "--output", "json", *WITH)
        assert running.stderr is not None
        told = ""
        while "longrein decline" not in told:
            told += running.stderr.readline()
        assert "Waiting for an answer, from anywhere, for 20 s; then the run is left" in told
        assert "? deploy (execute) wants to run:" in told
        found = re.search(r"longrein approve (apr_\w+) --tools tools.py", told)
        assert found
        assert world.run("approve", found[1], "--no-wait", *WITH).returncode == 0
        output, more = running.communicate(timeout=SECONDS)
    assert '"outcome":"finished"' in output
    assert "Waiting for an answer" not in more
