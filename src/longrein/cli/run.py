"""`longrein run`: say something to the agent and show what it does."""

import sys
from argparse import Namespace
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from longrein.cli.attend import TerminalAsker
from longrein.cli.drive import Seat, drive
from longrein.cli.terminal import Screen
from longrein.cli.views import view_for
from longrein.cli.watch import mark
from longrein.cli.workplace import Workplace, find_workplace
from longrein.core.errors import UsageError
from longrein.core.media import media_type
from longrein.core.messages import File
from longrein.harness import Harness
from longrein.session.session import Session
from longrein.storage.base import Store

MOST_BYTES = 20_000_000
TITLE = 60


def run(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """Say the prompt in a thread, go on until the run rests, and report."""
    text = read_prompt(arguments.prompt)
    files = [_read_file(Path(name)) for name in arguments.file]
    if not text.strip() and not files:
        raise UsageError('There is nothing to say. Write it behind the command: longrein run "..."')
    place = find_workplace(arguments, screen)
    place.check_mode(arguments.mode)
    if not arguments.thread and not arguments.again:
        # Before a thread is made for it.
        place.check_model(arguments.model)
    return _run(place, arguments, screen, text, files)


async def _run(
    place: Workplace,
    arguments: Namespace,
    screen: Screen,
    text: str,
    files: Sequence[tuple[str, bytes]],
) -> int:
    async with place.harness() as harness:
        current = await harness.store.current(place.resource, "default")
        session = await _session(harness, place, arguments)
        takes_over = await place.can_take_over(harness, session, arguments.model)
        await configure(session, place, arguments)
        if not session.state.title:
            await session.rename(_title(text))
        before = mark(session)
        kept = [await _keep(harness.store, file) for file in files]
        try:
            with place.saying_where_prices_go():
                handle = await session.send(text, files=kept)
        except UsageError:
            await _leave_nothing(harness, session, current)
            raise
        seat = seat_for(harness, session, place, arguments, screen, takes_over=takes_over)
        result = await drive(seat, [handle], before)
    seat.view.finish(result)
    return result.exit


async def _leave_nothing(harness: Harness, session: Session, current: str | None) -> None:
    """A thread made for what was refused goes again, and the one before it is current."""
    if session.state.messages or session.thread == current:
        return
    await harness.delete(session.resource, session.thread)
    if current:
        await harness.switch(session.resource, "default", current)


async def configure(session: Session, place: Workplace, given: Namespace) -> None:
    """Put into the thread what the flags, and for a new thread the settings, say of it.

    It is kept there, so that whoever goes on with the thread goes on in the same way.
    """
    trust = given.trust or (None if session.state.messages else place.settings.trust)
    if trust and trust != session.state.trust:
        await session.set_trust(trust)
    if given.mode and given.mode != session.state.mode:
        await session.switch_mode(given.mode)
    if given.model and given.model != session.state.model:
        await session.switch_model(given.model)


def seat_for(
    harness: Harness,
    session: Session,
    place: Workplace,
    given: Namespace,
    screen: Screen,
    *,
    takes_over: bool,
) -> Seat:
    """The seat from which a command drives a run."""
    return Seat(
        session,
        harness.store,
        screen,
        view_for(given.output, screen, session.state),
        TerminalAsker(screen) if screen.interactive else None,
        given.unattended,
        takes_over,
        place.brought,
    )


def read_prompt(words: list[str]) -> str:
    """What was written behind the command; `-`, or nothing in a pipe, stands for stdin."""
    if not words and not sys.stdin.isatty():
        words = ["-"]
    said = [word for word in words if word != "-"]
    parts = [" ".join(said)] if said else []
    if "-" in words:
        parts.append(sys.stdin.buffer.read().decode(errors="replace"))
    return "\n\n".join(parts)


def _read_file(path: Path) -> tuple[str, bytes]:
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise UsageError(f"{path} is not a file.")
        if size > MOST_BYTES:
            raise UsageError(f"{path} has {size:,} bytes; at most {MOST_BYTES:,} can be attached.")
        return path.name, path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None


async def _keep(store: Store, file: tuple[str, bytes]) -> File:
    name, data = file
    return File(media_type(data), blob=await store.put_blob(data), name=name)


async def _session(harness: Harness, place: Workplace, given: Namespace) -> Session:
    if given.thread:
        return await harness.session(place.resource, thread=given.thread)
    return await harness.session(place.resource, new=not given.again)


def _title(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "(a file)")
    return line if len(line) <= TITLE else f"{line[:TITLE]}..."
