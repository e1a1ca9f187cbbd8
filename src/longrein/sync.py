"""One run for code that is not async."""

import asyncio
from contextlib import suppress

from longrein.core.errors import UsageError
from longrein.core.outcomes import Outcome
from longrein.core.typevars import T
from longrein.core.usage import Limits
from longrein.harness import Harness
from longrein.loop.agent import Agent


def run_sync(
    agent: Agent, text: str, *, output: type[T] | None = None, limits: Limits | None = None
) -> Outcome[T]:
    """The outcome of one run in a thread that is kept nowhere, for code that is not async.

    Where the run waits for a person that is its end, as nobody can answer any more: allow what it
    needs beforehand, or use a harness.

    Raises `UsageError` where an event loop runs already: use a harness and `await` there.

    >>> from longrein import Agent, run_sync
    >>> from longrein.testing import Script, ScriptedModel, say
    >>> run_sync(Agent("assistant", model=ScriptedModel(Script([say("Hello!")]))), "Hi")
    Finished(text='Hello!')
    """

    async def run() -> Outcome[T]:
        async with Harness(agent) as harness:
            session = await harness.session()
            return await (await session.send(text, output=output, limits=limits))

    with suppress(RuntimeError):
        asyncio.get_running_loop()
        raise UsageError("run_sync() is for code that is not async; use `await` here instead.")
    return asyncio.run(run())
