"""Notes of a capability that stand for the beginning of a thread."""

from collections.abc import Mapping

from longrein.capabilities.base import Capability
from longrein.core import events as e
from longrein.core.outcomes import Finished
from longrein.core.state import Kept
from longrein.core.usage import Limits
from longrein.core.window import Digest
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.price import Price
from longrein.session.session import Session
from longrein.testing import ScriptedModel
from longrein.tools.define import tool
from tests.session.crowded import Looker
from tests.session.kit import of, with_session

NOTES = "Files 1 to 5 are all about bread."


@tool(category="read")
async def look(path: str) -> str:
    """Look at a file."""
    return f"{path}: bread, {path}, and butter. " * 8


class Noting(Capability):
    """Notes that reach far."""

    def digest(self, slices: Mapping[str, Kept]) -> Digest | None:
        return Digest(NOTES, upto=10_000)

    def keeps(self, slices: Mapping[str, Kept]) -> str:
        return "Butter is kept."


class Broken(Capability):
    """Notes that cannot be had."""

    def digest(self, slices: Mapping[str, Kept]) -> Digest | None:
        raise LookupError("no notes")

    def keeps(self, slices: Mapping[str, Kept]) -> str:
        raise LookupError("nothing kept")


def _harness(model: Looker, *capabilities: Capability) -> Harness:
    agent = Agent("t", model=ScriptedModel(model), tools=[look], capabilities=capabilities)
    prices = {"custom:ScriptedModel": Price("1", "2", window=8_000)}
    return Harness(agent, prices=prices, limits=Limits(steps=None), environ={})


def test_notes_are_taken_instead_of_a_summary() -> None:
    model = Looker(60)

    async def body(session: Session) -> None:
        assert await (await session.send("Look.")) == Finished("All is looked at.")
        assert {one.how for one in await of(session, e.Compacted)} == {"digest"}
        assert not model.summaries
        said = [message.text for message in model.requests[-1].messages]
        assert any(NOTES in text for text in said)
        assert "Butter is kept." in said

    with_session(_harness(model, Noting()), body)


def test_a_capability_that_fails_does_not_keep_requests_from_becoming_shorter() -> None:
    model = Looker(60)

    async def body(session: Session) -> None:
        assert await (await session.send("Look.")) == Finished("All is looked at.")
        assert {one.how for one in await of(session, e.Compacted)} == {"summary"}

    with_session(_harness(model, Broken()), body)
