"""`longrein run`: say something to the agent and show what it does."""

import asyncio
import sys
from argparse import Namespace
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from longrein.cli.asking import TerminalAsker
from longrein.cli.drive import drive
from longrein.cli.schema import read_schema
from longrein.cli.seat import Seat
from longrein.cli.terminal import Screen
from longrein.cli.views import view_for
from longrein.cli.watch import Mark, mark
from longrein.cli.workplace import Workplace, find_workplace
from longrein.client.local_thread import kept_file
from longrein.client.port import Attachment
from longrein.core.errors import UsageError
from longrein.core.state import State
from longrein.harness import Harness
from longrein.models.base import Effort
from longrein.session.handle import Run
from longrein.session.session import Session

MOST_BYTES = 20_000_000
TITLE_SECONDS = 15.0
"""So long a command that is done otherwise waits for a title."""


def run(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """Say the prompt in a thread, go on until the run rests, and report."""
    text = read_prompt(arguments.prompt)
    files = [_read_file(Path(name)) for name in arguments.file]
    if not text.strip() and not files:
        raise UsageError('There is nothing to say. Write it behind the command: longrein run "..."')
    schema = read_schema(Path(arguments.schema)) if arguments.schema else None
    place = find_workplace(arguments, screen)
    place.check_mode(arguments.mode)
    if not arguments.thread and not arguments.again:
        # Before a thread is made for it.
        place.check_model(arguments.model)
    return _run(place, arguments, screen, Prompt(text, files, schema))


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is said: a text, files, and the JSON schema that the answer has to fit."""

    text: str
    files: Sequence[Attachment]
    schema: str | None


async def _run(place: Workplace, arguments: Namespace, screen: Screen, prompt: Prompt) -> int:
    async with place.harness() as harness:
        current = await harness.store.current(place.resource, "default")
        session = await _session(harness, place, arguments)
        takes_over = await place.can_take_over(harness, session, arguments.model)
        await configure(session, place, arguments)
        if fresh := [tag for tag in arguments.tag if tag not in session.folded.tags]:
            await session.tag((*session.folded.tags, *fresh))
        before = mark(session)
        kept = [await kept_file(harness.store, file) for file in prompt.files]
        try:
            with place.saying_where_prices_go():
                handle = await session.send(prompt.text, files=kept, output=prompt.schema)
        except UsageError:
            await _leave_nothing(harness, session, current)
            raise
        seat = seat_for(
            harness, session, place, arguments, screen, handle.id, takes_over=takes_over
        )
        return await see_through(seat, [handle], before)


async def see_through(seat: Seat, runs: Sequence[Run], since: Mark) -> int:
    """Drive a thread until it rests, and report it; the exit code. Without `runs` only children
    work."""
    result = await drive(seat, runs, since)
    seat.view.finish(result)
    if seat.titled:
        await _wait_for_title(seat.session)
    return result.exit


async def _leave_nothing(harness: Harness, session: Session, current: str | None) -> None:
    """A thread made for what was refused goes again, and the one before it is current."""
    if session.folded.messages or session.thread == current:
        return
    await harness.delete(session.resource, session.thread)
    if current:
        await harness.switch(session.resource, "default", current)


async def _wait_for_title(session: Session) -> None:
    """Let the title be made that follows a thread's first answer; without it the thread has none.

    It is made beside the run, and would be given up when the session is closed.
    """
    attempts = session.folded.titled
    with suppress(asyncio.TimeoutError):
        async with asyncio.timeout(TITLE_SECONDS):
            while not session.folded.title and session.folded.titled == attempts:
                await session.conductor.moved()


async def configure(session: Session, place: Workplace, given: Namespace) -> None:
    """Put into the thread what the flags, and for a new thread the settings, say of it.

    It is kept there, so that whoever goes on with the thread goes on in the same way.
    """
    trust = given.trust or (None if session.folded.messages else place.settings.trust)
    if trust and trust != session.folded.trust:
        await session.set_trust(trust)
    if given.mode and given.mode != session.folded.mode:
        await session.switch_mode(given.mode)
    state = session.folded
    model, effort = given.model or state.model, given.effort or state.effort
    if (model, effort) != (state.model, state.effort):
        await session.switch_model(model, effort=cast("Effort", effort) if effort else None)


def seat_for(
    harness: Harness,
    session: Session,
    place: Workplace,
    given: Namespace,
    screen: Screen,
    run: str,
    *,
    takes_over: bool,
) -> Seat:
    """The seat from which a command drives a run; empty: children alone."""
    shaped = _shaped(session.folded, run)
    return Seat(
        session,
        harness.store,
        screen,
        view_for(given.output, screen, session.folded, place.folder, shaped=shaped),
        TerminalAsker(screen, place.settings.app.editor) if screen.interactive else None,
        given.unattended,
        given.deadline,
        takes_over,
        place.brought,
        shaped,
        place.settings.limits,
        bool(place.settings.titles),
    )


def _shaped(state: State, run: str) -> bool:
    """Whether the answer of a run that is open or waits for its turn has to fit a schema."""
    if state.run is not None and state.run.id == run:
        return bool(state.run.output)
    return any(waiting.output for waiting in state.queue if waiting.run == run)


def read_prompt(words: list[str]) -> str:
    """What was written behind the command; `-`, or nothing in a pipe, stands for stdin."""
    if not words and not sys.stdin.isatty():
        words = ["-"]
    said = [word for word in words if word != "-"]
    parts = [" ".join(said)] if said else []
    if "-" in words:
        parts.append(sys.stdin.buffer.read().decode(errors="replace"))
    return "\n\n".join(parts)


def _read_file(path: Path) -> Attachment:
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise UsageError(f"{path} is not a file.")
        if size > MOST_BYTES:
            raise UsageError(f"{path} has {size:,} bytes; at most {MOST_BYTES:,} can be attached.")
        return Attachment(path.name, path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None


async def _session(harness: Harness, place: Workplace, given: Namespace) -> Session:
    if given.thread:
        return await harness.session(place.resource, thread=given.thread)
    return await harness.session(place.resource, new=not given.again)
