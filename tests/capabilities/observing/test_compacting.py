"""Notes in the place of messages: what leaves the prompt does so by compaction alone."""

from itertools import pairwise

from longrein.capabilities.observing.memory import ObservationalMemory
from longrein.context.estimate import estimate_messages
from longrein.core import events as e
from longrein.core.messages import Note
from longrein.core.outcomes import Finished
from longrein.core.usage import Limits, Usage
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.base import Request
from longrein.models.price import Price
from longrein.testing import Reply, call, reply, say
from longrein.testing.replies import CallPiece
from longrein.tools.define import tool
from tests.capabilities.kit import results
from tests.capabilities.observing.kit import Baker, facts, settled
from tests.session.kit import of
from tests.support import run


@tool(category="read", idempotent=True)
async def peek(at: str) -> str:
    """Look at something, briefly."""
    return f"{at}: " + "lorem ipsum dolor sit amet " * 14


class Counting(Baker):
    """A baker whose provider counts tokens, and who goes on whatever the window shows it."""

    def reply(self, request: Request) -> Reply:
        answer = super().reply(request)
        n = len(self.asked["agent"])
        if answer.pieces and isinstance(answer.pieces[0], CallPiece):
            answer = call("peek", at=f"loaf {n}")
        if request.tools and n > self.steps:
            answer = call("recall", observation="o1") if n == self.steps + 1 else say("done")
        used = Usage(input=500 + estimate_messages(request.messages), output=20)
        return reply(answer, usage=used)


def hosting(baker: Baker) -> Harness:
    memory = ObservationalMemory(observe_at=600, reflect_at=300)
    agent = Agent("baker", model=baker.model, tools=[peek], capabilities=[memory])
    prices = {"custom:ScriptedModel": Price(input=1, output=1, window=8_000)}
    return Harness(agent, environ={}, prices=prices, limits=Limits(steps=None))


def begins_with(request: Request, before: Request) -> bool:
    messages = list(before.messages)
    same = (request.system, request.tools) == (before.system, before.tools)
    return same and list(request.messages[: len(messages)]) == messages


def test_notes_stand_for_messages_at_an_epoch_and_are_no_summary() -> None:
    async def body() -> None:
        baker = Counting(120)
        async with hosting(baker) as host:
            session = await host.session("ada")
            assert await (await session.send("Bake.")) == Finished("done")
            await settled(session)
            compacted = await of(session, e.Compacted)
            assert compacted
            assert {one.how for one in compacted} == {"digest"}
            assert {one.purpose for one in await of(session, e.SideCallEnded)} == {
                "observer", "reflector",
            }  # fmt: skip
            assert "observing_failed" not in await facts(session)
            requests = baker.asked["agent"]
            changed = [
                after for before, after in pairwise(requests) if not begins_with(after, before)
            ]
            assert len(changed) == len(compacted)
            for request in changed:
                lead = "\n".join(one.text for one in request.messages if isinstance(one, Note))
                assert "Notes on the first" in lead
                assert "- [high] 14:05 The user asked for bread." in lead

    run(body())


def test_what_left_the_prompt_can_be_recalled_and_is_not_observed_again() -> None:
    async def body() -> None:
        baker = Counting(120)
        async with hosting(baker) as host:
            session = await host.session("ada")
            await (await session.send("Bake."))
            await settled(session)
            (told,) = [one for one in results(session) if one.startswith("ok: [1] user")]
            assert "loaf 1:" in told
            await (await session.send("And now?"))
            await settled(session)
            for request in baker.asked["observer"]:
                (asked,) = request.messages
                assert "Notes on the first" not in str(asked)

    run(body())
