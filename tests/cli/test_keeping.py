"""Threads that are found, tagged, exported, imported and erased; what they used."""

import json

from longrein.testing import call, say
from tests.cli.world import World, provider

HELLO = [say("The word is gamma."), say("Again.")]
PRICE = '[prices."local:scripted"]\ninput = 1.0\noutput = 0\n'


def ids(text: str) -> list[str]:
    return [word for word in text.split() if word.startswith("thr_")]


def test_threads_are_found_by_words_tag_and_status(world: World) -> None:
    with provider(world, [call("ask_user", question="Which?"), say("Hm.")]):
        waiting = world.json("run", "First", "--tag", "big")["thread"]
    with provider(world, HELLO):
        idle = world.json("run", "Second", "--tag", "small", "--tag", "red")["thread"]
    found = world.run("threads", "--search", "gamma")
    assert ids(found.stdout) == [idle]
    assert "#small #red" in found.stdout
    assert "gamma" in found.stdout.splitlines()[1]
    assert ids(world.run("threads", "--search", "gamma", "--tag", "big").stdout) == []
    assert ids(world.run("threads", "--tag", "big").stdout) == [waiting]
    assert ids(world.run("threads", "--status", "waiting").stdout) == [waiting]
    assert ids(world.run("threads", "--status", "idle").stdout) == [idle]
    assert "no such threads" in world.run("threads", "--status", "stopped").stderr


def test_tags_are_added_and_taken_away(world: World) -> None:
    with provider(world, HELLO):
        thread = world.json("run", "Hi")["thread"]
    added = world.run("tag", thread, "one", "two")
    removed = world.run("tag", thread, "one", "--remove")
    (row,) = [json.loads(line) for line in world.run("threads", "--json").stdout.splitlines()]
    assert (added.returncode, added.stderr) == (0, f"{thread}: #one #two\n")
    assert removed.returncode == 0
    assert row["tags"] == ["two"]
    assert "#two" in world.run("show").stderr


def test_a_title_and_tags_start_nothing_in_a_thread_that_waits(world: World) -> None:
    rule = '[[rules]]\neffect = "allow"\ntool = "write_file"\n'
    script = [call("write_file", path="a.md", content="one"), say("Done.")]
    with provider(world, script) as url:
        thread = world.json("run", "Write")["thread"]
        world.use(url, rule)
        assert world.run("rename", thread, "Another").returncode == 0
        assert world.run("tag", thread, "one").returncode == 0
        waiting = world.run("threads", "--status", "waiting").stdout
        assert "Another" in waiting
        assert "#one" in waiting
        assert not (world.project / "a.md").exists()


def test_an_export_is_imported_elsewhere_with_every_event(world: World) -> None:
    with provider(world, HELLO):
        thread = world.json("run", "Hi", "--tag", "kept")["thread"]
    before = world.run("show", thread, "--json").stdout
    file = world.root / "thread.json"
    assert world.run("export", thread, "-o", str(file)).returncode == 0
    assert file.stat().st_mode & 0o777 == 0o600
    taken = world.run("export", thread, "-o", str(file))
    refused = world.run("import", str(file))
    copied = world.run("import", str(file), "--copy").stdout.strip()
    elsewhere = {"LONGREIN_STORE": str(world.root / "other.db")}
    same = world.run("import", "-", input=file.read_text(), **elsewhere)
    assert taken.returncode == 2
    assert "there is a file" in taken.stderr.lower()
    assert refused.returncode == 2
    assert "Import it with --copy" in refused.stderr
    assert copied.startswith("thr_")
    assert copied != thread
    assert "The word is gamma." in world.run("show", copied).stdout
    assert same.stdout.strip() == thread
    assert world.run("show", thread, "--json", **elsewhere).stdout == before
    assert world.run("export", thread).stdout == file.read_text()


def test_a_transcript_is_markdown(world: World) -> None:
    with provider(world, HELLO):
        thread = world.json("run", "Hi there")["thread"]
    done = world.run("export", thread, "--format", "markdown")
    assert done.stdout.startswith("# ")
    assert "Hi there" in done.stdout
    assert "The word is gamma." in done.stdout


