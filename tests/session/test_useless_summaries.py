"""Summaries that are of no use: one attempt, no loop, and the session goes on."""

from collections.abc import Callable

import pytest

from longrein.context.summary import Compaction, SummaryTask
from longrein.core import events as e
from longrein.core.errors import Overloaded
from longrein.core.lead import LEFT_OUT
from longrein.core.outcomes import Finished
from longrein.models.base import Request
from longrein.session.session import Session
from longrein.testing import Reply, call, fail, pause, reply, say
from tests.session.crowded import Looker, crowded
from tests.session.kit import of, with_session


def _the_input(request: Request) -> Reply:
    return reply(say("\n".join(message.text for message in request.messages)), usage=None)


def _breaks(request: Request) -> Reply:
    raise LookupError("nothing")


USELESS: dict[str, Callable[[Request], Reply]] = {
    "returns the input": _the_input,
    "returns nothing": lambda request: reply(usage=None),
    "raises": lambda request: fail(Overloaded("busy")),
    "hangs": lambda request: reply(pause(), usage=None),
    "returns calls": lambda request: reply(call("look", path="/x"), usage=None),
    "returns garbage": lambda request: reply(say("\x00\ud800x" * 300_000, size=0), usage=None),
    "breaks": _breaks,
}


@pytest.mark.parametrize("writer", USELESS.values(), ids=USELESS.keys())
def test_a_useless_summary_is_tried_once_and_the_oldest_steps_are_left_out(
    writer: Callable[[Request], Reply],
) -> None:
    model = Looker(60, writer)

    async def body(session: Session) -> None:
        assert await (await session.send("Look at all of it.")) == Finished("All is looked at.")
        assert len(model.summaries) == 1, "at most one extra call"
        (failed,) = await of(session, e.CompactionFailed)
        assert failed.problem.message.startswith("No summary could be made")
        assert "left_out" in {one.how for one in await of(session, e.Compacted)}
        assert LEFT_OUT in "".join(message.text for message in model.requests[-1].messages)
        assert session.display.warnings

        assert await (await session.send("Again.")) == Finished("All is looked at.")
        assert len(model.summaries) <= 2, "once more for what was said since"

    with_session(crowded(model, compaction=Compaction(timeout=0.3)), body)


class _Odd:
    def __init__(self, made: object) -> None:
        self._made = made

    async def summarise(self, task: SummaryTask) -> str:
        if isinstance(self._made, Exception):
            raise self._made
        return self._made  # type: ignore[return-value]


@pytest.mark.parametrize("made", [None, 7, b"text", " \n", RuntimeError("no"), MemoryError()])
def test_a_summariser_of_the_application_may_fail_in_any_way(made: object) -> None:
    model = Looker(60)

    async def body(session: Session) -> None:
        assert await (await session.send("Look at all of it.")) == Finished("All is looked at.")
        assert len(await of(session, e.CompactionFailed)) == 1

    with_session(crowded(model, compaction=Compaction(summariser=_Odd(made))), body)
