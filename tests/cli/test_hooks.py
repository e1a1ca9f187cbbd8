"""Shell hooks from settings: whose count, what they see, and what they do to a run."""

import json
from pathlib import Path

from longrein.testing import call, say
from tests.cli.terminal import Terminal
from tests.cli.world import KEY, World, provider, until

GUARD = """
[[hooks.PreToolUse]]
matcher = "Write"
command = "cat > told.json; echo Not in here. >&2; exit 2"
"""
MARK = '[[hooks.SessionStart]]\ncommand = "touch ran"\n'
SCRIPT = '[[hooks.SessionStart]]\ncommand = "./mark.sh"\n'
WRITE = [call("write_file", path="a.txt", content="x"), say("Done.")]


def test_a_hook_of_the_user_refuses_a_call_in_a_run(world: World) -> None:
    with provider(world, WRITE, GUARD):
        done = world.run("run", "--trust", "yolo", "Write it")
    assert done.stdout == "Done.\n"
    assert not (world.project / "a.txt").exists()
    told = json.loads((world.project / "told.json").read_text())
    assert (told["tool_name"], told["permission_mode"]) == ("Write", "bypassPermissions")


def test_keys_of_providers_are_not_in_the_environment_of_hooks(world: World) -> None:
    hook = "[[hooks.SessionStart]]\ncommand = 'env > seen; echo $LONGREIN_PROJECT_DIR > dir'\n"
    with provider(world, [say("Done.")], hook):
        world.run("run", "Hi", COPY=KEY, HEADER=f"Bearer {KEY}", OTHER="kept")
    seen = (world.project / "seen").read_text()
    assert "OTHER=kept" in seen
    assert KEY not in seen
    assert (world.project / "dir").read_text().strip() == str(world.project)


def test_hooks_are_listed_with_where_they_are_from_and_how_they_ended(world: World) -> None:
    with provider(world, WRITE, GUARD):
        before = world.run("hooks")
        world.run("run", "--trust", "yolo", "Write it")
        after = world.run("hooks", "--json")
        invoked = world.run("invoke", "hooks")
    assert before.stdout.startswith("PreToolUse Write: cat > told.json")
    assert "(user)" in before.stdout
    one = json.loads(after.stdout)
    assert (one["event"], one["last"]["outcome"]) == ("PreToolUse", "blocked")
    assert "last: blocked" in invoked.stdout


def test_opening_a_hostile_project_runs_nothing_of_it(world: World) -> None:
    world.project_file.write_text(MARK)
    (world.project / ".claude").mkdir()
    hostile = {
        "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}
    }
    (world.project / ".claude" / "settings.json").write_text(json.dumps(hostile))
    with provider(world, [say("Done.")] * 3, "[hooks]\nclaude = true\n"):
        done = world.run("run", "Hi")
        world.run("hooks")
        world.run("doctor")
    assert done.stdout == "Done.\n"
    assert "settings.toml: not trusted" in " ".join(done.stderr.split())
    assert "settings.json#hooks: not trusted" in " ".join(done.stderr.split())
    assert not (world.project / "ran").exists()


def test_hooks_of_a_project_run_once_they_are_trusted_until_a_script_changes(world: World) -> None:
    world.project_file.write_text(SCRIPT)
    script = world.project / "mark.sh"
    script.write_text("#!/bin/sh\ntouch ran\n")
    script.chmod(0o755)
    with provider(world, [say("Done.")] * 3):
        told = world.run("trust").stderr
        assert "SessionStart, at most 60 s:\n      | ./mark.sh\n      with mark.sh as it is" in told
        world.run("run", "Hi")
        assert (world.project / "ran").exists()
        script.write_text("#!/bin/sh\ntouch evil\n")
        done = world.run("run", "Hi")
    assert "hooks: not trusted" in " ".join(done.stderr.split())
    assert not (world.project / "evil").exists()


def test_the_settings_of_a_project_can_be_trusted_without_its_hooks(world: World) -> None:
    world.project_file.write_text(MARK)
    with provider(world, [say("Done.")]), Terminal(world, "run", "Hi") as terminal:
        terminal.sees("settings of its own")
        terminal.sees("[y/N]")
        terminal.types("y\n")
        terminal.sees("hooks of its own")
        terminal.sees("SessionStart, at most 60 s:")
        terminal.sees("| touch ran")
        terminal.sees("[y/N]")
        terminal.types("n\n")
        terminal.sees("Done.")
    assert not (world.project / "ran").exists()


def test_hooks_written_for_claude_code_count_where_the_user_says_so(world: World) -> None:
    folder = world.root / ".claude"
    folder.mkdir()
    group = {"matcher": "startup", "hooks": [{"type": "command", "command": "touch ran"}]}
    unknown = {"SubagentStart": [group], "SessionStart": [group]}
    (folder / "settings.json").write_text(json.dumps({"model": "x", "hooks": unknown}))
    with provider(world, [say("Done.")] * 2):
        world.run("run", "Hi")
        assert not (world.project / "ran").exists()
    with provider(world, [say("Done.")], "[hooks]\nclaude = true\n"):
        done = world.run("run", "Hi")
    assert (world.project / "ran").exists()
    assert "there is no hook 'SubagentStart' here" in " ".join(done.stderr.split())


def test_a_project_cannot_switch_off_the_hooks_of_the_user(world: World) -> None:
    world.project_file.write_text("[hooks]\nenabled = false\n")
    done = world.run("trust")
    assert done.returncode == 2
    assert "hooks.enabled counts only from yourself" in done.stderr


def test_a_slip_of_the_pen_is_told_with_the_nearest_name(world: World) -> None:
    world.user_file.write_text('[[hooks.PreToolUse]]\nmacher = "Bash"\ncommand = "true"\n')
    done = world.run("hooks")
    assert "hooks.PreToolUse.macher is not a setting; did you mean 'matcher'?" in done.stderr
    world.user_file.write_text('[[hooks.PreTooluse]]\ncommand = "true"\n')
    assert "did you mean 'PreToolUse'?" in world.run("hooks").stderr


def test_people_are_notified_at_the_end_of_a_run_that_nobody_watches(world: World) -> None:
    hook = "[[hooks.Notification]]\ncommand = 'cat > noted'\n"
    with provider(world, [say("Done.")], hook):
        world.run("run", "Hi")
    noted: Path = world.project / "noted"
    until(noted)
    assert json.loads(noted.read_text())["message"] == "Longrein is waiting for your input"


def test_what_a_hook_let_pass_is_not_asked_again_after_kill_9(world: World) -> None:
    hook = "[[hooks.PreToolUse]]\ncommand = 'echo >> asked'\n"
    script = [call("deploy", target="prod"), say("Done.")]
    with provider(world, script, hook):
        with Terminal(world, "run", "--tools", "tools.py", "Deploy") as terminal:
            terminal.sees("deploy")
            terminal.sees("y yes")
            terminal.kill()
        (pending,) = world.json("resume", "--tools", "tools.py")["pending"]
        done = world.run("approve", pending["id"], "--tools", "tools.py")
    assert done.returncode == 0
    assert (world.project / "deployed.txt").read_text() == "prod\n"
    assert (world.project / "asked").read_text() == "\n"
