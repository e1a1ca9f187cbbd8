"""The small grammar: bash and dash read it the same way, and no word in it is made at run time.

    line      pipelines with `;`, newline, `&`, `&&` or `||` between them
    pipeline  commands with `|` between them
    command   `NAME=word`s, words, and redirections `>`, `>>`, `<`, `2>&1` with a blank before them
    word      pieces without a blank between them
    piece     letters, digits, `_@%+=:,./^-`; `~` behind a letter or digit; `@{name}`;
              a backslash and a character; '...'; "..." without `$`, backquote and line continuation

Everything else raises `NotLiteral`: what permits goes by this grammar, never by a larger one.
"""

import re
from collections.abc import Iterator

from longrein.workspace.shell.script import Command, Redirection, Word

RESERVED = frozenset(
    "! { } [[ ]] case coproc do done elif else esac fi for function if in select then time until "
    "while".split()
)
"""Words that are grammar at the start of a command, in bash or in dash."""

WHY = {
    "$": "it has an expansion or a substitution ($)",
    "`": "it has a command substitution (backquotes)",
    "*": "it has a glob, and what that becomes is not known",
    "?": "it has a glob, and what that becomes is not known",
    "[": "it has a glob or a test ([)",
    "]": "it has a glob or a test (])",
    "{": "it has braces",
    "}": "it has braces",
    "(": "it has parentheses: a subshell, a function or an array",
    ")": "it has parentheses: a subshell, a function or an array",
    "~": "it has a tilde that is expanded",
    "#": "it has a comment",
    "!": "it has an exclamation mark",
    "<": "it has a here-document, or input that shells read differently",
    ">": "it has a redirection that shells read differently",
    "&": "it has an operator that shells read differently",
    "|": "it has an operator that shells read differently",
    ";": "it has an operator that shells read differently",
    "\\": "a line goes on behind a backslash",
    "'": "a quote is not closed",
    '"': "it has double quotes with an expansion in them, or that are not closed",
}


class NotLiteral(Exception):
    """The text is outside the grammar; says why, for people."""


def read(line: str) -> tuple[Command, ...]:
    """The commands of a line in the small grammar. Raises `NotLiteral` for any other line.

    >>> [command.words[1].text for command in read("git 'st'\\"atus\\" && ls -l")]
    ['status', '-l']
    >>> read("git $X")
    Traceback (most recent call last):
    longrein.workspace.shell.literal.NotLiteral: it has an expansion or a substitution ($)
    """
    _check_characters(line)
    found = list[Command]()
    pipeline, piped = 0, False
    for tokens, until in _simple(line):
        if until == "|" or piped:
            pipeline += not piped
            place = found[-1].place + 1 if piped else 0
            found.append(_command(tokens, pipeline, place, until))
        else:
            found.append(_command(tokens, 0, 0, until))
        piped = until == "|"
    return tuple(found)


def unquoted(raw: str) -> str | None:
    """The text of a word in the small grammar; None for any other.

    >>> unquoted("r\\\\m"), unquoted("a*")
    ('rm', None)
    """
    match = _WORD.fullmatch(raw)
    return _text(raw) if match and (raw.isascii() or _printable(raw)) else None


_PIECE = (
    r"(?:[A-Za-z0-9_%+=:,./^-]|@(?:\{[A-Za-z0-9-]+\})?|(?<=[A-Za-z0-9^~])~|\\[\x20-\x7e]"
    r"|'[^']*'"
    r'|"(?:[^"$`\\]|\\[^\n]|\$(?="))*")'
)
_WORD = re.compile(f"{_PIECE}+")
_QUOTED = re.compile(r"""'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)"|\\(?P<one>.)""", re.S)
_IN_DOUBLE = re.compile(r'\\([$`"\\])')
_BLANKS = re.compile(r"[ \t]*")
_OPERATOR = re.compile(r"&&|\|\|(?![|&])|\|(?![|&])|;(?![;&])|&(?![>&])|\n")
_COPY = re.compile(r"([0-9]?)>&([0-9])(?=[ \t\n;|]|&&|\Z)")
_REDIRECT = re.compile(r"([0-9]?)(>>|>|<)(?![<>&|(])[ \t]*")
_ASSIGNS = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_APPENDS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+=")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NETWORK = re.compile(r"/+dev/+(?:tcp|udp)\b")

