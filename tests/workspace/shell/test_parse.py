"""What a line is read as, compared with what real shells make of it."""

import random
import subprocess
from pathlib import Path

import pytest

from longrein.workspace.shell.parse import parse
from tests.workspace.shell.recording import SHELLS, Recorder, expected

PIECES = [
    *(
        "a ",
        "b ",
        "a",
        "x",
        " ",
        "\t",
        "\n",
        ";",
        "|",
        "&&",
        "||",
        "'",
        '"',
        "\\",
        "$",
        "`",
        "~",
        "^",
    ),
    *(
        "#",
        "!",
        "{",
        "}",
        "(",
        ")",
        "[",
        "*",
        "?",
        ">",
        "<",
        "2",
        "-",
        "=",
        "@",
        "%",
        ",",
        ":",
        "+=",
    ),
    *(
        "A=",
        "A=1 ",
        "a=b",
        "x=~",
        ":~",
        "12>",
        ">&1 ",
        " 2>&1",
        " >/dev/null",
        "<<E",
        "$'",
        "$(",
        "${",
    ),
    *(
        "'x y'",
        '"x y"',
        '"x$"',
        "\\ ",
        "\\\\",
        "\\n",
        '"\\$"',
        '"\\x"',
        '"!"',
        '"\\\\"',
        '"\\`"',
        "''",
    ),
    *(
        '""',
        '"\'"',
        "'\"'",
        '"a\nb"',
        "'a\nb'",
        "\\\n",
        "HEAD~1",
        "@{1}",
        "@{a,b}",
        "@{1..3}",
        "{a,b}",
    ),
    *("é", "'é'", '"ü"', "\u00a0", "\r", "if ", "time ", "! ", "{ ", "in ", "./a", "--"),
]


def _proven_lines(many: int) -> list[str]:
    """Lines made of awkward pieces that are called proven."""
    draw = random.Random(4)
    found = list[str]()
    while len(found) < many:
        line = "a " * draw.randint(0, 1) + "".join(draw.choices(PIECES, k=draw.randint(1, 9)))
        if not parse(line).unproven:
            found.append(line)
    return found


@pytest.mark.parametrize("shell", SHELLS)
def test_whatever_is_called_literal_reaches_the_programs_as_read(
    tmp_path: Path, shell: str
) -> None:
    recorder = Recorder(tmp_path, "a b x")
    for line in _proven_lines(250):
        said = [run for run in expected(parse(line).commands) if run[0] in ("a", "b", "x")]
        done = recorder.run(shell, line)
        # Behind && and || not everything runs; whatever does is as it was read.
        partly = "&&" in line or "||" in line
        assert all(run in said for run in done) if partly else done == said, line


@pytest.mark.parametrize(
    ("line", "redirected"),
    [
        ("a && b > c", {"b": ["c"]}),
        ("a | b > c", {"b": ["c"]}),
        ("npm test && npx run 2>&1", {"npx": ["1"]}),
        ("make a && gcc b 2>&1 | tail", {"gcc": ["1"]}),
        ("a; b || c > d", {"c": ["d"]}),
        ("a && b > c > d", {"b": ["c", "d"]}),
        ("a > b | c > d && e > f &", {"a": ["b"], "c": ["d"], "e": ["f"]}),
    ],
)
def test_a_redirection_is_the_last_commands_own_and_the_line_is_sure(
    line: str, redirected: dict[str, list[str]]
) -> None:
    script = parse(line)
    assert script.unproven == ""
    assert {
        command.name: [one.target.text for one in command.redirections]
        for command in script.commands
        if command.redirections
    } == redirected


def test_the_input_of_the_last_command_of_a_row_is_its_own() -> None:
    (shell,) = [one for one in parse("a && sh <<E\nrm x\nE").commands if one.name == "sh"]
    assert shell.here == ("rm x\n",)


