"""What is said of arguments that cannot be."""

from argparse import ArgumentParser

import pytest

from longrein.cli.command import COMMANDS
from longrein.cli.parser import build_parser


@pytest.mark.parametrize(
    "arguments", [["\x1b]0;x\x07"], ["run", "--\x1b[2J"], ["config", "a", "b", "\x9b31m"]]
)
def test_errors_quote_arguments_harmlessly(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(arguments)
    told = capsys.readouterr().err
    assert "\\x" in told
    assert not {"\x1b", "\x9b", "\x07"} & set(told)


def test_a_command_that_is_asked_for_is_parsed_as_among_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def help_of(parser: ArgumentParser, command: str) -> str:
        with pytest.raises(SystemExit):
            parser.parse_args([command, "--help"])
        return capsys.readouterr().out

    every = build_parser()
    assert [help_of(build_parser(name), name) for name in COMMANDS] == [
        help_of(every, name) for name in COMMANDS
    ]
