"""A reflector: notes that have grown long become shorter, or stay as they are."""

from collections.abc import Callable

import pytest

from longrein.capabilities.observing.memory import ObservationalMemory
from longrein.capabilities.observing.notes import OBSERVATIONS, Span
from longrein.core import events as e
from longrein.core.errors import Overloaded
from longrein.core.outcomes import Finished
from longrein.testing import Reply, broken, fail, pause, reply, say
from tests.capabilities.kit import failures
from tests.capabilities.observing.kit import NOTES, Baker, facts, hosting, reasons, settled
from tests.session.kit import of
from tests.support import run

SHORT = "- [high] 14:05 Bread.\nSTATE: Resting."
MEMORY = ObservationalMemory(observe_at=500, reflect_at=120, timeout=20)
IMPATIENT = ObservationalMemory(observe_at=500, reflect_at=120, timeout=1)
"""An observation of NOTES takes about 50 tokens: the third is one too many."""


def test_notes_that_grow_too_long_are_condensed_but_for_the_newest() -> None:
    async def body() -> None:
        baker = Baker(12, condensed=lambda: say(SHORT))
        async with hosting(baker, MEMORY) as host:
            session = await host.session("ada")
            assert await (await session.send("Bake.")) == Finished("done")
            known = await settled(session)
            condensed, newest = known.observations
            assert (condensed.id, newest.id) == ("r4", "o3")
            assert [span.id for span in condensed.of] == ["o1", "o2"]
            assert (condensed.start, condensed.end) == (0, newest.start)
            assert condensed.notes[0].text == "Bread."
            assert (await facts(session))[-2:] == ["observing", "reflected"]
            assert known.span("o1") == Span("o1", 0, condensed.of[0].end)
            purposes = [one.purpose for one in await of(session, e.SideCallEnded)]
            assert purposes == ["observer"] * 3 + ["reflector"]

    run(body())


def test_condensed_notes_are_condensed_again() -> None:
    async def body() -> None:
        baker = Baker(40, condensed=lambda: say(SHORT))
        async with hosting(baker, MEMORY) as host:
            session = await host.session("ada")
            await (await session.send("Bake."))
            known = await settled(session)
            assert len(baker.asked["reflector"]) > 2
            spans = known.observations[0].of
            assert [span.id[0] for span in spans] == ["o"] * len(spans)
            assert spans[0].start == 0
            assert spans[-1].end == known.observations[0].end
            assert known.tokens < 200

    run(body())


BAD: dict[str, Callable[[], Reply]] = {
    "fails": lambda: fail(Overloaded("busy")),
    "hangs": lambda: reply(pause(), say(SHORT)),
    "breaks off": lambda: reply(say(SHORT), broken()),
    "says nothing": lambda: say(""),
    "says something else": lambda: say("All good."),
    "does not shrink": lambda: say(NOTES + NOTES),
}


@pytest.mark.parametrize("how", BAD)
def test_notes_stay_as_they_are_with_a_reflector_that(how: str) -> None:
    async def body() -> None:
        baker = Baker(12, condensed=BAD[how])
        async with hosting(baker, IMPATIENT if how == "hangs" else MEMORY) as host:
            session = await host.session("ada")
            assert await (await session.send("Bake.")) == Finished("done")
            known = await settled(session)
            assert [one.id for one in known.observations] == ["o1", "o2", "o3"]
            assert len(await reasons(session)) == 1
            assert await failures(session) == []

    run(body())


def test_a_reflector_that_fails_is_asked_again_only_when_the_notes_have_grown() -> None:
    async def body() -> None:
        baker = Baker(40, condensed=BAD["fails"])
        async with hosting(baker, MEMORY) as host:
            session = await host.session("ada")
            await (await session.send("Bake."))
            known = await settled(session)
            grown, times = known.tokens / 120, 1
            while grown >= 1.25:
                grown, times = grown / 1.25, times + 1
            assert len(known.observations) > 8
            assert 2 <= len(baker.asked["reflector"]) <= times

    run(body())


def test_a_rewind_to_before_what_was_condensed_takes_all_of_it() -> None:
    async def body() -> None:
        baker = Baker(12, condensed=lambda: say(SHORT))
        async with hosting(baker, MEMORY) as host:
            session = await host.session("ada")
            await (await session.send("Bake."))
            assert (await settled(session)).observations[0].of
            await session.rewind(session.points()[0])
            assert session.read(OBSERVATIONS).observations == ()
            await session.undo()
            assert session.read(OBSERVATIONS).observations[0].of

    run(body())
