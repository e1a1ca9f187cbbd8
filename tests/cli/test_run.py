"""`longrein run` without a terminal: what it prints, and how it exits."""

import json
import shlex
import signal
import subprocess

import pytest

from longrein.core.errors import BadRequest
from longrein.testing import Script, call, fail, pause, reply, say, when
from tests.cli.world import KEY, SECONDS, World, provider

HELLO = Script([say("Hello there.")])


def test_the_answer_is_all_that_standard_output_has(world: World) -> None:
    with provider(world, HELLO):
        done = world.run("run", "Hi")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Hello there.\n", "")


def test_the_prompt_comes_from_a_pipe_or_behind_the_words(world: World) -> None:
    script = Script(
        rules=[when("alpha\n\nbeta", say("both")), when("beta", say("piped"))],
        otherwise=say("neither"),
    )
    with provider(world, script):
        assert world.run("run", input="beta").stdout == "piped\n"
        assert world.run("run", "alpha", "-", input="beta").stdout == "both\n"
        assert world.run("run", "alpha", input="beta").stdout == "neither\n"


def test_a_file_is_shown_to_the_model(world: World) -> None:
    (world.project / "notes.txt").write_text("the word is gamma")
    script = Script(rules=[when("gamma", say("seen"))], otherwise=say("not seen"))
    with provider(world, script):
        done = world.run("run", "Read this", "--file", "notes.txt")
    assert done.stdout == "seen\n"


def test_json_is_one_object_with_everything(world: World) -> None:
    with provider(world, HELLO):
        result = world.json("run", "Hi")
    assert result["type"] == "result"
    assert (result["outcome"], result["text"], result["steps"]) == ("finished", "Hello there.", 1)
    assert result["usage"]["input"] == 100
    assert result["cost"] is None
    assert result["thread"].startswith("thr_")
    assert result["run"].startswith("run_")
    assert result["pending"] == []


