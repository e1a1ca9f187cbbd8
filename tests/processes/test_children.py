"""Children of a process that is killed: the done one is not run again, the others go on."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from longrein.core import events as e
from longrein.core.outcomes import Finished
from longrein.testing.crash.effects import Effects
from tests.processes.delegator import harness, states
from tests.processes.support import REPOSITORY
from tests.session.families import ends, results
from tests.session.kit import log, of, until
from tests.support import run


def _killed(folder: Path) -> None:
    """Have a process get three children into different states, and kill it there."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.processes.delegator", str(folder)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src")},
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # pyright: ignore[reportOptionalMemberAccess]


@pytest.mark.parametrize("resume", [True, False])
def test_three_children_in_different_states_survive_a_kill(tmp_path: Path, resume: bool) -> None:
    _killed(tmp_path)

    async def test() -> None:
        async with harness(str(tmp_path)) as host:
            session = await host.session("user", resume=resume)
            (approval,) = session.display.approvals
            assert states(session)["quick"] == "finished"
            assert (await session.approve(approval)).status == "applied"
            await until(lambda: session.folded.run is None)
            assert list(session.folded.outcomes.values()) == [Finished("All are back.")]
            assert results(session) == [
                "The one that asked.",
                "The one that lingered.",
                "The quick one.",
            ]
            assert ends(await log(session)) == ["finished"] * 3
            assert len(await of(session, e.ChildStarted)) == 3

    run(test())
    happened = Counter(effect.key for effect in Effects(f"{tmp_path}/effects").read())
    assert happened == {"asked": 1, "lingered": 2, "quick": 1}
