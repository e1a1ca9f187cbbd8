"""Sessions in an application whose loop begins tasks at once."""

import asyncio
import sys

import pytest

from longrein.core.outcomes import Finished
from longrein.testing import say
from tests.session.kit import harness
from tests.support import run


@pytest.mark.skipif(sys.version_info < (3, 12), reason="no eager tasks before Python 3.12")
def test_a_session_works_where_tasks_begin_at_once() -> None:
    async def test() -> None:
        factory = getattr(asyncio, "eager_task_factory")  # noqa: B009  typed for 3.11
        asyncio.get_running_loop().set_task_factory(factory)
        async with harness([say("One."), say("Two.")]) as made:
            session = await made.session("tester")
            assert await (await session.send("Hi")) == Finished("One.")
            assert (await session.interrupt()).status == "stale"
            assert await (await session.send("And?")) == Finished("Two.")

    run(test())
