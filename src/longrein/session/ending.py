"""What does not end by itself: it has some time, then its end is written or told for it."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from longrein.capabilities.base import Capability
from longrein.core import events as e
from longrein.core.messages import Reasoning, Text
from longrein.core.outcomes import Problem
from longrein.core.state import State
from longrein.session.spawning import spawn

LONGEST = 10.0
"""Seconds that a capability has to end what it began."""

GIVEN_UP = "This call was given up: it did not end when told to, and may still be running."
NO_SUMMARY = "No summary could be made: it did not end when told to, or without a word."
BROKE_OFF = "The model call ended without an answer and without an error; this is a defect."


class Opened:
    """The capabilities that were made for one session."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: list[Capability] = []

    def add(self, one: Capability) -> None:
        """Have one closed with the others."""
        self._open.append(one)

    async def close(self) -> list[str]:
        """Close each, once, the last one first; gives what went wrong, in words for people."""
        problems: list[str] = []
        while self._open:
            one = self._open.pop()
            problems.append(await _in_time(one.name, one.close()))
        return [problem for problem in problems if problem]


async def stop_since(every: Iterable[Capability], thread: str, since: int) -> list[str]:
    """End what capabilities run in the background since an event; gives what went wrong."""
    working = [one for one in every if type(one).stop_since is not Capability.stop_since]
    ending = (_in_time(one.name, one.stop_since(thread, since)) for one in working)
    return [problem for problem in await asyncio.gather(*ending) if problem]


async def _in_time(name: str, ending: Coroutine[Any, Any, None]) -> str:
    task = spawn(ending)
    try:
        # Not a timeout, which would wait for whatever does not listen to being cancelled.
        done, _ = await asyncio.wait([task], timeout=LONGEST)
    finally:
        task.cancel()
        task.add_done_callback(_error_of)
    if not done:
        return f"{name} did not end what it had begun within {LONGEST:g} s."
    error = _error_of(task)
    return f"{name} failed to end what it had begun: {error}" if error else ""


def _error_of(task: "asyncio.Task[None]") -> str:
    if task.cancelled():
        return "it was cancelled"
    error = task.exception()
    return f"{type(error).__name__}: {error}" if error else ""


def given_up(
    state: State, id: str, spoken: tuple[Text | Reasoning, ...], output: str
) -> list[e.Event]:
    """The end of a call or a step that does not end when told to, or is gone without a word."""
    call, step, run = state.call(id), state.step, state.run
    if call is not None and call.phase == "started":
        text = f"{GIVEN_UP} Its output so far:\n{output}" if output else GIVEN_UP
        return [e.ToolEnded(id, "interrupted", (Text(text),))]
    if state.compaction is not None and state.compaction.id == id:
        return [e.CompactionFailed(id, Problem("compaction", NO_SUMMARY))]
    if step is None or step.id != id or step.phase != "model":
        return []
    if (run and run.stop) or any(i.kind == "steer" for i in state.queue):
        return [e.StepInterrupted(id, spoken, "given up")]
    # Nobody stopped it: the same again would end the same way, so the run ends.
    return [e.StepFailed(id, Problem("internal", BROKE_OFF))]
