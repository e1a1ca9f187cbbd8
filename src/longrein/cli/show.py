"""`longrein show`: a thread as it was, and with `--follow` as it goes on."""

import asyncio
from argparse import Namespace
from collections.abc import Iterable

from longrein.cli import exits
from longrein.cli.left import child_line
from longrein.cli.placed import in_plain_place
from longrein.cli.planning import todo_headline, todo_lines
from longrein.cli.results import pending_of
from longrein.cli.terminal import BOLD, DIM, Screen
from longrein.cli.text_view import EXECUTE, TextView
from longrein.cli.threads import named_or_last
from longrein.cli.views import event_json
from longrein.cli.watch import Watcher
from longrein.cli.workplace import Workplace
from longrein.client.telling import argument_lines
from longrein.core.display import Display
from longrein.core.messages import (
    Assistant,
    Content,
    File,
    Message,
    Note,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.core.results import exit_in
from longrein.core.words import dollars
from longrein.session.session import Session

SHORT = 100
"""Characters of arguments that are shown on the line of their call."""

MOST_LINES = 20
"""Lines of arguments that are shown of one call."""


@in_plain_place
async def show(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """Show a thread without touching it: another process may be writing it."""
    async with place.harness() as harness:
        session = await named_or_last(harness, place.resource, arguments.thread)
        if arguments.json:
            await _events(session, screen, follow=arguments.follow)
        else:
            row = await harness.store.thread(session.thread)
            _transcript(session, row.title if row else "", screen)
            if arguments.follow:
                view = TextView(screen, session.folded, follows=True)
                await Watcher(session, view.show, session.folded.seq).follow()
    return exits.FINISHED


async def _events(session: Session, screen: Screen, *, follow: bool) -> None:
    watcher = Watcher(session, lambda event: screen.out(f"{event_json(event)}\n"), 0)
    following = asyncio.ensure_future(watcher.follow())
    try:
        await (following if follow else watcher.caught_up())
    finally:
        following.cancel()


def _transcript(session: Session, title: str, screen: Screen) -> None:
    display = session.display
    tags = "".join(f" #{tag}" for tag in display.tags)
    screen.say(f"{session.thread}  {title}{tags}", BOLD)
    mode = f"mode {display.mode}, " if display.mode else ""
    screen.say(f"{display.activity}, {mode}trust {display.trust}, {_spent(display)}", DIM)
    for message in display.messages:
        for line in _lines(message):
            screen.out(f"{line}\n")
    _planning(display, screen)
    for number, child in enumerate(display.children):
        screen.out("" if number else "\nsubagents:\n")
        screen.out(f"{'  ' * len(child.path)}{child_line(child)}\n")
    for waiting in display.queue:
        held = " (held)" if display.held else ""
        screen.out(f"\nqueued{held}: {waiting.text}\n")
    if pending := pending_of(display):
        screen.out("\nwaits for a person:\n")
        for one in pending:
            for line in one.lines:
                screen.out(f"  {line}\n")
            screen.out(f"    {one.command}\n")
        screen.say(
            "Add the --tools, --agent and --workspace that the run was started with, if any.", DIM
        )
    if display.problem is not None:
        screen.out(f"\nproblem: {display.problem.message}\n")


def _planning(display: Display, screen: Screen) -> None:
    if plan := display.plan:
        screen.out(f"\nplan {plan.status}: {plan.title}\n")
    if display.todos:
        screen.out(f"\n{todo_headline(display.todos)}\n")
        for line in todo_lines(display.todos):
            screen.out(f"  {line}\n")


def _lines(message: Message) -> Iterable[str]:
    match message:
        case User(parts=parts):
            yield ""
            yield f"> {_text(parts)}"
        case Assistant():
            if message.text:
                yield ""
                yield message.text + (" [interrupted]" if message.interrupted else "")
            for call in message.calls:
                yield from _call(call)
        case ToolResult(name=name, status=status):
            ended = exit_in(message.text) if name == EXECUTE else None
            mark = "✓" if status == "ok" and (ended is None or ended.good) else "✗"
            text = message.text.rstrip("\n").replace("\n", "\n      ")
            yield f"  {mark} {name} ({status}): {text}"
        case Note(text=text):
            yield f"  [{text}]"


def _call(call: ToolCall) -> Iterable[str]:
    """A call in a line where that is enough, else with its arguments below."""
    if len(call.arguments) <= SHORT and "\\n" not in call.arguments:
        yield f"  → {call.name} {call.arguments}"
        return
    yield f"  → {call.name}"
    lines = argument_lines(call.arguments)
    yield from (f"      {line}" for line in lines[:MOST_LINES])
    if len(lines) > MOST_LINES:
        yield f"      ... {len(lines) - MOST_LINES} more lines (show --json has them all)"


def _text(parts: Iterable[Content]) -> str:
    shown = [part.text if isinstance(part, Text) else f"[{_called(part)}]" for part in parts]
    return "\n  ".join(shown)


def _called(file: File) -> str:
    return f"{file.name or 'file'}, {file.media_type}"


def _spent(display: Display) -> str:
    spent = display.spent
    cost = f", {dollars(spent.cost)}" if spent.cost else ""
    unknown = f" and {spent.unpriced} steps of unknown price" if cost and spent.unpriced else ""
    return f"{spent.steps} steps, {spent.usage.total:,} tokens{cost}{unknown}"