def test_what_cannot_be_exported_or_imported_is_told(world: World) -> None:
    (world.project / "bad.json").write_text("{}")
    nowhere = world.run("export", "thr_nothing", "-o", "x.json")
    bad = world.run("import", "bad.json")
    missing = world.run("import", "nothing.json")
    assert nowhere.returncode == 6
    assert not (world.project / "x.json").exists()
    assert bad.returncode == 2
    assert "cannot be imported: it is not what `longrein export` writes" in bad.stderr
    assert missing.returncode == 2
    assert "Traceback" not in nowhere.stderr + bad.stderr + missing.stderr


def test_what_is_erased_is_nowhere_any_more(world: World) -> None:
    with provider(world, [say("Noted.")]):
        thread = world.json("run", "The number is 4711")["thread"]
        events = [json.loads(line) for line in world.run("show", "--json").stdout.splitlines()]
        (seq,) = [one["seq"] for one in events if one["type"] == "input_admitted"]
        done = world.run("erase", thread, str(seq))
    assert done.returncode == 0
    assert f"The content of {seq}" in done.stderr
    for command in (["show"], ["show", "--json"], ["threads"], ["export", thread]):
        assert "4711" not in world.run(*command).stdout
    assert world.run("erase", thread, "999").returncode in (2, 6)
    data = world.root / "data" / "longrein"
    assert all(b"4711" not in file.read_bytes() for file in data.iterdir())


def test_usage_is_told_by_thread_and_for_all(world: World) -> None:
    budget = "[budget]\nthread = 1.0\nproject = 2.5\n"
    with provider(world, HELLO, budget + PRICE):
        first = world.json("run", "One")["thread"]
        second = world.json("run", "Two")["thread"]
        world.run("delete", first)
        done = world.run("usage")
        rows = [json.loads(line) for line in world.run("usage", "--json").stdout.splitlines()]
    assert done.stdout.split("\n")[0].endswith("  Two")
    assert "$0.0002  all threads, deleted ones too" in done.stdout
    assert "budget of all: $2.50, $2.50 left" in done.stderr
    assert [(row["thread"], row["steps"]) for row in rows] == [(second, 1), (None, 2)]
    assert rows[1]["cost"] == 0.0002


def test_a_budget_of_the_project_stops_every_thread(world: World) -> None:
    with provider(world, HELLO, "[budget]\nproject = 0.0001\n" + PRICE):
        done = world.json("run", "One")
    assert (done["outcome"], done["exit"]) == ("limit_reached", 4)
    assert done["cost"] == 0.0


def test_models_that_can_be_used_come_first_and_others_with_the_reason(world: World) -> None:
    with provider(world, HELLO, PRICE):
        usable = world.run("models", ANTHROPIC_API_KEY="sk-ant-0123456789")
        every = world.run("models", "--all", "--provider", "openai")
        rows = world.run("models", "--json").stdout.splitlines()
    lines = usable.stdout.splitlines()
    assert lines[0].split()[:2] == ["*", "local:scripted"]
    assert lines[0].split()[2:5] == ["1", "/", "0"]
    assert any(line.split()[0].startswith("anthropic:") for line in lines[1:])
    assert all(len(line) <= 80 for line in lines)
    assert "cannot be used; --all shows them" in usable.stderr
    assert "OPENAI_API_KEY" in every.stdout
    assert "openai:gpt" in every.stdout
    assert [json.loads(row)["name"] for row in rows if json.loads(row)["source"] != "listed"] == [
        "local:scripted"
    ]


def test_a_provider_that_nobody_knows_is_told(world: World) -> None:
    slip = world.run("models", "--provider", "opnai")
    unlisted = world.run("models", "--provider", "ollama")
    assert slip.returncode == 2
    assert "did you mean openai?" in slip.stderr
    assert unlisted.returncode == 0
