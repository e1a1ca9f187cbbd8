"""Esc stops whatever is under way, a compaction as well."""

from collections.abc import Callable
from pathlib import Path

from longrein.client.local import LocalClient
from longrein.client.port import ThreadClient
from longrein.core import commands as c
from longrein.models.base import Request
from longrein.testing import Reply, pause, reply, say
from tests.session.crowded import asks_for_summary
from tests.support import run
from tests.tui.apps import using
from tests.tui.kit import client
from tests.tui.working import settled, talked

LONG = "word " * 4_000


def answers(summary: Reply) -> Callable[[Request], Reply]:
    return lambda request: summary if asks_for_summary(request) else say(LONG)


async def crowded(made: LocalClient) -> ThreadClient:
    """A thread in which there is much to summarise."""
    return await talked(made, "One", "Two", "Three")


def test_esc_stops_a_compaction(tmp_path: Path) -> None:
    async def main() -> None:
        never = reply(pause(), say("never"))
        async with client(answers(never), tmp_path) as made:
            thread = await crowded(made)
            async with using(made, thread=thread.thread) as person:
                await person.types("/compact", "enter")
                await person.sees("compacting")
                await person.presses("escape")
                await person.misses("compacting")
                assert person.app.stage.desk.thread.display.activity == "idle"

    run(main())


def test_esc_ends_a_compaction_that_was_left_in_the_middle(tmp_path: Path) -> None:
    async def main() -> None:
        store = f"sqlite:{tmp_path / 'app.db'}"
        never = reply(pause(), say("never"))
        async with client(answers(never), tmp_path, store=store) as made:
            thread = await crowded(made)
            await thread.submit(c.Compact(""))
            await settled(thread, lambda shown: shown.compacting)
            await thread.say("queue", "Later")
        async with (
            client(answers(never), tmp_path, store=store) as made,
            using(made, thread=thread.thread) as person,
        ):
            await person.sees("Esc ends it")
            await person.presses("escape")
            await person.misses("Esc ends it")
            await person.sees("held")

    run(main())
