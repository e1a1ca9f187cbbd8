"""`longrein run` on files: where the agent works, what it leaves behind, and what is shown."""

import json
from pathlib import Path

import pytest

from longrein.cli.ground import find_ground
from longrein.core.errors import UsageError
from longrein.settings.merge import Settings
from longrein.settings.places import Places
from longrein.testing import call, reply, say
from longrein.workspace.rules import decide
from tests.cli.terminal import Terminal
from tests.cli.world import World, provider

WRITE = call("write_file", path="notes/a.md", content="one\ntwo\n")


def places(home: Path, project: Path) -> Places:
    config = home / ".config" / "longrein" / "settings.toml"
    file = project / ".longrein" / "settings.toml"
    return Places(project, config, file, home / ".local/share/longrein", home / ".local/state/x")


def test_a_home_is_a_workspace_only_where_it_is_named(world: World) -> None:
    world.project = world.root
    (world.root / ".ssh").mkdir()
    (world.root / ".ssh" / "id").write_text("PRIVATE")
    script = [call("read_file", path=".ssh/id"), say("Done.")]
    with provider(world, script):
        refused = world.run("run", "Read my key")
    with provider(world, script):
        named = world.run("run", "Read my key", "--workspace", str(world.root))
        shown = world.run("show").stdout
    assert "is your home folder" in refused.stderr
    assert "--workspace FOLDER" in refused.stderr
    assert "✗ read_file" in refused.stderr
    assert "home folder" not in named.stderr
    assert "PRIVATE" not in refused.stderr + named.stderr + shown
    assert "✗ read_file" in shown


@pytest.mark.parametrize(("folder", "says"), [("/", "whole disk"), ("/usr", "'/usr'")])
def test_where_there_can_be_no_workspace_a_line_says_why(folder: str, says: str) -> None:
    here = places(Path("/home/somebody"), Path(folder))
    ground = find_ground("", here, Settings())
    assert ground.folder is None
    assert says in ground.why
    with pytest.raises(UsageError, match=says):
        find_ground(folder, here, Settings())


def test_what_is_above_the_home_is_no_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "users" / "me"))
    (tmp_path / "users" / "me" / "project").mkdir(parents=True)
    assert find_ground("", places(tmp_path, tmp_path / "users"), Settings()).folder is None
    inside = tmp_path / "users" / "me" / "project"
    assert find_ground("", places(tmp_path, inside), Settings()).folder == inside


def test_keys_are_not_read_and_what_longrein_goes_by_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    rules = find_ground(str(tmp_path), places(tmp_path, tmp_path), Settings()).rules
    for name in (".ssh/id", ".aws/credentials", ".gnupg/x", ".netrc", ".config/gcloud/x"):
        assert decide(rules, f"{tmp_path}/{name}", "read").effect == "deny"
    for name in (".config/longrein/settings.toml", ".local/share/longrein/x", ".local/state/x/y"):
        assert decide(rules, f"{tmp_path}/{name}", "write").effect == "deny"
        assert decide(rules, f"{tmp_path}/{name}", "read").effect == "allow"
    assert decide(rules, f"{tmp_path}/notes.md", "write").effect == "allow"
    (tmp_path / "project").mkdir()
    assert not find_ground("", places(tmp_path, tmp_path / "project"), Settings()).rules


def test_a_run_works_in_the_folder_that_is_named_and_goes_on_there(world: World) -> None:
    other = world.root / "other"
    other.mkdir()
    with provider(world, [WRITE, say("Done.")]):
        parked = world.json("run", "Write", "--workspace", str(other))
        (pending,) = parked["pending"]
        assert f"--workspace {other}" in pending["command"]
        done = world.json("approve", pending["id"], "--workspace", str(other))
    assert (other / "notes" / "a.md").read_text() == "one\ntwo\n"
    assert [(one["status"], one["added"]) for one in done["changed"]] == [("added", 2)]


def test_a_parked_edit_shows_its_diff_everywhere(world: World) -> None:
    with provider(world, [WRITE, say("Done.")]):
        parked = world.json("run", "Write")
        text = world.run("run", "Write").stderr
        shown = world.run("show").stdout
    assert "+two" in parked["pending"][0]["preview"]
    for said in (text, shown):
        assert "? write_file (edit) wants to run:" in said
        assert "    +two" in said
        assert '"content"' not in said


