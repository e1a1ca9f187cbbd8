"""A thread as a transcript in Markdown, for people to read and keep.

Everything that was said stands in quotations or in fences: whatever it contains, it cannot pass for
the transcript around it, leave a fence open, or become HTML.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape

from longrein.core import events as e
from longrein.core.evolve import evolve
from longrein.core.messages import Assistant, Content, Message, Note, Text, ToolResult, User
from longrein.core.outcomes import Aborted, Failed, Finished, LimitReached
from longrein.core.records import Approval, Question
from longrein.core.rewinds import points
from longrein.core.state import State
from longrein.core.usage import Spent
from longrein.core.window import How
from longrein.core.words import dollars

LONGEST = 4000
"""Characters of a tool's arguments or result that are shown."""

LONGEST_LINE = 200

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)", re.DOTALL)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_FENCE = re.compile(r"(`{3,})[^`]*|(~{3,}).*")
_ACTIVE = re.compile(r"<(?=[A-Za-z/!?])|!(?=\[)")
"""What begins a tag, or a picture that would be fetched from somewhere."""

_SPAN = re.compile(r"(`[^`]*`)")
_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~!&]")


def markdown(events: Iterable[e.Event], title: str = "") -> str:
    """The transcript of a thread, from all of its events. `title` is for one that has none.

    >>> said = e.NoteAdded("The build is green.", "ci", seq=1)
    >>> print(markdown([said], "Builds"))
    # Builds
    <BLANKLINE>
    ## Note from ci, 1970-01-01 00:00 UTC
    <BLANKLINE>
    > The build is green.
    <BLANKLINE>
    """
    state, blocks = State(), list[str]()
    for event in events:
        after = evolve(state, event)
        blocks += _happened(state, event)
        # What comes back when a rewind is undone stands above already.
        if not isinstance(event, e.Rewound):
            for message in after.messages[len(state.messages) :]:
                blocks += _message(message)
        state = after
    head = [f"# {_line(state.title or title) or 'Untitled thread'}"]
    return "\n\n".join([*head, *blocks, *_open(state), *_totals(state)]) + "\n"


def _message(message: Message) -> Iterator[str]:
    match message:
        case User(parts=parts):
            yield f"## User{_at(message.time)}"
            yield from _parts(parts)
        case Assistant():
            model = f" ({_line(message.model)})" if message.model else ""
            yield f"## Assistant{model}{_at(message.time)}"
            if message.text.strip():
                yield _quoted(message.text)
            for call in message.calls:
                yield f"Calls {_code(call.name)}:"
                yield _fenced(call.arguments, "json")
            if message.interrupted:
                yield "*Interrupted here.*"
            elif message.cut:
                yield "*Cut here: no room was left.*"
        case ToolResult():
            yield from _result(message)
        case Note(text=text, source=source):
            yield f"## Note{f' from {_line(source)}' if source else ''}{_at(message.time)}"
            yield _quoted(text)


def _result(result: ToolResult) -> Iterator[str]:
    name = escape(_plain(result.name), quote=False)
    yield f"<details>\n<summary>{name}: {result.status}</summary>"
    if result.text:
        yield _fenced(result.text)
    for part in result.parts:
        if not isinstance(part, Text):
            yield from _parts((part,))
    yield "</details>"


def _parts(parts: Sequence[Content]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Text):
            yield _quoted(part.text)
        else:
            name = _line(part.name or part.url)
            yield f"*A file: {_code(name or part.blob)}, {_code(part.media_type)}*"


_COMPACTED: Mapping[How, str] = {
    "cleared": "Old results were left out of requests",
    "digest": "Notes stand for the conversation so far",
    "summary": "A summary stands for the conversation so far",
    "left_out": "The oldest steps were left out of requests",
    "pinned": "What was pinned is in requests again",
}


def _happened(state: State, event: e.Event) -> Iterator[str]:
    """What people and the system did, as far as no message says it."""
    match event:
        case e.Forked(parent=parent, at=at):
            yield f"---\n\n*What stands above is from thread {_code(parent)}, up to event {at}.*"
        case e.Rewound():
            yield from _rewound(state, event)
        case e.ApprovalAnswered():
            for asked in state.approvals:
                if asked.id == event.approval:
                    yield from _approved(asked, event)
        case e.QuestionAnswered():
            for asked in state.questions:
                if asked.id == event.question:
                    yield from _question(asked)
                    yield from _answer(event)
        case e.ModeChanged(mode=mode):
            yield f"*The mode is {_code(mode)} now.*"
        case e.ModelChanged(model=model, uses=uses) if uses or model:
            yield f"*The model is {_code(uses or model)} now.*"
        case e.StepFailed(problem=problem):
            yield _trouble("The model call failed", problem.message)
        case e.HookFailed(capability=name, problem=problem):
            yield _trouble(f"A hook of {_line(name)} failed", problem.message)
        case e.Compacted(how=how, before=before, after=after):
            yield f"*{_COMPACTED[how]}: {before:,} tokens became {after:,}.*"
        case e.CompactionFailed(problem=problem):
            yield _trouble("No summary could be made", problem.message)
        case e.Warned(problem=problem):
            yield _trouble("Something is wrong", problem.message)
        case e.RunEnded(outcome=Aborted(reason=reason)):
            yield _trouble("The run was stopped", reason)
        case e.RunEnded(outcome=Failed(problem=problem)):
            yield _trouble("The run failed", problem.message)
        case e.RunEnded(outcome=LimitReached(message=message)):
            yield _trouble("The run reached a limit", message)
        case e.RunEnded(outcome=Finished()):
            yield "---"
        case _:
            return


