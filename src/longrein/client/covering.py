"""What else runs by a yes that is remembered: other calls that waited, and that it covers."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from msgspec.structs import replace

from longrein.core.codec import decode_event
from longrein.core.commands import Answer, Approve
from longrein.core.errors import LongreinError
from longrein.core.events import ApprovalAnswered, GrantAdded
from longrein.core.words import counted
from longrein.session.session import Session
from longrein.storage.base import Store

LOOKS, LOOK_EVERY = 25, 0.02
"""How often, and after how many seconds again, to look what threads made of a new grant: they hear
of it in their own time."""


async def approve_for_long(session: Session, store: Store, command: Approve) -> Answer:
    """Say a yes that is remembered; the answer tells how many other calls run by it."""
    shown = session.display
    waits = {one.id: one.path[-1] if one.path else shown.thread for one in shown.approvals}
    asked_in = waits.pop(command.approval, shown.thread)
    heads: dict[str, int] = {}
    # The yes is said, whatever becomes of telling this.
    with suppress(LongreinError):
        threads = {shown.thread, asked_in, *waits.values()} if waits else ()
        heads = {thread: await store.head(thread) for thread in threads}
    answer = await session.submit(command)
    if answer.status == "applied" and heads:
        with suppress(LongreinError):
            running = set[str]()
            for _ in range(LOOKS):
                running, answered = await _settled(store, heads, command)
                waiting = {thread for id, thread in waits.items() if id not in answered}
                # Where it was asked, all that the yes covers is settled together with it, unless
                # it is for every thread.
                if not waiting or (waiting == {asked_in} and command.scope != "resource"):
                    break
                await asyncio.sleep(LOOK_EVERY)
            return replace(answer, message=_words(len(running & waits.keys())))
    return answer


async def _settled(
    store: Store, heads: Mapping[str, int], command: Approve
) -> tuple[set[str], set[str]]:
    """The approvals that run by what the yes made, and all that were answered since."""
    events = [
        decode_event(stored.data)
        for thread, head in heads.items()
        for stored in await store.read(thread, head)
    ]
    causes = (command.id, f"{command.id}/grants")  # the latter if it was asked below
    made = {
        event.grant.id
        for event in events
        if isinstance(event, GrantAdded) and event.cause in causes
    }
    answers = [event for event in events if isinstance(event, ApprovalAnswered)]
    running = {
        one.approval
        for one in answers
        if one.decision == "approved" and not made.isdisjoint(one.rule.split(", "))
    }
    return running, {one.approval for one in answers}


def _words(others: int) -> str:
    if not others:
        return ""
    now = "it runs now" if others == 1 else "they run now"
    return f"This also covers {counted(others, 'other call')} that waited: {now}."
