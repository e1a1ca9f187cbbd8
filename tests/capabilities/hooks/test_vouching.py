"""Hooks of settings: whose count, for how long, and what is read of files of Claude Code."""

import json
from pathlib import Path
from typing import Any

import pytest

from longrein.capabilities.hooks.spec import ShellHook
from longrein.core.errors import UsageError
from longrein.settings.hook_content import lines_of
from longrein.settings.hook_files import MOST_BYTES
from longrein.settings.hook_tables import HooksTable, SourcedHooks
from longrein.settings.hooks import FoundHooks, find_hooks
from longrein.settings.layer import parse
from longrein.settings.places import Places, find_places

SCRIPTED = '[[hooks.PreToolUse]]\nmatcher = "Bash"\ncommand = "sh ./guard.sh -x"\n'


class Person:
    """Somebody who says yes or no to what a project brings, and remembers it."""

    def __init__(self, says: bool) -> None:
        self.says = says
        self.shown: list[str] = []
        self._said: dict[tuple[Path, bytes], bool] = {}

    def verdict(self, path: Path, data: bytes) -> bool | None:
        return self._said.get((path, data))

    def ask(self, path: Path, data: bytes) -> bool:
        self.shown.append(data.decode())
        self._said[path, data] = self.says
        return self.says

    def ignored(self, path: Path, why: str) -> None:
        raise AssertionError(why)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    project = tmp_path / "project"
    (project / ".longrein").mkdir(parents=True)
    return find_places(project, {"XDG_CONFIG_HOME": str(tmp_path / "config")})


def table(text: str) -> HooksTable:
    return parse(text.encode(), Path("/project/settings.toml")).hooks


def found(places: Places, person: Person, user: str = "", project: str = "") -> FoundHooks:
    said = [SourcedHooks(str(places.user_file), table(user))]
    said.append(SourcedHooks(str(places.project_file), table(project)))
    return find_hooks(places, places.project.parent / "home", said, person)


def commands(hooks: FoundHooks) -> list[tuple[str, str]]:
    return [(one.origin, one.command) for one in hooks.hooks]


def test_hooks_of_the_user_count_and_nobody_is_asked(places: Places) -> None:
    person = Person(False)
    hooks = found(places, person, '[[hooks.Stop]]\ncommand = "true"\ntimeout = 5\n')
    assert hooks.hooks == (ShellHook("Stop", "true", "", 5.0, "user"),)
    assert person.shown == []


def test_hooks_of_a_project_are_asked_about_with_their_commands_and_files(places: Places) -> None:
    (places.project / "guard.sh").write_text("exit 2")
    person = Person(True)
    assert commands(found(places, person, project=SCRIPTED)) == [("project", "sh ./guard.sh -x")]
    first, second, third = lines_of(person.shown[0].encode())
    assert first == 'PreToolUse for "Bash", at most 60 s:'
    assert second == "  | sh ./guard.sh -x"
    assert third.startswith("  with guard.sh as it is now (")


def test_a_hook_that_names_a_file_too_large_to_answer_for_is_not_asked_about(
    places: Places,
) -> None:
    with (places.project / "guard.sh").open("wb") as script:
        script.truncate(MOST_BYTES + 1)
    person = Person(True)
    hooks = found(places, person, project=SCRIPTED)
    assert (hooks.hooks, person.shown) == ((), [])
    assert "guard.sh has more than 16 MiB" in hooks.problems[0].message


def test_a_no_to_hooks_of_a_project_is_reported(places: Places) -> None:
    hooks = found(places, Person(False), project=SCRIPTED)
    assert hooks.hooks == ()
    assert "settings.toml#hooks: not trusted" in hooks.problems[0].message


@pytest.mark.parametrize("name", ["./guard.sh", "$LONGREIN_PROJECT_DIR/guard.sh"])
def test_a_script_that_changes_while_an_agent_works_counts_no_longer(
    places: Places, name: str
) -> None:
    script = places.project / "guard.sh"
    script.write_text("exit 2")
    project = f'[[hooks.PreToolUse]]\ncommand = "sh {name}"\n'
    hooks = found(places, Person(True), project=project)
    assert hooks.counts is not None
    assert hooks.counts(hooks.hooks[0]) == ""
    script.write_text("exit 0")
    assert "has changed since you trusted it" in hooks.counts(hooks.hooks[0])


def test_the_user_can_switch_all_off(places: Places) -> None:
    off = '[hooks]\nenabled = false\n[[hooks.Stop]]\ncommand = "true"\n'
    assert found(places, Person(True), off, SCRIPTED) == FoundHooks()


def test_the_nested_shape_is_understood(places: Places) -> None:
    nested = '[[hooks.Stop]]\nhooks = [{ type = "command", command = "a" }, { command = "b" }]\n'
    assert commands(found(places, Person(True), nested)) == [("user", "a"), ("user", "b")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[[hooks.Stop]]\nmatcher = "x"\n', "needs a command"),
        ('[[hooks.Stop]]\ncommand = " "\n', "has no command"),
        ('[[hooks.Stop]]\ncommand = "a"\nmatcher = "("\n', "is not a regular expression"),
        ('[[hooks.Stop]]\ncommand = "a"\ntimeout = 9999\n', "at most 600 seconds"),
        ('[[hooks.Stop]]\nhooks = [{ type = "http", command = "a" }]\n', "is not one of: command"),
        ('[[hooks.Stop]]\nhooks = [{ comand = "a" }]\n', "comand"),
    ],
)
def test_what_could_never_work_is_told(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why.replace("(", r"\(")):
        table(text)


def test_files_of_claude_code_are_read_where_the_user_says_so(places: Places) -> None:
    claude: dict[str, Any] = {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "once": True}]},
            {"hooks": [{"type": "prompt", "prompt": "?"}]},
        ],
        "Elsewhere": [{"hooks": []}],
    }
    own = places.project.parent / "home" / ".claude"
    theirs = places.project / ".claude"
    for folder in (own, theirs):
        folder.mkdir(parents=True)
        (folder / "settings.json").write_text(json.dumps({"hooks": claude}))
    assert found(places, Person(True)).hooks == ()
    hooks = found(places, Person(True), "[hooks]\nclaude = true\n")
    assert commands(hooks) == [("user", "a"), ("project", "a")]
    assert len(hooks.problems) == 4


@pytest.mark.parametrize("text", ["[1]", "{", '{"hooks": 5}', '{"hooks": {"Stop": "x"}}', "\xff"])
def test_a_file_that_makes_no_sense_is_reported(places: Places, text: str) -> None:
    folder = places.project / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text(text, encoding="latin-1")
    hooks = found(places, Person(True), "[hooks]\nclaude = true\n")
    assert hooks.hooks == ()
    assert hooks.problems