_Tokens = list[Word | Redirection]


def _check_characters(line: str) -> None:
    if _CONTROL.search(line):
        raise NotLiteral("it has a control character")
    if not line.isascii() and not _printable(line):
        raise NotLiteral("it has a character that cannot be seen")
    if line.startswith(("-", "+")):
        raise NotLiteral("it begins like an option of the shell itself")


def _printable(text: str) -> bool:
    return all(one.isascii() or (one.isprintable() and not one.isspace()) for one in text)


def _simple(line: str) -> Iterator[tuple[_Tokens, str]]:
    """The tokens of each command with the operator behind them."""
    tokens = _Tokens()
    at, until = 0, ";"
    while at < len(line):
        at = _BLANKS.match(line, at).end()  # pyright: ignore[reportOptionalMemberAccess]
        if operator := _OPERATOR.match(line, at):
            at = operator.end()
            if not tokens and operator[0] == "\n":
                continue  # an empty line, also behind an operator that goes on
            if not tokens:
                raise NotLiteral(f"nothing stands before {operator[0]}")
            until = operator[0].replace("\n", ";")
            yield tokens, until
            tokens = _Tokens()
        elif at < len(line):
            at = _token(line, at, tokens)
    if tokens:
        yield tokens, ""
    elif until in ("&&", "||", "|"):
        raise NotLiteral(f"nothing stands behind {until}")


def _token(line: str, at: int, tokens: _Tokens) -> int:
    """Adds the token that begins here and returns where it ends."""
    if copy := _COPY.match(line, at):
        tokens.append(Redirection(">&", Word(copy[2], True, copy[2]), copy[1]))
        return copy.end()
    redirect = _REDIRECT.match(line, at)
    start = redirect.end() if redirect else at
    word = _WORD.match(line, start)
    end = word.end() if word else start
    if word is None or (end < len(line) and line[end] not in " \t\n;|&"):
        raise NotLiteral(_why(line, end))
    text = Word(_text(word[0]), True, word[0])
    if redirect and _NETWORK.match(text.text):
        raise NotLiteral("it opens a connection (/dev/tcp)")
    tokens.append(Redirection(redirect[2], text, redirect[1]) if redirect else text)
    return end


def _why(line: str, at: int) -> str:
    if at >= len(line):
        return "it ends in the middle"
    if not line[at].isascii():
        return "it has a character outside quotes that shells may take for a blank"
    return WHY.get(line[at], "it ends in the middle")


def _command(tokens: _Tokens, pipeline: int, place: int, until: str) -> Command:
    words = [one for one in tokens if isinstance(one, Word)]
    redirections = tuple(one for one in tokens if isinstance(one, Redirection))
    assignments = list[tuple[str, Word]]()
    while words and (assigns := _ASSIGNS.match(words[0].raw)):
        raw = words.pop(0).raw[assigns.end() :]
        assignments.append((assigns[1], Word(_text(raw), True, raw)))
    if words and _APPENDS.match(words[0].raw):
        raise NotLiteral("it adds to a variable (+=)")
    if words and words[0].text in RESERVED:
        raise NotLiteral(f"it begins a command with the reserved word {words[0].text!r}")
    return Command(tuple(words), tuple(assignments), redirections, "", pipeline, place, until=until)


def _text(raw: str) -> str:
    """The word after the shell has removed its quotes."""
    return _QUOTED.sub(_removed, raw)


def _removed(match: re.Match[str]) -> str:
    if match["single"] is not None:
        return match["single"]
    if match["double"] is not None:
        return _IN_DOUBLE.sub(r"\1", match["double"])
    return match["one"]
