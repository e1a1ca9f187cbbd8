"""The prompts of long work: what begins anew, and what a provider can take from its cache."""

import asyncio
from pathlib import Path

import pytest

from bench.cache import STEPS, long_work, uncached


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    return asyncio.run(long_work(Path(tmp_path_factory.mktemp("work"))))


def test_only_other_tools_begin_the_prompt_anew(prompts: list[bytes]) -> None:
    assert len(prompts) == STEPS
    anew = [n for n in range(1, STEPS) if not prompts[n].startswith(prompts[n - 1])]
    # The switch to the mode that shows all tools, before the ninth input.
    assert anew == [80]


def test_what_changed_meanwhile_is_told_once_and_at_the_next_step(prompts: list[bytes]) -> None:
    for step, told in ((20, b"Look twice."), (40, b"in one line."), (60, b"release-notes")):
        assert told not in prompts[step - 1]
        assert prompts[step].count(told) == 1
        assert prompts[79].count(told) == 1


def test_an_epoch_puts_what_changed_into_the_system_text(prompts: list[bytes]) -> None:
    system = prompts[80].splitlines()[1]
    assert b"in one line." in system
    assert b"release-notes" in system


def test_nearly_all_of_the_prompts_can_come_from_a_cache(prompts: list[bytes]) -> None:
    assert uncached(prompts) < 0.05
