"""A shell line as values: the commands that it runs, in words."""

from msgspec import Struct


class Word(Struct, frozen=True):
    """One word of a command.

    `literal`: `text` is exactly what the program is given, in bash and in dash. Otherwise the word
    is made when the line runs, and `text` is a guess: quotes removed, the rest as written.
    """

    text: str
    literal: bool
    raw: str


class Redirection(Struct, frozen=True):
    """Where a stream goes or comes from; `descriptor` is empty where none is named."""

    operator: str
    target: Word
    descriptor: str = ""


class Command(Struct, frozen=True):
    """A simple command; without words it only assigns or redirects.

    Commands of one pipeline share its number (0: in none) and have a `place` in it. `here` are the
    texts that it is given as input by the line itself. `until` is the operator behind it.
    """

    words: tuple[Word, ...] = ()
    assignments: tuple[tuple[str, Word], ...] = ()
    redirections: tuple[Redirection, ...] = ()
    raw: str = ""
    pipeline: int = 0
    place: int = 0
    here: tuple[str, ...] = ()
    until: str = ""

    @property
    def name(self) -> str:
        """The first word, without the folder that the program is in."""
        return self.words[0].text.rpartition("/")[2] if self.words else ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The words behind the first, as texts."""
        return tuple(word.text for word in self.words[1:])


class Script(Struct, frozen=True):
    """Every simple command of a line, those inside substitutions, groups and functions too.

    `redirections` are those of groups; a command has its own. `defines` are the functions.
    `unproven` says why the commands may be others than these; where it is empty, every word is
    literal and the line is a plain list of pipelines.
    """

    line: str
    commands: tuple[Command, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    defines: tuple[str, ...] = ()
    unproven: str = ""
