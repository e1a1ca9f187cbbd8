"""`longrein compact`: a summary for a thread that has become long."""

from longrein.core.usage import Usage
from longrein.testing import reply, say
from tests.cli.world import World, provider

LONG = "The dough rests for an hour, and is folded. " * 200
ANSWERS = [reply(say(LONG), usage=Usage(2_000 * (n + 1), 2_000)) for n in range(6)]


def talked(world: World) -> str:
    """A thread of six long answers."""
    thread = world.json("run", "Part 0")["thread"]
    for n in range(1, 6):
        world.run("run", "--thread", thread, f"Part {n}")
    return thread


def test_what_it_came_to_is_told(world: World) -> None:
    with provider(world, [*ANSWERS, reply(say("## Goal\nBread."))]):
        thread = talked(world)
        done = world.run("compact", thread, "--focus", "the dough")
        again = world.run("compact", thread)
    assert done.returncode == 0, done.stderr
    assert " tokens became " in done.stdout
    assert again.returncode == 2
    assert "There is nothing to compact" in again.stderr


def test_a_summary_that_is_empty_is_a_failure(world: World) -> None:
    with provider(world, [*ANSWERS, reply()]):
        thread = talked(world)
        done = world.run("compact", thread)
    assert done.returncode == 1
    assert "the summary is empty" in done.stderr
