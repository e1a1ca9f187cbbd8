"""Money that another harness on the same store spends."""

from pathlib import Path

from longrein.core.usage import Spent
from longrein.harness import Harness
from longrein.loop.setup import Budgets
from longrein.storage.sqlite import SqliteStore
from longrein.testing import ScriptedModel
from tests.session.kit import harness, until
from tests.session.test_budgets import PRICES, WHOLE, greedy, limit
from tests.session.tools import read
from tests.support import run


class Watched(SqliteStore):
    """Counts how often somebody looked at what was spent."""

    looks = 0

    async def spent(self, resource: str) -> Spent:
        found = await super().spent(resource)
        self.looks += 1
        return found


def test_what_another_harness_spends_counts_here_too(tmp_path: Path) -> None:
    path = tmp_path / "money.db"
    store = Watched(path)

    def made(store: str | SqliteStore) -> Harness:
        model, whole = ScriptedModel(greedy), Budgets(resource=WHOLE)
        return harness(model, read, prices=PRICES, budgets=whole, store=store)

    async def test() -> None:
        async with made(f"sqlite:{path}") as one, made(store) as two:
            here, there = await one.session("ada", "here"), await two.session("ada", "there")
            await there.rename("ready")
            await (await here.send("go"))
            # Each change is looked at there. The first look may have begun too early; the third
            # begins when the second is done.
            for title in ("first", "second", "third"):
                before = store.looks
                await here.rename(title)
                await until(lambda seen=before: store.looks > seen)
            assert limit(await (await there.send("go"))) == "cost"
            assert there.folded.spent.cost + here.folded.spent.cost <= WHOLE
        await store.close()

    run(test())