def test_stream_json_is_one_object_per_event(world: World) -> None:
    with provider(world, HELLO):
        done = world.run("run", "Hi", "--output", "stream-json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [event["type"] for event in events]
    assert kinds[-1] == "result"
    assert kinds[-2] == "run_ended"
    assert kinds.count("step_ended") == 1
    fragments = [event["text"] for event in events if event["type"] == "text_fragment"]
    assert "".join(fragments) == "Hello there."


def test_tools_from_a_file_run_and_are_told_on_standard_error(world: World) -> None:
    script = [call("deploy", target="prod"), say("Done.")]
    with provider(world, script):
        done = world.run("run", "Go", "--tools", "tools.py", "--trust", "yolo")
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert "→ deploy" in done.stderr
    assert "✓ deploy deployed prod" in done.stderr
    assert (world.project / "deployed.txt").read_text() == "prod\n"


def test_an_agent_from_a_file_brings_its_modes(world: World) -> None:
    (world.project / "mine.py").write_text(
        "from longrein import Agent, Mode\n"
        "agent = Agent('mine')\n"
        "modes = [Mode('plan', instructions='PLANNING'), Mode('build', instructions='BUILDING')]\n"
    )
    script = Script(rules=[when("BUILDING", say("built"))], otherwise=say("planned"))
    with provider(world, script):
        assert world.run("run", "Go", "--agent", "mine.py").stdout == "planned\n"
        assert world.run("run", "Go", "--agent", "mine.py", "--mode", "build").stdout == "built\n"
        wrong = world.run("run", "Go", "--agent", "mine.py", "--mode", "bild")
    assert wrong.returncode == 2
    assert "known: plan, build" in wrong.stderr


def test_continue_goes_on_in_the_last_thread_and_thread_in_any(world: World) -> None:
    with provider(world, [say("one"), say("two"), say("three")]):
        first = world.json("run", "a")
        assert world.json("run", "--continue", "b")["text"] == "two"
        assert world.json("run", "c")["text"] == "one"
        third = world.json("run", "--thread", first["thread"], "d")
    assert (third["text"], third["thread"]) == ("three", first["thread"])


def test_a_failed_run_exits_with_1_and_says_how_to_go_on(world: World) -> None:
    with provider(world, [fail(BadRequest("the request is odd"))]):
        done = world.run("run", "Hi")
        result = world.json("run", "Hi")
    assert done.returncode == 1
    assert "the request is odd" in done.stderr
    assert "longrein resume thr_" in done.stderr
    assert result["outcome"] == "failed"


def test_a_limit_exits_with_4_and_can_be_resumed_with_more(world: World) -> None:
    script = [call("deploy", target="a"), call("deploy", target="b"), say("Both.")]
    tools = ("--tools", "tools.py", "--trust", "yolo")
    with provider(world, script):
        result = world.json("run", "Go", "--max-steps", "1", *tools)
        assert (result["exit"], result["outcome"]) == (4, "limit_reached")
        again = world.json("resume", result["thread"], *tools)
    assert (again["exit"], again["text"]) == (0, "Both.")


def test_a_limit_of_money_asks_for_a_price_and_counts_with_it(world: World) -> None:
    price = '[prices."local:scripted"]\ninput = 1.0\noutput = "0"\n'
    with provider(world, HELLO):
        refused = world.run("run", "Go", "--max-cost", "1")
        with world.user_file.open("a") as file:
            file.write(price)
        counted = world.json("run", "Go", "--max-cost", "1")
        stopped = world.json("run", "Go", "--max-cost", "0.00001")
    assert refused.returncode == 2
    assert "nobody knows what local:scripted costs" in refused.stderr
    assert '[prices."provider:name"]' in refused.stderr
    assert str(world.user_file) in refused.stderr
    assert "Harness" not in refused.stderr
    assert (counted["outcome"], counted["cost"]) == ("finished", 0.0001)
    assert (stopped["outcome"], stopped["cost"]) == ("limit_reached", 0.0)


@pytest.mark.parametrize(
    ("command", "closed", "shown"),
    [
        ("run Hi", "<&-", ("Hello there.\n", "")),
        ("run Hi", ">&-", ("", "")),
        ("run Hi", "2>&-", ("Hello there.\n", "")),
        ("run Hi", "<&- >&- 2>&-", ("", "")),
        ("threads", ">&-", ("", "There are no threads")),
        ("threads", "2>&-", ("", "")),
    ],
)
def test_a_closed_standard_stream_leads_nowhere(
    world: World, command: str, closed: str, shown: tuple[str, str]
) -> None:
    line = f"{shlex.join(world.command())} {command} {closed}"
    with provider(world, HELLO):
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=world.project,
            env=world.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    assert (done.returncode, done.stdout) == (0, shown[0])
    assert done.stderr.startswith(shown[1])
    assert bool(done.stderr) == bool(shown[1])


def test_a_key_never_appears(world: World) -> None:
    with provider(world, [call("ask_user", question=f"Is it {KEY}?"), say(f"It is {KEY}.")]):
        outputs = [
            world.run("run", f"My key is {KEY}", "--output", "stream-json", "--unattended", "deny"),
            world.run("show", "--json"),
            world.run("threads"),
            world.run("run", "x", "--model", f"nobody:{KEY}", OPENAI_API_KEY=KEY),
        ]
    for done in outputs:
        assert KEY not in done.stdout + done.stderr
    assert b"secret:LOCAL_KEY" in outputs[0].stdout.encode()
    assert KEY.encode() not in (world.root / "data" / "longrein" / "longrein.db").read_bytes()


def test_sigterm_closes_in_order_and_the_thread_goes_on(world: World) -> None:
    with provider(world, [reply(say("So"), pause(60))]):
        running = world.start("run", "Hi", "--output", "stream-json")
        assert running.stdout is not None
        with running:
            for line in running.stdout:
                if "text_fragment" in line:
                    break
            running.send_signal(signal.SIGTERM)
            running.communicate(timeout=SECONDS)
        assert running.returncode == 143
    with provider(world, [say("So long.")]):
        done = world.run("resume")
    assert (done.returncode, done.stdout) == (0, "So long.\n")


def test_a_reader_that_leaves_ends_the_command_quietly(world: World) -> None:
    with provider(world, [reply(say("First."), pause(0.3), say("x" * 100_000), pause(20))]):
        running = world.start("run", "Hi", "--output", "stream-json")
        with running:
            assert running.stdout is not None
            assert running.stderr is not None
            running.stdout.readline()
            running.stdout.close()
            assert running.wait(SECONDS) == 141
            assert running.stderr.read() == ""


def test_the_database_and_its_folder_are_for_their_owner_only(world: World) -> None:
    with provider(world, HELLO):
        world.run("run", "Hi")
    folder = world.root / "data" / "longrein"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "longrein.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run"], "nothing to say"),
        (["run", "Hi", "--file", "nothing.txt"], "nothing.txt cannot be read"),
        (["run", "Hi"], "No model is configured"),
        (["run", "Hi", "--model", "gpt"], "write provider:model"),
        (["run", "Hi", "--model", "openai:gpt"], "OPENAI_API_KEY"),
        (["run", "Hi", "--tools", "nothing.py"], "There is no file nothing.py"),
        (["run", "Hi", "--tools", "broken.py"], "ZeroDivisionError"),
        (["run", "Hi", "--tools", "json"], "has no tools"),
        (["run", "Hi", "--tools", "tools.py:nothing"], "there is no 'nothing' in it"),
        (["run", "Hi", "--agent", "tools.py"], "there is no 'agent' in it"),
        (["run", "Hi", "--max-steps", "0"], "not a whole number from 1 on"),
        (["run", "Hi", "--trust", "all"], "invalid choice"),
        (["dance"], "longrein run dance, or in the app: longrein app dance"),
        (["fix", "it"], "longrein run 'fix it'"),
        (["--thread", "thr_1"], "needs a terminal"),
        (["--continue"], "needs a terminal"),
    ],
)
def test_bad_input_is_told_without_a_traceback(
    world: World, arguments: list[str], says: str
) -> None:
    (world.project / "broken.py").write_text("1 / 0")
    done = world.run(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_store_that_cannot_be_used_is_told_without_a_traceback(world: World) -> None:
    store = world.root / "text.db"
    store.write_text("this is no database, but a text that is long enough to look at" * 20)
    with provider(world, HELLO):
        done = world.run("run", "Hi", LONGREIN_STORE=str(store))
    assert done.returncode == 1
    assert done.stderr.startswith("longrein: ")
    assert "Traceback" not in done.stderr


def test_the_version_costs_no_imports(world: World) -> None:
    code = (
        "import sys; sys.argv = ['longrein', '--version']; from longrein.cli import main; main();"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [*world.command()[:1], "-S", "-c", code],
        env=world.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert loaded.isdisjoint({"asyncio", "msgspec", "argparse", "aiohttp", "sqlite3", "typing"})


def test_listing_threads_loads_no_http_client(world: World) -> None:
    code = (
        "import sys; from longrein.cli import main; main(['threads']);"
        "print('aiohttp' in sys.modules, 'textual' in sys.modules)"
    )
    done = subprocess.run(
        [*world.command()[:1], "-c", code],
        cwd=world.project,
        env=world.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False False\n"


def test_what_is_refused_leaves_no_thread_behind(world: World) -> None:
    with provider(world, HELLO):
        first = world.json("run", "Hi")
        refused = world.run("run", "Again", "--max-cost", "1")
        assert refused.returncode == 2
        assert "prices" in refused.stderr
        rows = world.run("threads", "--json").stdout.splitlines()
    assert [json.loads(row)["id"] for row in rows] == [first["thread"]]
    assert json.loads(rows[0])["current"]
