"""The entries of a conversation: what stands on the screen, in order, from top to bottom.

Every entry has a `key` that is its own as long as the conversation is not rewound. Texts are as
they were said: whoever draws them makes them harmless.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.core.planning import Todo

CallState: TypeAlias = Literal[
    "writing",  # the model is still writing its arguments
    "ready",  # asked for, not started
    "asks",  # waits for a person
    "running",
    "ok",
    "failed",  # error, timeout
    "declined",  # declined, refused, replaced
    "stopped",  # interrupted, not run
    "unknown",  # may or may not have taken effect
]


class Said(Struct, frozen=True):
    """What a person said; `files` are the names of what came along, pictures among them.

    `waits`: it is not before the model yet.
    """

    key: str
    text: str
    files: tuple[str, ...] = ()
    time: int = 0
    waits: bool = False


class Spoke(Struct, frozen=True):
    """What the model said, in Markdown. `open`: it is still writing. Of a text in several pieces
    the first has the `time`; one that is `joined` begins in the middle of a block, `within` code
    or a table, if that is not empty, which began with this."""

    key: str
    text: str
    open: bool = False
    mark: Literal["", "interrupted", "cut"] = ""
    time: int = 0
    joined: bool = False
    within: str = ""


class Thought(Struct, frozen=True):
    """What the model thought. `open`: it is still thinking; `shown` as in `Called`."""

    key: str
    text: str
    open: bool = False
    shown: bool = False


class DiffBody(Struct, frozen=True):
    """A change of files, as unified diff or, where `whole`, as the new content of a file."""

    text: str
    path: str = ""
    whole: bool = False


class OutputBody(Struct, frozen=True):
    """What came out of a tool: its end counts most. `problem`: it did not work."""

    text: str
    problem: bool = False


class TodosBody(Struct, frozen=True):
    """A list of things to do."""

    todos: tuple[Todo, ...]


class MarkdownBody(Struct, frozen=True):
    """A text in Markdown: a plan, what a subagent answered."""

    text: str


class ChildBody(Struct, frozen=True):
    """A child at work or done; its own conversation can be opened by its `thread`."""

    thread: str
    agent: str
    state: str
    text: str
    asks: int = 0


class FieldsBody(Struct, frozen=True):
    """The arguments of a call by name, each as text."""

    fields: tuple[tuple[str, str], ...]


Body: TypeAlias = DiffBody | OutputBody | TodosBody | MarkdownBody | ChildBody | FieldsBody


class Called(Struct, frozen=True):
    """A tool call on one line, with bodies that open.

    `verb` and `object` say what it does in few words (`Edit`, `src/app.py`), `gist` what came of it
    (`+3 -1`, `exit 1`, `120 lines`). `began` is when it started to run and `took` how long it ran,
    in microseconds; 0 is not known. `shown`: it is open unless the person closes it. `cut`: it
    said more than is at hand.
    """

    key: str
    tool: str
    verb: str
    object: str
    state: CallState
    gist: str = ""
    began: int = 0
    took: int = 0
    bodies: tuple[Body, ...] = ()
    shown: bool = False
    cut: bool = False


class Told(Struct, frozen=True):
    """What no person and no model said: another mode, a signal, a summary, what went wrong. `whole`
    is what opens: all that the model was told, where the text is less."""

    key: str
    text: str
    tone: Literal["quiet", "warn", "bad"] = "quiet"
    source: str = ""
    whole: str = ""


Entry: TypeAlias = Said | Spoke | Thought | Called | Told
