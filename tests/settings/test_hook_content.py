"""What a yes to hooks of a project is about: nothing that stands in plain sight is left out."""

from pathlib import Path

import pytest

from longrein.capabilities.hooks.spec import ShellHook
from longrein.core.errors import UsageError
from longrein.settings.hook_content import content_of, lines_of
from longrein.settings.hook_files import named_files


@pytest.fixture
def project(tmp_path: Path) -> Path:
    scripts = tmp_path / "project" / "scripts"
    scripts.mkdir(parents=True)
    (scripts / "x.sh").write_text("exit 2")
    (scripts / "a b.sh").write_text("exit 2")
    return scripts.parent


def told(project: Path, *hooks: ShellHook) -> list[str]:
    return lines_of(content_of(hooks, project))


@pytest.mark.parametrize(
    "command",
    [
        "./scripts/x.sh",
        "scripts/x.sh;true",
        "./scripts/x.sh||exit 2",
        "(./scripts/x.sh)",
        "{ ./scripts/x.sh; }",
        "bash<scripts/x.sh",
        "./scripts/x.sh>&2",
        "./scripts/x.sh 2>/dev/null|tee log",
        "cd scripts && ./x.sh",
        "bash -c './scripts/x.sh foo'",
        """bash -c "sh -c 'cd scripts; ./x.sh'" """,
        'sh "$CLAUDE_PROJECT_DIR/scripts/x.sh"',
        '"$CLAUDE_PROJECT_DIR"/scripts/x.sh',
        "${CLAUDE_PROJECT_DIR:-.}/scripts/x.sh",
        "$PWD/scripts/x.sh",
        "$(pwd)/scripts/x.sh",
        "F=scripts/x.sh; sh $F",
        "lint --config=scripts/x.sh",
        "echo `sh scripts/x.sh`",
        "echo 'a ->' scripts/x.sh",
        "echo 'it' is\\'nt closed; ./scripts/x.sh '",
        "./scripts/../scripts/x.sh",
    ],
)
def test_a_file_is_found_however_it_is_named(project: Path, command: str) -> None:
    assert list(named_files(command, project).files) == ["scripts/x.sh"]


def test_a_name_with_a_blank_is_found_in_its_quotes(project: Path) -> None:
    assert list(named_files("sh 'scripts/a b.sh'", project).files) == ["scripts/a b.sh"]


def test_what_a_command_writes_to_may_change(project: Path) -> None:
    (project / "log").touch()
    assert named_files("date >> log 2>log", project).files == {}


def test_files_outside_of_the_project_and_links_to_them_are_none_of_it(project: Path) -> None:
    (project.parent / "other.sh").touch()
    (project / "link.sh").symlink_to(project.parent / "other.sh")
    named = named_files("../other.sh; ./link.sh; cat /dev/null", project)
    assert (named.files, named.others) == ({}, ("../other.sh", "./link.sh"))


@pytest.mark.parametrize(
    ("command", "other"),
    [
        ("make check", "what make goes on to run"),
        ("python -m scripts.x", "the module behind -m"),
        ("sh $HOOKS/y.sh", "$HOOKS/y.sh"),
        ("sh not-there.sh", "not-there.sh"),
        ("~/bin/x", "~/bin/x"),
    ],
)
def test_what_a_yes_is_not_about_is_told(project: Path, command: str, other: str) -> None:
    assert f"  NOT looked at: {other}" in told(project, ShellHook("Stop", command))


def test_a_command_cannot_look_like_two(project: Path) -> None:
    posing = ShellHook("Stop", "true\nStop, at most 60 s:\n  with scripts/y.sh as it is now (00)")
    assert told(project, posing)[:4] == [
        "Stop, at most 60 s:",
        "  | true",
        "  | Stop, at most 60 s:",
        "  |   with scripts/y.sh as it is now (00)",
    ]
    two = (ShellHook("Stop", "true"), ShellHook("Stop", "false"))
    assert content_of([ShellHook("Stop", "true\nStop: false")], project) != content_of(two, project)


@pytest.mark.parametrize(
    "other",
    [
        ShellHook("Stop", "sh scripts/x.sh", timeout=600),
        ShellHook("Stop", "sh scripts/x.sh", matcher="x"),
        ShellHook("SubagentStop", "sh scripts/x.sh"),
    ],
)
def test_a_yes_is_about_all_of_a_hook(project: Path, other: ShellHook) -> None:
    given = ShellHook("Stop", "sh scripts/x.sh")
    assert content_of([given], project) != content_of([other], project)


def test_a_command_that_is_too_long_to_look_through_is_refused(project: Path) -> None:
    with pytest.raises(UsageError, match="put it into a script"):
        named_files(" ".join(map(str, range(2_000))), project)
