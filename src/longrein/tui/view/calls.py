"""Tool calls as entries: what each does in few words, what came of it, and what can be opened."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from longrein.client.own_words import OwnCommand
from longrein.client.words import brief, first_line
from longrein.core.display import CallView, Display
from longrein.core.messages import File, ToolResult
from longrein.core.offload import what_left_out
from longrein.core.planning import Todo
from longrein.core.results import reason_in
from longrein.tui.view.arguments import read_arguments
from longrein.tui.view.entries import (
    Body,
    Called,
    CallState,
    ChildBody,
    DiffBody,
    FieldsBody,
    MarkdownBody,
    OutputBody,
)
from longrein.tui.view.shapes import SHAPES, Given, Shape, fields, other

_ENDED: Mapping[str, CallState] = {
    "ok": "ok",
    "error": "failed",
    "timeout": "failed",
    "declined": "declined",
    "replaced": "declined",
    "refused": "declined",
    "not_run": "stopped",
    "interrupted": "stopped",
    "orphaned": "stopped",
    "unknown": "unknown",
}
_WORDS: Mapping[str, str] = {
    "timeout": "took too long",
    "replaced": "answered in its place",
    "refused": "refused by a hook",
    "not_run": "did not run",
}
_OPEN: Mapping[str, CallState] = {"started": "running", "approval": "asks", "question": "asks"}


class Standing(Struct, frozen=True):
    """Where a call stands: its state, what it has put out or came to, when it began, how long it
    took. `preview` is what a person who is asked about it is shown, `word` says more exactly how it
    ended. `cut`: it said more than this."""

    state: CallState
    text: str = ""
    began: int = 0
    took: int = 0
    preview: str = ""
    word: str = ""
    cut: bool = False


WRITING = Standing("writing")
LOST = Standing("stopped")


def standing_of_result(result: ToolResult) -> Standing:
    """Where a call stands that has ended."""
    files = "".join(f"\n[{_named(part)}]" for part in result.parts if isinstance(part, File))
    text, word = f"{result.text}{files}", _WORDS.get(result.status, "")
    state, cut = _ENDED[result.status], bool(what_left_out(result.text))
    return Standing(state, text, took=result.took, word=word, cut=cut)


def standing_of_view(view: CallView, preview: str = "") -> Standing:
    """Where a call of the open step stands."""
    state = _ENDED.get(view.state) or _OPEN.get(view.state, "ready")
    word = _WORDS.get(view.state, "")
    return Standing(state, view.output, view.began, view.took, preview, word)


def left_alone(shown: Display) -> Display:
    """A display as it is where nobody works on the thread: what was running is not."""
    calls = (replace(c, state="orphaned") if c.state == "started" else c for c in shown.calls)
    children = (
        replace(one, state="stopped") if one.state == "running" else one for one in shown.children
    )
    return replace(shown, calls=tuple(calls), children=tuple(children))


def called(
    key: str,
    name: str,
    arguments: str,
    standing: Standing,
    *,
    todos: tuple[Todo, ...] = (),
    children: tuple[ChildBody, ...] = (),
) -> Called:
    """The entry of a tool call. Never raises, whatever the arguments and the result are."""
    given = Given(read_arguments(arguments), arguments, standing.state, standing.text)
    given = replace(given, preview=standing.preview, todos=todos)
    shape = SHAPES.get(name, other)(name, given)
    if standing.state not in ("ok", "running", "ready", "asks", "writing"):
        shape = _gone_wrong(shape, given, standing.word)
    return Called(
        key,
        name,
        brief(shape.verb, 40),
        brief(shape.object, 400),
        shape.state or standing.state,
        brief(shape.gist, 80),
        standing.began,
        standing.took,
        (*children, *shape.bodies),
        shape.shown,
        standing.cut,
    )


def own_command(key: str, ran: OwnCommand) -> Called:
    """A command that the person ran."""
    body = ran.output.strip("\n")
    bodies: tuple[Body, ...] = (OutputBody(body),) if body else ()
    state: CallState = "failed" if ran.code else "ok"
    gist = f"exit {ran.code}" if ran.code else ""
    return Called(key, "!", "You ran", brief(ran.line, 400), state, gist, bodies=bodies, shown=True)


def _gone_wrong(shape: Shape, given: Given, word: str) -> Shape:
    """A call that did not do what it was to: with the arguments, and what it said."""
    failed = given.state == "failed"
    problem = OutputBody(given.text, problem=True)
    about = tuple(body for body in shape.bodies if _is_about(body, given))
    bodies: tuple[Body, ...] = (*(about or fields(given)), *((problem,) if given.text else ()))
    gist = word or (first_line(given.text) if failed else _why_not(given))
    return replace(shape, gist=gist, bodies=bodies, shown=failed)


def _is_about(body: Body, given: Given) -> bool:
    """Whether a body shows what the call was to do: not what it said, and no change as if it had
    been made."""
    match body:
        case OutputBody() | FieldsBody():
            return False
        case DiffBody():
            return given.state != "failed"
        case MarkdownBody(text):
            return text != given.text
        case _:
            return True


def _why_not(given: Given) -> str:
    """That a person said no, with the reason that they gave; empty: they gave none."""
    reason = reason_in(given.text) if given.state == "declined" else ""
    return f"declined: {reason}" if reason else ""


def _named(file: File) -> str:
    kind = "image" if file.media_type.startswith("image/") else file.media_type
    return f"{kind}: {file.name}" if file.name else kind
