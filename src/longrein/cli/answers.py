"""`longrein approve`, `decline`, `replace` and `answer`: what a run waits for, from anywhere."""

from argparse import Namespace
from collections.abc import Coroutine
from typing import Any

from longrein.cli import exits
from longrein.cli.attend import asked_under, command_id
from longrein.cli.run import configure, read_prompt, seat_for, see_through
from longrein.cli.terminal import DIM, Screen
from longrein.cli.watch import mark
from longrein.cli.workplace import Workplace, find_workplace
from longrein.client.telling import APPROVE, PLAN
from longrein.core import commands as c
from longrein.core.commands import Answer, Decision
from longrein.core.errors import NotFound, UsageError
from longrein.core.policy import Scope
from longrein.core.records import Question
from longrein.harness import Harness
from longrein.session.alive import living_owner
from longrein.session.session import Session
from longrein.storage.base import Posted

ATTEMPTS = 4
"""So often an answer is offered to an owner that does not react: longer than a lease lives."""

PAGE = 100

CODES = {
    "applied": exits.FINISHED,
    "already": exits.FINISHED,
    "stale": exits.STALE,
    "missing": exits.MISSING,
    "accepted": exits.ACCEPTED,
}


def approve(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """`longrein approve`: let a call run."""
    scope: Scope = "resource" if arguments.scope == "project" else arguments.scope
    decision = c.Approve(arguments.id, arguments.edit, arguments.always, scope, id=command_id())
    return _settle(find_workplace(arguments, screen), arguments, screen, decision)


def decline(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """`longrein decline`: say no."""
    decision = c.Decline(arguments.id, arguments.reason, arguments.stop, id=command_id())
    return _settle(find_workplace(arguments, screen), arguments, screen, decision)


def replace(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """`longrein replace`: answer in the tool's place."""
    decision = c.Replace(arguments.id, " ".join(arguments.result), id=command_id())
    return _settle(find_workplace(arguments, screen), arguments, screen, decision)


def answer(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """`longrein answer`: answer a question, or decide on a plan."""
    given = [read_prompt(arguments.value).strip()] if arguments.edited else arguments.value
    value = given[0] if len(given) == 1 else tuple(given)
    decision = c.AnswerQuestion(arguments.id, value, arguments.edited, id=command_id())
    return _settle(find_workplace(arguments, screen), arguments, screen, decision)


async def _settle(
    place: Workplace, arguments: Namespace, screen: Screen, decision: Decision
) -> int:
    """Bring a decision to its thread; where this process can, go on with the run."""
    async with place.harness() as harness:
        session = await _find(harness, place, arguments.id, arguments.thread)
        _check_plan(session, decision)
        if arguments.no_wait and await living_owner(harness.store, session.thread) is None:
            given = await _leave(harness, session, decision, arguments.id)
            return _report(screen, given, session.thread, place.brought)
        takes_over = await place.can_take_over(harness, session, arguments.model)
        await configure(session, place, arguments)
        before, asked = mark(session), asked_under(session, arguments.id)
        given = await _offer(session, decision, screen)
        if given.status != "applied" or arguments.no_wait:
            return _report(screen, given, session.thread, place.brought)
        id, waits = given.run, session.folded.run
        if asked is not None and asked.path:
            # What a child asked belongs to its own run; the one that waits for it, if any, goes on.
            id = waits.id if waits else ""
        seat = seat_for(harness, session, place, arguments, screen, id, takes_over=takes_over)
        code = await see_through(seat, [session.run(id)] if id else [], before)
    stopped = isinstance(decision, c.Decline) and decision.stop
    return exits.FINISHED if stopped and code == exits.INTERRUPTED else code


def _check_plan(session: Session, decision: Decision) -> None:
    """Raise `UsageError` for what decides on no plan: nothing but a yes may pass for one."""
    if not isinstance(decision, c.AnswerQuestion):
        return
    id = decision.question
    asked = asked_under(session, id)
    if not isinstance(asked, Question):
        return
    if asked.kind != PLAN and decision.plan:
        raise UsageError(f"{id} is a question, not a plan: answer it without --edited.")
    if asked.kind == PLAN and (not decision.value if decision.plan else decision.value != APPROVE):
        raise UsageError(
            f"{id} is a plan. To say yes: longrein answer {id} {APPROVE}, or with the plan as it "
            f"should be: longrein answer {id} --edited TEXT. To say no: longrein decline {id} "
            "--reason TEXT"
        )


async def _offer(session: Session, decision: Decision, screen: Screen) -> Answer:
    for attempt in range(ATTEMPTS):
        given = await session.submit(decision)
        if given.status != "accepted":
            return given
        if attempt == 0:
            screen.say("The process that owns the thread does not react; waiting for it.", DIM)
    return Answer("accepted")


async def _leave(harness: Harness, session: Session, decision: Decision, id: str) -> Answer:
    """Keep a decision for whoever goes on with the thread; applied here it would start the tool."""
    asked = asked_under(session, id)
    if asked is None:
        return Answer("stale" if session.settled(id) else "missing")
    thread = asked.path[-1] if asked.path else session.thread
    await harness.store.post(Posted(decision.id, thread, c.encode(decision)))
    return Answer("accepted")


def _report(screen: Screen, given: Answer, thread: str, brought: str) -> int:
    """Say what became of an answer; the exit code for it."""
    said = {
        "applied": "applied",
        "already": "already applied",
        "stale": "stale: it was settled already",
        "missing": "missing: nothing waits under this id",
        "accepted": "accepted: kept, and applied when the thread goes on "
        f"(longrein resume {thread}{brought})",
    }
    screen.say(said[given.status])
    return CODES[given.status]


async def _find(harness: Harness, place: Workplace, id: str, thread: str | None) -> Session:
    """The session in which `id` waits, or once waited. Raises `NotFound`."""
    if thread:
        return await harness.session(place.resource, thread=thread)
    after = None
    while page := await harness.threads(place.resource, after=after, limit=PAGE):
        for row in page:
            session = await harness.session(place.resource, thread=row.id)
            if asked_under(session, id) is not None or session.settled(id):
                return session
            await session.close()
        after = page[-1]
    raise NotFound(f"Nothing waits under {id} in {place.resource}. See `longrein threads`.")
