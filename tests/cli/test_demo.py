"""The demo, and `longrein` alone."""

from tests.cli.terminal import Terminal
from tests.cli.world import World, provider

PROMPT = "a always > "


def test_without_a_terminal_the_demo_answers_itself(world: World) -> None:
    done = world.run("demo")
    assert done.returncode == 0
    assert "The model is a script" in done.stderr
    assert "the demo answers: approve" in done.stderr
    assert "plan approved: A haiku about long reins" in done.stderr
    assert "todos: 2 of 2 done" in done.stderr
    assert "the demo answers: the horse" in done.stderr
    assert "It has 18 words" in done.stdout
    haiku = world.root / "data" / "longrein" / "demo" / "haiku.txt"
    assert haiku.read_text().endswith("(the horse)\n")


def test_the_demo_survives_its_own_death(world: World) -> None:
    with Terminal(world, "demo") as person:
        person.sees("n reject > ")
        person.types("y\n")
        person.sees("mode: build")
        person.sees("2. [ ] Write and save it")
        person.sees("number > ")
        person.types("2\n")
        person.sees(f"kill -9 {person.pid}")
        person.sees(PROMPT)
        person.kill()
    with Terminal(world, "demo") as person:
        person.sees("Welcome back")
        person.sees("waiting for a yes: write_file")
        person.sees("in the queue: How many words")
        person.sees("(the rider)")
        person.sees(PROMPT)
        person.types("y\n")
        person.sees("It has 18 words")
        person.sees("With a key it is the same")
        assert person.ends() == 0


def test_the_demo_can_be_declined_and_begun_again(world: World) -> None:
    with Terminal(world, "demo") as person:
        person.sees("n reject > ")
        person.types("y\n")
        person.sees("number > ")
        person.types("3\n")
        person.sees(PROMPT)
        person.types("n\n")
        person.sees("why not?")
        person.types("\n")
        person.sees("Nothing was written")
        person.sees("There is no file to count")
        assert person.ends() == 0
    assert world.run("demo", "--auto").returncode == 0


def test_a_plan_of_the_demo_survives_a_kill_and_can_be_rejected(world: World) -> None:
    with Terminal(world, "demo") as person:
        person.sees("n reject > ")
        person.kill()
    with Terminal(world, "demo") as person:
        person.sees("waiting for an answer: A haiku about long reins")
        person.sees("n reject > ")
        person.types("n\n")
        person.sees("what should be different?")
        person.types("no haiku\n")
        person.sees("plan rejected: A haiku about long reins (no haiku)")
        person.sees("There is no file to count")
        assert person.ends() == 0


def test_longrein_alone_is_the_demo_until_a_model_is_configured(world: World) -> None:
    assert "here is the demo" in world.run().stderr
    keyed = world.run(ANTHROPIC_API_KEY="sk-ant-0123456789")
    assert keyed.returncode == 0
    assert "longrein run --model anthropic:MODEL" in keyed.stdout
    assert "sk-ant" not in keyed.stdout + keyed.stderr
    with provider(world, []):
        assert 'longrein run "Hello"' in world.run().stdout
