"""Files of custom commands: which count, what is wrong with others, and hostile ones."""

import os
from pathlib import Path

import pytest

from longrein.capabilities.brought import MOST_BYTES, MOST_FILES
from longrein.capabilities.custom_commands.files import (
    CommandFolder,
    Reading,
    read_folders,
    whole,
)
from longrein.capabilities.custom_commands.template import Template, read_template
from longrein.core.errors import UsageError
from longrein.workspace.frontmatter import FrontmatterError


def put(folder: Path, name: str, text: str | bytes = "Do it.") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def problem(reading: Reading) -> str:
    (one,) = reading.problems
    return one.message


def test_the_name_is_the_path_with_colons_for_folders(tmp_path: Path) -> None:
    put(tmp_path, "fix.md")
    put(tmp_path, "git/commit.md")
    put(tmp_path, "git/deep/er.md")
    put(tmp_path, "notes.txt")
    put(tmp_path, ".hidden.md")
    found = read_folders([CommandFolder(tmp_path)]).found
    assert sorted(found) == ["fix", "git:commit", "git:deep:er"]


def test_the_head_says_what_it_is_for_and_what_may_follow() -> None:
    head = "description: Fix an issue\nargument-hint: [number] [priority]\nmode: plan"
    read = read_template(f"---\n{head}\n---\nFix $1.")
    assert read == Template("Fix $1.", "Fix an issue", "[number] [priority]", "plan")


def test_without_a_head_the_first_line_says_what_it_is_for() -> None:
    assert read_template("# Review this\n\nLook at it.").description == "Review this"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\nmodel: opus\n---\nx", "a command cannot choose the model"),
        ("---\ndescripton: x\n---\nx", "did you mean 'description'?"),
        ("---\ndescription: x\n---\n", "there is nothing to say"),
        ("---\ndescription: x\n", "The head is not closed"),
        ("", "there is nothing to say"),
    ],
)
def test_a_file_that_cannot_be_a_command_says_why(text: str, why: str) -> None:
    with pytest.raises((UsageError, FrontmatterError), match=why.replace("?", r"\?")):
        read_template(text)


def test_fields_of_other_products_that_a_command_can_do_without_are_left_out() -> None:
    assert read_template("---\nallowed-tools: Bash(git:*)\n---\nGo.").body == "Go."


@pytest.mark.parametrize(
    ("body", "arguments", "said"),
    [
        ("Fix $1 then $2.", "a 'b c'", "Fix a then b c."),
        ("All: $ARGUMENTS", "a 'b c'", "All: a 'b c'"),
        ("Pay $$1 or $$ARGUMENTS", "", "Pay $1 or $ARGUMENTS"),
        ("Only $2", "a", "Only "),
        ("Costs $10 and $HOME", "", "Costs $10 and $HOME"),
        ("See @src/a.py", "", "See @src/a.py"),
        ("No place.", "more", "No place.\n\nmore"),
        ("$1", "$2 $ARGUMENTS", "$2"),
        ("$ARGUMENTS", "it's", "it's"),
    ],
)
def test_arguments_stand_in_their_places(body: str, arguments: str, said: str) -> None:
    assert Template(body, "").filled(arguments) == said


def test_a_quote_that_is_not_closed_is_told() -> None:
    with pytest.raises(UsageError, match="Close the quote"):
        Template("$1", "").filled("it's")


def test_the_later_folder_wins_and_who_is_hidden_is_told(tmp_path: Path) -> None:
    weak = put(tmp_path / "a", "fix.md", "Weak.")
    put(tmp_path / "b", "fix.md", "Strong.")
    reading = read_folders([CommandFolder(tmp_path / "a"), CommandFolder(tmp_path / "b")])
    assert reading.found["fix"].template.body == "Strong."
    assert problem(reading).startswith(f"{weak}: not used: there is another /fix")


def test_a_name_that_is_taken_stays_with_whoever_has_it(tmp_path: Path) -> None:
    put(tmp_path, "help.md")
    reading = read_folders([CommandFolder(tmp_path)], taken={"help"})
    assert not reading.found
    assert "/help is a command of Longrein. Give the file another name." in problem(reading)


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("big.md", b"x" * (MOST_BYTES + 1), "this has more than 65,536 bytes."),
        ("latin.md", b"\xe9", "this is not a text in UTF-8."),
        ("two words.md", b"x", "use letters, digits"),
    ],
)
def test_a_file_that_cannot_be_read_hurts_nobody(
    tmp_path: Path, name: str, data: bytes, why: str
) -> None:
    put(tmp_path, name, data)
    put(tmp_path, "good.md")
    reading = read_folders([CommandFolder(tmp_path)])
    assert sorted(reading.found) == ["good"]
    assert why in problem(reading)


def test_links_and_pipes_are_not_followed_and_not_waited_for(tmp_path: Path) -> None:
    secret = put(tmp_path, "private/secret.md", "The secret.")
    folder = tmp_path / "commands"
    put(folder, "good.md")
    (folder / "link.md").symlink_to(secret)
    (folder / "below").symlink_to(secret.parent)
    os.mkfifo(folder / "pipe.md")
    reading = read_folders([CommandFolder(folder)])
    assert sorted(reading.found) == ["good"]
    assert len(reading.problems) == 2


def test_a_folder_that_leads_out_of_its_root_does_not_count(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere", "fix.md")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "commands").symlink_to(tmp_path / "elsewhere")
    folder = CommandFolder(tmp_path / "project" / "commands", root=str(tmp_path / "project"))
    reading = read_folders([folder])
    assert not reading.found
    assert "a link leads out of" in problem(reading)


def test_of_very_many_files_only_the_first_are_looked_at(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 5):
        put(tmp_path, f"{number:03}.md")
    reading = read_folders([CommandFolder(tmp_path)])
    assert len(reading.found) == MOST_FILES
    assert f"more than {MOST_FILES} files" in problem(reading)


def test_whoever_vouches_for_a_folder_sees_every_file_of_it(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "One.")
    put(tmp_path, "b/c.md", "Two.")
    asked: list[bytes] = []

    def counts(path: Path, data: bytes) -> str:
        asked.append(data)
        return "not trusted"

    folder = CommandFolder(tmp_path, "project", counts=counts)
    reading = read_folders([folder])
    assert not reading.found
    assert problem(reading) == f"{tmp_path}: not trusted"
    assert asked == [whole(folder)] == [b"==> a.md (4) <==\nOne.\n==> b/c.md (4) <==\nTwo.\n"]
