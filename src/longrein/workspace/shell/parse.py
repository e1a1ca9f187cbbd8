"""`parse`: every command of a shell line, by the grammar of bash, and whether that is sure.

Two readings: tree-sitter-bash reads whatever it can, so that rules that restrict see what is inside
substitutions, loops and functions; the small grammar of `literal` reads what can be proven. A line
is proven where both read the same words.
"""

import re
from collections.abc import Iterator
from itertools import dropwhile
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

try:
    from tree_sitter import Language, Parser
    from tree_sitter_bash import language
except ImportError:  # without the extra `shell` nothing can be proven, so everything is asked about
    _parser = None
else:
    _parser = Parser(Language(language()))

from longrein.workspace.shell.literal import RESERVED, NotLiteral, read, unquoted
from longrein.workspace.shell.script import Command, Redirection, Script, Word

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 32_768
"""Characters; a longer line is only cut into pieces."""

_parsing = Lock()
"""Long lines are read in threads, and there is one parser."""

MOST_OPERATORS = 1_000
"""The time of the grammar can grow with the square of their number, so more are only cut up too."""


TOO_LONG = "it is too long to be read"
NO_GRAMMAR = "what reads shell lines is not installed: pip install 'longrein[shell]'"


def parse(line: str) -> Script:
    """The commands of a line; `unproven` says why they may be others when it runs.

    Never raises, and takes time that is bounded for any line.

    >>> [command.name for command in parse("ls $(pwd) | wc -l").commands]
    ['ls', 'pwd', 'wc']
    >>> parse("ls $(pwd)").unproven
    'it has an expansion or a substitution ($)'
    >>> parse("ls | wc -l").unproven
    ''
    """
    if len(line) > LONGEST or len(_OPERATORS.findall(line)) > MOST_OPERATORS:
        return Script(line, pieces(line), unproven=TOO_LONG)
    try:
        data = line.encode()
    except UnicodeEncodeError:
        return Script(line, pieces(line), unproven="it is not text")
    if _parser is None:
        return Script(line, pieces(line), unproven=NO_GRAMMAR)
    walk = _Walk(data)
    with _parsing:
        tree = _parser.parse(data)
    walk.visit(tree.root_node)
    found, loose, defines = (*walk.commands,), (*walk.redirections,), (*walk.defines,)
    if walk.broken:
        unproven = "it is not a line that can be read whole"
        return Script(line, found + pieces(line), loose, defines, unproven)
    try:
        plain = read(line)
    except NotLiteral as reason:
        return Script(line, found, loose, defines, str(reason))
    if loose or [_said(one) for one in plain] != [_said(one) for one in found]:
        return Script(line, found + plain, loose, defines, "it can be read in two ways")
    return Script(line, plain, unproven="" if plain else "it runs nothing")


def pieces(line: str) -> tuple[Command, ...]:
    """What might be commands, where no grammar can tell: the text between operators."""
    found = list[Command]()
    for piece in _CUTS.split(line):
        raws = list(dropwhile(RESERVED.__contains__, piece.split()))
        if raws:
            found.append(Command(tuple(_word(raw) for raw in raws), raw=piece.strip()))
    return tuple(found)


_Next: TypeAlias = "tuple[Node, int, int, tuple[Node, ...]]"
"""A node to look at, with the number of its pipeline, the place in it, and the redirections that
stand behind it."""

_OPERATORS = re.compile(r"[<>|&(){}]")
_CUTS = re.compile(r"[;&|()\n`]|\$\(")
_REDIRECTS = {"file_redirect", "herestring_redirect", "heredoc_redirect"}
_COMMANDS = {"command", "declaration_command", "unset_command", "test_command"}
_ROWS = {"list", "pipeline", "redirected_statement"}
"""What a redirection behind it belongs to the last command of, not to the whole."""


def _said(command: Command) -> tuple[object, ...]:
    return (
        [word.text for word in command.words],
        [(name, word.text) for name, word in command.assignments],
        [(one.operator, one.target.text, one.descriptor) for one in command.redirections],
    )


