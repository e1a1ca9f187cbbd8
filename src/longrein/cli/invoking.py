"""`longrein invoke`: the commands that capabilities bring for people, by name."""

from argparse import Namespace
from collections.abc import Coroutine
from typing import Any

from longrein.cli import exits
from longrein.cli.run import configure, seat_for, see_through
from longrein.cli.terminal import Screen
from longrein.cli.threads import named_or_last
from longrein.cli.watch import mark
from longrein.cli.workplace import Workplace, find_workplace
from longrein.harness import open_store
from longrein.session.session import Session


def invoke(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """Carry out a command and say what it says; without a name, list those there are."""
    place = find_workplace(arguments, screen)
    return _invoke(place, arguments, screen) if arguments.name else _list(place, screen)


async def _invoke(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    async with place.harness() as harness:
        session = await named_or_last(harness, place.resource, arguments.thread)
        takes_over = await place.can_take_over(harness, session, arguments.model)
        await configure(session, place, arguments)
        before, known = mark(session), set(_runs(session))
        with place.saying_where_prices_go():
            said = await session.invoke(arguments.name, " ".join(arguments.arguments))
        if said:
            screen.out(f"{said}\n") if arguments.output == "text" else screen.say(said)
        begun = [id for id in _runs(session) if id not in known]
        if not begun:
            return exits.FINISHED
        seat = seat_for(
            harness, session, place, arguments, screen, begun[-1], takes_over=takes_over
        )
        return await see_through(seat, [session.run(begun[-1])], before)


async def _list(place: Workplace, screen: Screen) -> int:
    """They are the same in every thread; there may be none yet, and none is to be left."""
    async with place.harness_on(open_store("memory")) as harness:
        for command in (await harness.session(place.resource)).commands:
            hint = f" {command.hint}" if command.hint else ""
            screen.out(f"/{command.name}{hint}  {command.description}\n")
    return exits.FINISHED


def _runs(session: Session) -> list[str]:
    """Every run of the thread: those that ended, the open one, those that wait for their turn."""
    state = session.folded
    open_run = [state.run.id] if state.run else []
    return [*state.outcomes, *open_run, *(waiting.run for waiting in state.queue)]