@pytest.mark.parametrize("shell", SHELLS)
def test_redirections_reach_the_files_of_the_commands_that_they_are_read_for(
    tmp_path: Path, shell: str
) -> None:
    draw = random.Random(6)
    for count in range(60):
        line = _redirecting(draw, count)
        script = parse(line)
        assert script.unproven == "", line
        subprocess.run(
            [f"/bin/{shell}", "-c", line], cwd=tmp_path, timeout=10, check=True, capture_output=True
        )
        for command in script.commands:
            written = [one.target.text for one in command.redirections if one.operator != ">&"]
            texts = "".join((tmp_path / name).read_text() for name in written)
            assert texts == (f"{command.arguments[0]}\n" if written else ""), line


def _redirecting(draw: random.Random, count: int) -> str:
    """A line of which every command says its number, some of them into files."""
    line = ""
    for number in range(draw.randint(2, 5)):
        files = [f"f{count}-{number}-{one}" for one in range(draw.choice((0, 0, 1, 2)))]
        line += draw.choice((" && ", " | ", "; ")) if line else ""
        line += " ".join(("echo", str(number), *(f"> {name}" for name in files)))
        line += draw.choice(("", " 2>&1"))
    return line


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("a; b && c || d | e & f", "a b c d e f"),
        ("a\nb", "a b"),
        ("(a; { b; })", "a b"),
        ("if a; then b; elif c; then d; else e; fi", "a b c d e"),
        ("while a; do b; done; until c; do d; done", "a b c d"),
        ("for x in $(a); do b $x; done", "a b"),
        ("case $(a) in x) b;; *) c;; esac", "a b c"),
        ("f() { a; }; function g { b; }", "a b"),
        ('a $(b `c`) "$(d)" <(e) >(f)', "a b c d e f"),
        ("a ${x:-$(b)} $((1 + $(c)))", "a b c"),
        ("x=$(a) y=`b` c", "c a b"),
        ("a <<E\n$(b)\nE", "a b"),
        ("a <<< $(b) > $(c)", "a b c"),
        ("! a; time b", "a time"),
        ("export X=$(a)", "export a"),
        ("[[ -n $(a) && -v x[$(b)] ]]", "[[ a b"),
    ],
)
def test_the_commands_inside_anything_are_found(line: str, names: str) -> None:
    found = [command.name for command in parse(line).commands if command.name]
    assert sorted(found) == sorted(names.split())


def test_the_stages_of_a_pipe_know_their_places() -> None:
    found = parse("a | b <<E | c\nE").commands
    places = {command.name: (bool(command.pipeline), command.place) for command in found}
    assert places["a"] == (True, 0)
    assert places["b"] == (True, 1)
    assert places["c"][0]
    assert places["c"][1] > 0


@pytest.mark.parametrize(
    ("line", "redirections"),
    [
        ("a > b 2>&1 < c", [(">", "b"), (">&", "1"), ("<", "c")]),
        ("{ a; } >> b", [(">>", "b")]),
        ("a <<E > b\nE", [(">", "b")]),
        ("a &> b", [("&>", "b")]),
        ("while a; do b; done > c", [(">", "c")]),
    ],
)
def test_redirections_are_found_wherever_they_stand(
    line: str, redirections: list[tuple[str, str]]
) -> None:
    script = parse(line)
    found = [*script.redirections, *(one for own in script.commands for one in own.redirections)]
    assert [(one.operator, one.target.text) for one in found] == redirections


@pytest.mark.parametrize("line", ["a '", "a $(", "a )", "if a", "a && ", "a ;; b", "<", "a <<E\nx"])
def test_a_line_that_cannot_be_read_whole_is_unproven_and_still_names_its_commands(
    line: str,
) -> None:
    script = parse(line)
    assert script.unproven
    assert script.commands or line == "<"


def test_a_line_that_is_no_text_is_unproven() -> None:
    assert parse("ls \udcff").unproven