class _Walk:
    """Collects the commands of a tree in the order of the line, without recursion."""

    def __init__(self, data: bytes) -> None:
        self.commands: list[Command] = []
        self.redirections: list[Redirection] = []
        self.defines: list[str] = []
        self.broken = False
        self._data = data
        self._pipelines = 0

    def visit(self, root: "Node") -> None:
        self.broken = root.has_error
        waiting: list[_Next] = [(root, 0, 0, ())]
        while waiting:
            waiting += reversed(self._take(*waiting.pop()))

    def _take(
        self, node: "Node", pipeline: int, place: int, behind: "tuple[Node, ...]"
    ) -> list[_Next]:
        """Notes what a node is and returns what to look at next, with the place in a pipeline."""
        children = node.children
        kind = node.type
        if kind == "pipeline":
            return self._stages(children, pipeline or self._another(), place, behind)
        if kind == "redirected_statement":
            return self._redirected(children, pipeline, place, behind)
        inner: list[_Next] = [(one, pipeline, place, ()) for one in children if one.child_count]
        if kind == "list" and inner:
            return _hung_on_last(inner, behind)
        if kind in _COMMANDS:
            self.commands.append(self._command(node, behind, pipeline, place))
            return inner
        self.redirections += self._targets(behind)
        if kind == "variable_assignment" and not _is_in_command(node):
            found = Command(assignments=(self._assignment(node),), raw=self._text(node))
            self.commands.append(found)
        elif kind == "function_definition" and children:
            self.defines.append(self._text(node.child_by_field_name("name") or children[0]))
        return inner

    def _another(self) -> int:
        self._pipelines += 1
        return self._pipelines

    def _stages(
        self, children: "list[Node]", pipeline: int, place: int, behind: "tuple[Node, ...]"
    ) -> list[_Next]:
        stages = list[_Next]()
        for child in children:
            if child.type in ("|", "|&"):
                place += 1
            else:
                stages.append((child, pipeline, place, ()))
        return _hung_on_last(stages, behind)

    def _redirected(
        self, children: "list[Node]", pipeline: int, place: int, behind: "tuple[Node, ...]"
    ) -> list[_Next]:
        """A statement with redirections: they are its command's own, of several the last one's."""
        redirects = [child for child in children if child.type in _REDIRECTS]
        body = [child for child in children if child.type not in _REDIRECTS]
        inside = [inner for one in redirects for inner in one.children if inner.child_count]
        # What stands behind `<<END` on its line is a child of the here-document.
        if any(one.type == "pipeline" for one in inside):
            pipeline = pipeline or self._another()
        onward = [
            stage
            for one in inside
            for stage in (
                self._stages(one.children, pipeline, place, ())
                if one.type == "pipeline"
                else [(one, pipeline, place, ())]
            )
        ]
        hung = (*redirects, *behind)
        if len(body) == 1 and body[0].type in _COMMANDS | _ROWS:
            return [(body[0], pipeline, place, hung), *onward]
        self.redirections += self._targets(hung)
        return [(one, pipeline, place, ()) for one in body if one.child_count] + onward

    def _command(
        self, node: "Node", behind: "tuple[Node, ...]", pipeline: int, place: int
    ) -> Command:
        words, assignments = list[Word](), list[tuple[str, Word]]()
        redirects = (*(one for one in node.children if one.type in _REDIRECTS), *behind)
        for child in node.children:
            if child.type == "variable_assignment" and node.type == "command":
                assignments.append(self._assignment(child))
            elif child.type not in _REDIRECTS:
                words.append(_word(self._text(child)))
        words += [
            _word(self._text(inner))
            for one in redirects
            if one.type == "heredoc_redirect"
            for inner in one.children_by_field_name("argument")
        ]
        return Command(
            tuple(words),
            tuple(assignments),
            tuple(self._targets(redirects)),
            self._text(node),
            pipeline,
            place,
            tuple(self._here(redirects)),
        )

    def _assignment(self, node: "Node") -> tuple[str, Word]:
        name, _, value = self._text(node).partition("=")
        return name, _word(value)

    def _targets(self, redirects: "tuple[Node, ...]") -> Iterator[Redirection]:
        # A redirection behind `<<END` on its line is a child of the here-document.
        nested = [child for one in redirects for child in one.children]
        for one in (*redirects, *nested):
            if one.type != "file_redirect":
                continue
            parts = one.children
            descriptor = next((self._text(p) for p in parts if p.type == "file_descriptor"), "")
            operator = next((self._text(p) for p in parts if not p.is_named), "")
            named = [p for p in parts if p.is_named and p.type != "file_descriptor"]
            for target in named[:1]:
                yield Redirection(operator, _word(self._text(target)), descriptor)

    def _here(self, redirects: "tuple[Node, ...]") -> Iterator[str]:
        for one in redirects:
            for child in one.children:
                if child.type == "heredoc_body":
                    yield self._text(child)
                elif one.type == "herestring_redirect" and child.is_named:
                    yield _word(self._text(child)).text

    def _text(self, node: "Node") -> str:
        return self._data[node.start_byte : node.end_byte].decode()


def _hung_on_last(row: list[_Next], behind: "tuple[Node, ...]") -> list[_Next]:
    """The grammar hangs a redirection on the whole row; shells on the last command of it."""
    last = [(node, pipeline, place, behind) for node, pipeline, place, _ in row[-1:]]
    return [*row[:-1], *last]


def _is_in_command(node: "Node") -> bool:
    return node.parent is not None and node.parent.type in _COMMANDS


def _word(raw: str) -> Word:
    text = unquoted(raw)
    return Word(_guess(raw), False, raw) if text is None else Word(text, True, raw)


_QUOTES = re.compile(r"""\$'((?:[^'\\]|\\.)*)'|'([^']*)'|\$?"((?:[^"\\]|\\.)*)"|\\\n|\\(.)""", re.S)
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|([0-7]{1,3})|(.))", re.S)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f"}


def _guess(raw: str) -> str:
    """The word without its quotes, substitutions and globs as written."""
    return _QUOTES.sub(_bare, raw)


def _bare(match: re.Match[str]) -> str:
    if match[1] is not None:
        return _ESCAPE.sub(_escaped, match[1])
    return next((one for one in match.groups()[1:] if one is not None), "")


def _escaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code or match[3]:
        return chr(int(code, 16) if code else int(match[3], 8) & 0xFF)
    return _NAMED.get(match[4], match[4])
