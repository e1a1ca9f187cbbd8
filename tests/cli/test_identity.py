"""The user's name and address, out of a git configuration."""

from pathlib import Path

from longrein.cli.identity import git_identity, read_identity


def test_a_name_of_another_section_is_not_the_users() -> None:
    assert read_identity('[remote "x"]\n\tname = no\n[user "y"]\n\tname = no\n') == {}


def test_the_file_in_the_home_comes_last(tmp_path: Path) -> None:
    (tmp_path / ".config/git").mkdir(parents=True)
    (tmp_path / ".config/git/config").write_text("[user]\nname = Old\nemail = a@b.example\n")
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Ann # as she likes\n")
    assert git_identity({"HOME": str(tmp_path)})["GIT_COMMITTER_EMAIL"] == "a@b.example"
    assert git_identity({"HOME": str(tmp_path)})["GIT_AUTHOR_NAME"] == "Ann"


def test_without_a_configuration_there_is_no_identity(tmp_path: Path) -> None:
    assert git_identity({"HOME": str(tmp_path)}) == {}
