"""A process that is killed while its observer works: nothing is lost, nothing is told twice."""

import os
import subprocess
import sys
from pathlib import Path

from longrein.core import events as e
from longrein.core.outcomes import Finished
from tests.capabilities.observing.crashing import harness
from tests.capabilities.observing.kit import Baker, facts, settled
from tests.session.kit import of
from tests.support import run

REPOSITORY = Path(__file__).parents[3]


def killed(store: str) -> None:
    """Let another process begin to observe, and kill it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.capabilities.observing.crashing", store],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src")},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    with process.stdout as said:
        assert said.readline() == b"ready\n"
        process.kill()
        process.wait()


def test_after_a_kill_the_run_goes_on_and_the_range_is_observed_once(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    killed(store)

    async def body() -> None:
        baker = Baker(8)
        async with harness(baker, store) as host:
            session = await host.session("ada")
            assert await facts(session) == ["observing"]
            (started,) = await of(session, e.RunStarted)
            await session.resume()
            assert await session.run(started.run) == Finished("done")
            known = await settled(session)
            assert known.observations[0].start == 0
            assert await facts(session) == ["observing", "observing", "observed"]
            assert len(known.observations) == 1
            assert len(baker.asked["observer"]) == 1

    run(body())
