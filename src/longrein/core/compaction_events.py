"""Events of compaction: what is left out of requests, and what stands for it."""

from longrein.core.durable import Durable
from longrein.core.outcomes import Problem
from longrein.core.usage import Usage
from longrein.core.window import MOST_ASKED, How, Trigger


class CompactionAsked(Durable, frozen=True):
    """A person wants requests to be shorter; `focus` is what the summary should keep above all."""

    focus: str = ""


class CompactionStarted(Durable, frozen=True):
    """A model is asked for a summary of all messages before number `start`.

    `before` is what a request takes so far, in tokens; `reserved` and `max_output` as in
    `StepStarted`.
    """

    compaction: str
    trigger: Trigger
    model: str
    start: int
    before: int = 0
    focus: str = ""
    reserved: int = 0
    max_output: int | None = None


class Compacted(Durable, frozen=True):
    """Requests hold less from here on: a lead, and the thread's messages from number `start`.

    Of those before number `whole`, large results and arguments are only named. `summary` is what
    stands for what is left out (of `digest` the notes of a capability), `kept` what capabilities
    add to it, `asked` how many characters stay of what the user asked for first and last.
    `readable`: the model has tools to read what is left out, and is told where. `before` and
    `after` are the tokens of a request, estimated where nobody counted them. The messages
    themselves stay as they are.
    """

    compaction: str
    trigger: Trigger
    how: How
    start: int
    whole: int
    summary: str = ""
    kept: str = ""
    before: int = 0
    after: int = 0
    model: str = ""
    usage: Usage = Usage()
    cost: int | None = None
    asked: int = MOST_ASKED
    readable: bool = True


class CompactionFailed(Durable, frozen=True):
    """No summary could be made, or it is of no use; requests stay as they are.

    Where they have to be shorter, the oldest steps are left out without one.
    """

    compaction: str
    problem: Problem
    model: str = ""
    usage: Usage = Usage()
    cost: int | None = None


class InputPinned(Durable, frozen=True):
    """What was said in this input stays in every request, however much is left out."""

    input: str


class InputUnpinned(Durable, frozen=True):
    """This input is not pinned any more."""

    input: str
