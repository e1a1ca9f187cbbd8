"""`longrein resume`: go on with what is open in a thread, or after a failure or a limit."""

from argparse import Namespace

from longrein.cli import exits
from longrein.cli.placed import in_place
from longrein.cli.run import configure, seat_for, see_through
from longrein.cli.terminal import Screen
from longrein.cli.threads import named_or_last
from longrein.cli.watch import mark
from longrein.cli.workplace import Workplace
from longrein.core.outcomes import Finished
from longrein.core.state import State
from longrein.session.handle import Run
from longrein.session.session import Session


@in_place
async def resume(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """Go on with the open run; else with the held queue; else after what stopped the last run; in
    any case with children that have not ended."""
    async with place.harness() as harness:
        session = await named_or_last(harness, place.resource, arguments.thread)
        if not _something_open(session.folded):
            thread = session.thread
            screen.say(
                f"Nothing is open in {thread}. Say something: longrein run --thread {thread} TEXT"
            )
            return exits.FINISHED
        takes_over = await place.can_take_over(harness, session, arguments.model)
        await configure(session, place, arguments)
        before = mark(session)
        with place.saying_where_prices_go():
            runs = await _go_on(session)
        id = runs[0].id if runs else ""
        seat = seat_for(harness, session, place, arguments, screen, id, takes_over=takes_over)
        return await see_through(seat, runs, before)


def _something_open(state: State) -> bool:
    if state.run is not None or state.queue or any(child.open for child in state.children):
        return True
    return bool(state.outcomes) and not _finished(state)


def _finished(state: State) -> bool:
    """Whether the last run ended with an answer."""
    return isinstance(list(state.outcomes.values())[-1], Finished)


async def _go_on(session: Session) -> list[Run]:
    """The run that goes on; none where only children do."""
    state = session.folded
    if state.run is not None:
        await session.resume()
        return [session.run(state.run.id)]
    if state.queue:
        first = state.queue[0].run
        await session.release()
        return [session.run(first)]
    if _finished(state):
        await session.resume()
        return []
    return [await session.proceed()]