def test_what_a_run_changed_is_told_and_listed_and_shown(world: World) -> None:
    (world.project / "old.txt").write_text("a\nb\n")
    edit = call("edit_file", path="old.txt", edits=[{"old_string": "b", "new_string": "c\nd"}])
    script = [reply(WRITE, call("read_file", path="old.txt")), edit, say("Done.")]
    with provider(world, script):
        done = world.run("run", "Write", "--trust", "edits")
    listed = world.run("changes")
    rows = [json.loads(line) for line in world.run("changes", "--json").stdout.splitlines()]
    assert "changed: notes/a.md (new), old.txt (+2 -1)" in done.stderr
    assert listed.stdout == "added     +2 -0  notes/a.md\nmodified  +2 -1  old.txt\n"
    assert [row["path"] for row in rows] == [
        str(world.project / "notes/a.md"),
        str(world.project / "old.txt"),
    ]
    assert "-b\n+c\n+d\n" in world.run("changes", "old.txt").stdout
    assert "-b\n+c\n+d\n" in world.run("changes", str(world.project / "old.txt")).stdout
    assert world.run("changes", "other.txt").returncode == 6


def test_a_failed_command_is_marked_and_its_output_not_said_twice(world: World) -> None:
    fails = call("execute", command="echo no such thing; exit 3")
    with provider(world, [fails, say("Done.")]):
        done = world.run("run", "Go", "--trust", "yolo")
        shown = world.run("show").stdout
    assert "✗ execute: exit code 3" in done.stderr
    assert done.stderr.replace("echo no such thing", "").count("no such thing") == 1
    assert "✗ execute (ok): no such thing\n      [exit code 3]" in shown


def test_jobs_that_end_with_the_run_are_named(world: World) -> None:
    serves = call("execute", command="sleep 60", background=True)
    with provider(world, [serves, say("It runs.")]):
        done = world.run("run", "Serve", "--trust", "yolo")
    with provider(world, [serves, say("It runs.")]):
        told = world.json("run", "Serve", "--trust", "yolo")
    assert "ended with this run: job 1 (sleep 60)" in done.stderr
    assert told["jobs"] == [{"id": 1, "command": "sleep 60"}]


def test_a_long_call_is_shown_below_its_name(world: World) -> None:
    long = call("write_file", path="a.md", content="".join(f"line {n}\n" for n in range(90)))
    with provider(world, [long, say("Done.")]):
        world.run("run", "Write", "--trust", "edits")
        shown = world.run("show").stdout
    assert '  → write_file\n      path: "a.md"\n      content:\n        | line 0\n' in shown
    assert "more lines (show --json has them all)" in shown
    assert "line 80" not in shown


def test_a_result_does_not_stand_behind_an_open_prompt(world: World) -> None:
    script = [reply(call("wait"), call("deploy", target="a")), say("Done.")]
    tools = ("--tools", "tools.py")
    with provider(world, script), Terminal(world, "run", "Go", *tools, NO_COLOR="1") as person:
        person.sees("a always > ")
        (world.project / "go.txt").touch()
        person.sees("\r\n✓ wait gone\r\n")
        person.sees("  y yes · n no · e edit · a always > ")
        person.types("y\n")
        assert person.ends() == 0


def test_after_an_approval_longer_than_the_screen_what_is_asked_is_said_again(world: World) -> None:
    lines = "".join(f"line {n}\n" for n in range(120))
    script = [call("write_file", path="docs/long.md", content=lines), say("Done.")]
    with (
        provider(world, script),
        Terminal(world, "run", "Go", NO_COLOR="1", size=(80, 24)) as person,
    ):
        person.sees("+line 119\r\n? write_file docs/long.md (+120 -0)\r\n")
        person.sees("a always > ")
        person.types("y\n")
        person.sees("changed: docs/long.md (new)")
        assert person.ends() == 0


def test_an_approval_is_broken_between_words(world: World) -> None:
    (world.project / "asking.py").write_text(
        "from longrein import tool\n@tool(category='execute')\n"
        "def tell(text: str) -> str:\n    'Tell.'\n    return text\n"
    )
    script = [call("tell", text="several words " * 9), say("Done.")]
    tools = ("--tools", "asking.py")
    with (
        provider(world, script),
        Terminal(world, "run", "Go", *tools, NO_COLOR="1", size=(60, 24)) as person,
    ):
        person.sees("a always > ")
        person.types("n\n\n")
    told = person.screen[person.screen.index("wants to run") :].split("a always")[0]
    assert max(map(len, told.split("\r\n"))) <= 61
    assert "\r\n      words several" in told or "\r\n      several words" in told