def _rewound(state: State, event: e.Rewound) -> Iterator[str]:
    what = "The conversation and files were" if event.files else "The conversation was"
    what = what if event.conversation else "Files were"
    said = next((one.text for one in points(state) if one.input == event.to), "")
    before = f"to before “{_line(said)}”" if said else f"to before {_code(event.to)}"
    if event.undo:
        yield "---\n\n*The rewind was undone: what it left out counts again.*"
    else:
        yield f"---\n\n*{what} rewound {before}.*"
    if event.files:
        yield f"*{_line(str(event.report)).capitalize()}.*"


def _approved(asked: Approval, answer: e.ApprovalAnswered) -> Iterator[str]:
    rule = f": {_code(answer.rule)}" if answer.rule else ""
    by = "" if answer.by == "person" else f" ({answer.by}{rule})"
    yield f"**Approval** of {_code(asked.tool)}: {answer.decision}{by}."
    if answer.arguments is not None:
        yield "With these arguments:"
        yield _fenced(answer.arguments, "json")
    if said := answer.result or answer.reason:
        yield _quoted(said)


def _question(asked: Question) -> Iterator[str]:
    what = "Plan" if asked.kind == "plan" else "Question"
    yield f"**{what}**{f': {_line(asked.title)}' if asked.title else ''}"
    yield _quoted(asked.text)
    if asked.choices:
        yield "\n".join(f"- {_line(choice)}" for choice in asked.choices)


def _answer(event: e.QuestionAnswered) -> Iterator[str]:
    if event.value is None:
        yield _trouble("Declined", event.reason)
        return
    yield "**Answer**"
    given = (event.value,) if isinstance(event.value, str) else event.value
    yield _quoted("\n".join(given) or "(none)")
    if event.reason:
        yield _quoted(event.reason)


def _open(state: State) -> Iterator[str]:
    """What the thread still waits for."""
    for asked in state.approvals:
        yield f"**Approval** of {_code(asked.tool)}: not answered yet."
        yield _fenced(asked.arguments, "json")
    for question in state.questions:
        yield from _question(question)
        yield "*Not answered yet.*"
    for input in state.queue:
        yield "**Waiting in the queue**"
        yield from _parts(input.parts)


def _totals(state: State) -> Iterator[str]:
    spent: Spent = state.spent
    if not spent.usage.total and not spent.steps:
        return
    usage = spent.usage
    cost = dollars(spent.cost)
    if spent.unpriced:
        cost += f" and {spent.unpriced} calls whose price is not known"
    cached = f" ({usage.cached:,} cached)" if usage.cached else ""
    tokens = f"{usage.input:,} tokens in{cached}, {usage.output:,} out"
    yield f"*In all: {spent.steps} model calls, {tokens}, {cost}.*"


def _trouble(what: str, why: str) -> str:
    return f"**{what}**\n\n{_quoted(why)}" if why.strip() else f"**{what}**"


def _at(time: int) -> str:
    try:
        return f", {datetime.fromtimestamp(time // 1_000_000, UTC):%Y-%m-%d %H:%M} UTC"
    except (OverflowError, OSError, ValueError):  # no time that a calendar has
        return ""


def _quoted(text: str) -> str:
    """A text as a quotation. It keeps its own Markdown, which ends where the quotation does."""
    lines = _harmless(_visible(text).strip("\n").split("\n"))
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _harmless(lines: Sequence[str]) -> Iterator[str]:
    """Lines without HTML and pictures, and with code as it is.

    Code is what every reader takes for code: between fences that begin a line, and in spans where
    each ends on its line. Of a span over two lines, or in a table, one cannot be sure.
    """
    code = list(_between_fences(lines))
    prose = [line for line, fenced in zip(lines, code, strict=True) if not fenced]
    spans = all(
        "``" not in line and "\\`" not in line and line.count("`") % 2 == 0 for line in prose
    )
    for line, fenced in zip(lines, code, strict=True):
        if fenced:
            yield line
        elif spans and "|" not in line:
            pieces = enumerate(_SPAN.split(line))
            yield "".join(piece if n % 2 else _defused(piece) for n, piece in pieces)
        else:
            yield _defused(line)


def _between_fences(lines: Sequence[str]) -> Iterator[bool]:
    """Of each line, whether it is a fence or between two. One that is never closed holds the rest.

    Only a fence without indentation surely stands in no list, which would end it with its own end.
    """
    closing: re.Pattern[str] | None = None
    for line in lines:
        if closing is not None:
            yield True
            closing = None if closing.fullmatch(line) else closing
        elif opened := _FENCE.fullmatch(line):
            yield True
            fence = opened[1] or opened[2]
            closing = re.compile(rf" {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*")
        else:
            yield False


def _defused(text: str) -> str:
    return _ACTIVE.sub(lambda found: f"&#{ord(found[0])};", text)


def _fenced(text: str, language: str = "") -> str:
    """A text as it is, between fences that are longer than any in it."""
    shown = _bounded(_visible(text)).strip("\n")
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def _bounded(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]}\n[{len(text) - LONGEST:,} characters left out]\n{text[-half:]}"


def _code(text: str) -> str:
    """A few words as code."""
    shown = _plain(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{shown}{space}{fence}" if shown else ""


def _line(text: str) -> str:
    """A text on one line, in which nothing means anything to Markdown."""
    return _SPECIAL.sub(r"\\\g<0>", _plain(text))


def _plain(text: str) -> str:
    return " ".join(_visible(text).split())[:LONGEST_LINE]


def _visible(text: str) -> str:
    """A text without what controls a terminal or turns the direction of reading."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("\ufffd", _ANSI.sub("", plain))
