"""What is said of arguments that cannot be."""

import pytest

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
