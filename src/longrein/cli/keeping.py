"""What becomes of a thread: `longrein rename`, `tag`, `fork` and `delete`."""

from argparse import Namespace
from collections.abc import Coroutine
from typing import Any

from longrein.cli import exits
from longrein.cli.terminal import Screen
from longrein.cli.workplace import Workplace, find_plain_workplace
from longrein.core.commands import Answer, Rename, Tag


def rename(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """`longrein rename`: give a thread a title."""
    return _rename(find_plain_workplace(screen), arguments)


async def _rename(place: Workplace, arguments: Namespace) -> int:
    async with place.harness() as harness:
        session = await harness.session(place.resource, thread=arguments.thread)
        return _code(await session.close_with(Rename(" ".join(arguments.title))))


def tag(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """`longrein tag`: give a thread tags, or take them away; says which it has then."""
    return _tag(find_plain_workplace(screen), arguments, screen)


async def _tag(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    async with place.harness() as harness:
        session = await harness.session(place.resource, thread=arguments.thread)
        has = session.folded.tags
        if arguments.remove:
            tags = [tag for tag in has if tag not in arguments.tag]
        else:
            tags = list(dict.fromkeys((*has, *arguments.tag)))
        answer = await session.close_with(Tag(tuple(tags)))
        screen.say(f"{session.thread}: {' '.join(f'#{tag}' for tag in tags) or 'no tags'}")
    return _code(answer)


def fork(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """`longrein fork`: a thread that goes its own way; prints its id."""
    return _fork(find_plain_workplace(screen), arguments, screen)


async def _fork(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    async with place.harness() as harness:
        session = await harness.fork(
            place.resource, arguments.thread, at=arguments.at, title=arguments.title
        )
        screen.out(f"{session.thread}\n")
    return exits.FINISHED


def delete(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """`longrein delete`: remove a thread for good."""
    return _delete(find_plain_workplace(screen), arguments, screen)


async def _delete(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    async with place.harness() as harness:
        await harness.delete(place.resource, arguments.thread)
    screen.say(f"{arguments.thread} is gone.")
    return exits.FINISHED


def _code(answer: Answer) -> int:
    return exits.ACCEPTED if answer.status == "accepted" else exits.FINISHED
