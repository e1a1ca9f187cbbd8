"""A model that spoils another one's answers, at random and yet the same for the same seed."""

import asyncio
import random
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Literal, TypeAlias, get_args

from longrein.core.errors import ModelError, Network, Overloaded, RateLimited, UsageError
from longrein.models.base import CallDelta, Delta, Model, Request, Stopped, TextDelta

Fault: TypeAlias = Literal[
    "reset",
    "broken",
    "storm",
    "storm_with_hint",
    "overloaded",
    "malformed",
    "equal_ids",
    "empty_ids",
    "empty",
    "cut",
    "unknown_tool",
    "huge",
    "surrogate",
    "slow",
]
FAULTS: tuple[Fault, ...] = get_args(Fault)
"""All that can go wrong."""


class ChaosModel:
    """Another model, whose answers go wrong at these rates, at most one fault per call.

    `rates` gives each fault its share of all calls; left out, each has 3 %. The n-th call has the
    same fault for the same seed, whatever is asked. A storm refuses the next three calls as well.
    `happened` holds the newest faults. Raises `UsageError` for rates that cannot be.

    >>> from longrein.testing import Script, ScriptedModel, say
    >>> model = ChaosModel(ScriptedModel(Script([say("Hello")])), seed=1, rates={"cut": 0.5})
    """

    def __init__(self, inner: Model, seed: int, rates: Mapping[Fault, float] | None = None) -> None:
        chosen = dict.fromkeys(FAULTS, 0.03) if rates is None else dict(rates)
        if set(chosen) - set(FAULTS) or min(chosen.values(), default=0) < 0:
            raise UsageError(f"Rates are shares of {', '.join(FAULTS)}.")
        if sum(chosen.values()) > 1:
            raise UsageError("The rates add up to more than 1.")
        self.happened: deque[Fault] = deque(maxlen=1000)
        self._inner = inner
        self._random = random.Random(seed)
        self._rates = chosen
        self._storm: Fault | None = None
        self._storm_left = 0

    @property
    def wire(self) -> str:
        return self._inner.wire

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        fault = self._next_fault()
        refusal = None if fault is None else _refusal(fault)
        if refusal is not None:
            raise refusal
        spoil = _Spoiler(fault, self._random.randrange(1, 4))
        async with aclosing(self._inner.stream(request)) as inner:
            async for delta in inner:
                if fault == "slow":
                    await asyncio.sleep(0.01)
                for spoiled in spoil(delta):
                    yield spoiled
                if spoil.over:
                    return

    async def close(self) -> None:
        await self._inner.close()

    def _next_fault(self) -> Fault | None:
        if self._storm_left:
            self._storm_left -= 1
            fault = self._storm
        else:
            fault = self._rolled()
            if fault in ("storm", "storm_with_hint"):
                self._storm, self._storm_left = fault, 3
        if fault is not None:
            self.happened.append(fault)
        return fault

    def _rolled(self) -> Fault | None:
        roll = self._random.random()
        for fault, rate in self._rates.items():
            if roll < rate:
                return fault
            roll -= rate
        return None


def _refusal(fault: Fault) -> ModelError | None:
    match fault:
        case "reset":
            return Network("Connection reset")
        case "storm":
            return RateLimited("Too many requests", status=429)
        case "storm_with_hint":
            return RateLimited("Too many requests", status=429, retry_after=0.01)
        case "overloaded":
            return Overloaded("Overloaded", status=529)
        case _:
            return None


class _Spoiler:
    """One fault, applied to the deltas of one answer; `over` once nothing may follow."""

    def __init__(self, fault: Fault | None, after: int) -> None:
        self.over = False
        self._fault = fault
        self._left = after
        self._swollen: set[int] = set()

    def __call__(self, delta: Delta) -> tuple[Delta, ...]:
        match self._fault:
            case "broken" | "cut":
                return self._ended(delta)
            case "empty":
                return (Stopped("end", delta.usage),) if isinstance(delta, Stopped) else ()
            case "surrogate" if isinstance(delta, TextDelta):
                return (TextDelta(delta.text + "\ud800"),)
            case "malformed" | "equal_ids" | "empty_ids" | "unknown_tool" | "huge" if isinstance(
                delta, CallDelta
            ):
                return self._called(delta)
            case _:
                return (delta,)

    def _ended(self, delta: Delta) -> tuple[Delta, ...]:
        self._left -= 1
        if self._left and not isinstance(delta, Stopped):
            return (delta,)
        if self._fault == "broken":
            raise Network("The stream ended before the answer was complete.")
        self.over = True
        return (Stopped("length", delta.usage if isinstance(delta, Stopped) else None),)

    def _called(self, delta: CallDelta) -> tuple[Delta, ...]:
        index, arguments, name, id = delta.index, delta.arguments, delta.name, delta.provider_id
        match self._fault:
            case "malformed":
                return (CallDelta(index, arguments[: len(arguments) // 2], name, id),)
            case "equal_ids":
                return (CallDelta(index, arguments, name, "equal" if name else id),)
            case "empty_ids":
                return (CallDelta(index, arguments, name, ""),)
            case "unknown_tool":
                return (CallDelta(index, arguments, f"{name}_gone" if name else "", id),)
            case _:
                return self._swell(delta)

    def _swell(self, delta: CallDelta) -> tuple[Delta, ...]:
        """The first arguments of a call grow, the rest of them is left out."""
        if not delta.arguments:
            return (delta,)
        if delta.index in self._swollen:
            return ()
        self._swollen.add(delta.index)
        huge = '{"text": "' + "x" * 1_000_000 + '"}'
        return (CallDelta(delta.index, huge, delta.name, delta.provider_id),)


_FITS: type[Model] = ChaosModel
