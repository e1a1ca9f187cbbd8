"""What becomes of a thread: `longrein rename`, `tag`, `fork` and `delete`."""

from argparse import Namespace

from longrein.cli import exits
from longrein.cli.placed import in_plain_place
from longrein.cli.terminal import Screen
from longrein.cli.workplace import Workplace
from longrein.core.commands import Answer, Rename, Tag


@in_plain_place
async def rename(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """`longrein rename`: give a thread a title."""
    async with place.harness() as harness:
        session = await harness.session(place.resource, thread=arguments.thread)
        return _code(await session.close_with(Rename(" ".join(arguments.title))))


@in_plain_place
async def tag(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """`longrein tag`: give a thread tags, or take them away; says which it has then."""
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


@in_plain_place
async def fork(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """`longrein fork`: a thread that goes its own way; prints its id."""
    async with place.harness() as harness:
        session = await harness.fork(
            place.resource, arguments.thread, at=arguments.at, title=arguments.title
        )
        screen.out(f"{session.thread}\n")
    return exits.FINISHED


@in_plain_place
async def delete(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """`longrein delete`: remove a thread for good."""
    async with place.harness() as harness:
        await harness.delete(place.resource, arguments.thread)
    screen.say(f"{arguments.thread} is gone.")
    return exits.FINISHED


def _code(answer: Answer) -> int:
    return exits.ACCEPTED if answer.status == "accepted" else exits.FINISHED
