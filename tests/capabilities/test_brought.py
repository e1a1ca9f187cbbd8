"""Folders that others may have written: what is looked at, and that nothing in them is fatal."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from longrein import AgentFolder, CommandFolder
from longrein.capabilities.brought import MOST_ENTRIES, MOST_FILES, Reading
from longrein.capabilities.custom_commands import files as commands
from longrein.capabilities.subagents import files as agents
from longrein.capabilities.subagents.files import FoundAgent
from longrein.core.outcomes import Problem

AGENT = "---\ndescription: Reads.\n---\n"
SUBAGENTS = "a project's subagents"


def read(folder: Path) -> Reading[FoundAgent]:
    """The subagents of a folder that somebody vouches for."""
    return agents.read_folders([AgentFolder(folder, "project", counts=lambda path, data: "")])


def told(problems: Sequence[Problem]) -> str:
    (one,) = problems
    return one.message


def test_a_name_that_is_no_text_hurts_nobody(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_text(AGENT)
    (tmp_path / "reader.md").write_text(AGENT)
    assert list(read(tmp_path).found) == ["reader"]


def test_of_very_many_subagents_only_the_first_are_looked_at(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 1):
        (tmp_path / f"a{number:03}.md").write_text(AGENT)
    reading = read(tmp_path)
    assert len(reading.found) == MOST_FILES
    assert f"more than {MOST_FILES} files" in told(reading.problems)


def test_a_folder_with_too_much_in_it_is_not_walked_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "fix.md").write_text("Fix it.")
    for number in range(MOST_ENTRIES):
        (tmp_path / "below" / f"{number}").mkdir(parents=True)
    reading = commands.read_folders([CommandFolder(tmp_path)])
    assert not reading.found
    assert told(reading.problems) == (
        f"{tmp_path}: there are more than 2,000 files and folders in it. Keep others elsewhere."
    )


def test_a_link_out_is_refused_where_no_root_is_given(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "fix.md").write_text("Fix it.")
    (tmp_path / "project").mkdir()
    link = tmp_path / "project" / "commands"
    link.symlink_to(tmp_path / "real")
    folder = CommandFolder(link, "project", counts=lambda path, data: "")
    reading = commands.read_folders([folder])
    assert not reading.found
    assert "a link leads out of" in told(reading.problems)


@pytest.mark.parametrize("made", ["link", "pipe"])
def test_what_is_no_file_is_told_in_the_same_words_for_all(tmp_path: Path, made: str) -> None:
    if made == "link":
        (tmp_path / "a.md").symlink_to("b")
        words = "this is a link: {} have to be files themselves."
    else:
        os.mkfifo(tmp_path / "a.md")
        words = "this is not a regular file."
    seen = commands.read_folders([CommandFolder(tmp_path)]).problems
    assert told(seen) == f"{tmp_path}/a.md: {words.format('commands')}"
    seen = read(tmp_path).problems
    assert told(seen) == f"{tmp_path}/a.md: {words.format(SUBAGENTS)}"
