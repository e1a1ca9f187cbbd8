"""`longrein rewind`: go back to before an input, see what that would do, or take it back."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import aclosing

import msgspec

from longrein.cli import exits
from longrein.cli.placed import checked, in_quiet_place
from longrein.cli.terminal import DIM, Screen
from longrein.cli.threads import ago, named_or_last
from longrein.cli.workplace import Workplace
from longrein.core.commands import Answer
from longrein.core.errors import NotFound, UsageError
from longrein.core.events import Rewound
from longrein.core.restored import RestoreReport
from longrein.core.rewinds import RewindPoint
from longrein.core.words import counted
from longrein.session.session import Session

ELSEWHERE = "another process works on them; with --only conversation they stay as they are"


def _check(arguments: Namespace) -> None:
    if arguments.undo and arguments.point:
        raise UsageError("Either name a point to go back to, or take a rewind back, not both.")
    if arguments.undo and (arguments.preview or arguments.only):
        raise UsageError(
            "--undo takes back all that the rewind did; it has no --preview or --only."
        )


@checked(_check)
@in_quiet_place
async def rewind(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """Go back in a thread; without a point, list those that there are."""
    async with place.harness() as harness:
        session = await named_or_last(harness, place.resource, arguments.thread)
        if arguments.undo:
            return await _go(session, arguments, "", screen)
        if not arguments.point:
            return _list(session, arguments, screen)
        point = _chosen(session.points(), arguments.point)
        if arguments.preview:
            return await _preview(session, point, screen)
        return await _go(session, arguments, point, screen)


def _list(session: Session, arguments: Namespace, screen: Screen) -> int:
    found = session.points()
    for number, point in enumerate(found, 1):
        if arguments.json:
            data = {"number": number, **msgspec.to_builtins(point)}
            screen.out_json(data)
        else:
            changed = "  (files changed since)" if point.files_changed else ""
            screen.out(f"{number:4} {ago(point.time):>8}  {point.text or '(go on)'}{changed}\n")
    if not found:
        screen.say("Nothing was said in this thread that it could be rewound to.")
    elif not arguments.json:
        screen.say("To go back to before one of these: longrein rewind NUMBER", DIM)
    return exits.FINISHED


def _chosen(points: list[RewindPoint], given: str) -> str:
    """The id of a point that is given by its number in the list, or by an id."""
    if not given.isdecimal():
        return given
    if not 1 <= int(given) <= len(points):
        raise NotFound(f"There is no point {given}; longrein rewind lists those that there are.")
    return points[int(given) - 1].input


async def _preview(session: Session, point: str, screen: Screen) -> int:
    preview = await session.preview_rewind(point)
    screen.out(f"Back to before: {preview.point.text or '(go on)'}\n")
    screen.out(f"{counted(preview.messages, 'message')} would go.\n")
    screen.out(f"Files: {ELSEWHERE if preview.files is None else preview.files}.\n", hang=2)
    _tell(preview.files, screen)
    return exits.FINISHED


async def _go(session: Session, arguments: Namespace, point: str, screen: Screen) -> int:
    before, only = session.folded.seq, arguments.only
    again = arguments.undo and await _is_undone(session)
    try:
        if arguments.undo:
            answer = await session.undo(overwrite=arguments.overwrite)
        else:
            answer = await session.rewind(
                point,
                files=only != "conversation",
                conversation=only != "files",
                overwrite=arguments.overwrite,
            )
    except UsageError as error:
        raise UsageError(str(error).replace("files=False", "--only conversation")) from error
    if answer.status == "accepted":
        return exits.ACCEPTED
    await _done(session, answer, before, screen, again=again)
    return exits.FINISHED


async def _is_undone(session: Session) -> bool:
    """Whether the last rewind is taken back already, so that to undo is to rewind again."""
    undo, count = session.folded.undo, 0
    seq = undo.seq if undo else 0
    while seq:
        async with aclosing(session.events(seq - 1, only=Rewound)) as events:
            last = await anext(events)
        if not isinstance(last, Rewound) or not last.undo:
            break
        count, seq = count + 1, last.before
    return count % 2 == 1


async def _done(
    session: Session, answer: Answer, before: int, screen: Screen, *, again: bool
) -> None:
    if answer.status == "missing":
        raise NotFound(answer.message)
    if answer.status == "stale":
        raise UsageError(answer.message)
    async with aclosing(session.events(before, only=Rewound)) as events:
        rewound = await anext(events)
    if not isinstance(rewound, Rewound):
        return
    what = "Rewound again" if again else "The rewind is taken back" if rewound.undo else "Rewound"
    screen.say(f"{what}: {answer.message}." if rewound.files else f"{what}.", hang=2)
    _tell(rewound.report, screen)
    if again or not rewound.undo:
        screen.say("To take it back, before you say anything: longrein rewind --undo", DIM)


def _tell(report: RestoreReport | None, screen: Screen) -> None:
    for line in _lines(report) if report is not None else ():
        screen.out(f"  {line}\n", hang=9)


def _lines(report: RestoreReport) -> Iterator[str]:
    yield from (f"back     {path}" for path in report.restored)
    yield from (f"removed  {path}" for path in report.removed)
    yield from (f"kept     {one.path}: {one.reason} (--overwrite)" for one in report.foreign)
    yield from (f"stays    {one.path}: {one.reason}" for one in report.unrestorable)
