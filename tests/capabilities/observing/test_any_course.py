"""Whatever happens to a thread, its notes are about its own messages, from the first on."""

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from longrein.capabilities.observing.memory import ObservationalMemory
from longrein.capabilities.observing.notes import OBSERVATIONS
from longrein.core.errors import Overloaded
from longrein.core.messages import ToolResult
from longrein.session.session import Session
from longrein.testing import Reply, fail, pause, reply, say
from tests.capabilities.kit import failures
from tests.capabilities.observing.kit import NOTES, Baker, hosting, settled
from tests.session.kit import said
from tests.support import run

ANSWERS: list[Callable[[], Reply]] = [
    lambda: say(NOTES),
    lambda: say(NOTES),
    lambda: reply(pause(0.005), say(NOTES)),
    lambda: fail(Overloaded("busy")),
    lambda: say("nothing of use"),
]


def check(session: Session) -> None:
    """Notes begin with the first message, join on, and end between two steps that there are."""
    known, messages = session.read(OBSERVATIONS), said(session)
    assert known.upto < max(len(messages), 1)
    if known.observations:
        assert known.observations[0].start == 0
        assert not isinstance(messages[known.upto], ToolResult)
    for one, other in pairwise(known.observations):
        assert one.end == other.start
    spans = [span for one in known.observations for span in one.spans]
    assert all(one.end == other.start for one, other in pairwise(spans))
    assert len({one.id for one in spans}) == len(spans)


@pytest.mark.parametrize("seed", range(3))
def test_notes_are_about_what_was_said(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    store = f"sqlite:{tmp_path / 'a.db'}"
    memory = ObservationalMemory(observe_at=400, reflect_at=120)

    async def act(session: Session, baker: Baker) -> None:
        points = session.points()
        what = chance.choice(["send", "send", "send", "rewind", "undo"])
        if what == "rewind" and points:
            await session.rewind(chance.choice(points[:3]))
        elif what == "undo" and session.folded.undo is not None:
            await session.undo()
        else:
            baker.steps = chance.randrange(1, 7)
            await (await session.send("Bake."))
        if chance.random() < 0.6:
            await settled(session)
        check(session)

    async def body() -> None:
        for _ in range(4):
            pick: Callable[[], Reply] = lambda: chance.choice(ANSWERS)()  # noqa: E731
            baker = Baker(notes=pick, condensed=pick)
            async with hosting(baker, memory, store=store) as host:
                session = await host.session("ada")
                check(session)
                for _ in range(6):
                    await act(session, baker)
                assert await failures(session) == []

    run(body())
