"""The work beside a run: looking at what is new, and condensing notes that have grown long."""

from collections.abc import Sequence

from msgspec import Struct

from longrein.capabilities.contexts import HookContext
from longrein.capabilities.observing.notes import (
    FAILED,
    OBSERVATIONS,
    OBSERVED,
    OBSERVING,
    REFLECTED,
    Failed,
    Observation,
    Observations,
    Observing,
    Role,
)
from longrein.capabilities.observing.ranges import Meter, closed, portion
from longrein.capabilities.observing.rendering import tokens_of_notes
from longrein.capabilities.observing.transcript import transcript
from longrein.capabilities.observing.writing import (
    OBSERVER,
    REFLECTOR,
    Written,
    read,
    to_observe,
    to_reflect,
)
from longrein.core.errors import ModelError, UsageError
from longrein.core.messages import Message

MOST_AT_ONCE = 2
"""An observer is shown at most so many times the threshold, unless one step alone is longer."""
MOST_SHOWN = 8
"""Characters that an observer is shown for each token of the threshold: twice that, as text."""
LEAST_OUTPUT, MOST_OUTPUT = 1_000, 16_000
"""Tokens of an answer, whatever the thresholds: some models think before they write."""
AGAIN_AFTER = 0.5
"""After a failure, so much of the threshold has to be new before the observer is asked again."""
GROWN = 1.25
"""Notes that a reflector is through with have to grow to so many times what they were."""
WORTH = 0.5
"""Notes may take so much of what they are about: longer ones would not be worth it."""
CONDENSED = 0.8
"""Condensed notes may take so much of what they were."""


class Settings(Struct, frozen=True):
    """Who takes notes, and when. Thresholds are in tokens, `timeout` is in seconds."""

    model: str
    reflector_model: str
    observe_at: int
    reflect_at: int
    timeout: float


class Useless(Exception):
    """An answer that nothing can be made of."""


class Observer:
    """Takes the notes on one thread. At most one model call is under way."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._meter = Meter()
        self._busy = False
        self._refused: str | None = None
        """The run in which nobody paid for it, or there was no such model."""

    def due(self, ctx: HookContext) -> bool:
        """Whether there is something to do. Costs what is new in the conversation."""
        if self._busy or self._refused == ctx.run:
            return False
        known = ctx.read(OBSERVATIONS)
        return self._unobserved(ctx.messages, known) is not None or self._overgrown(known)

    async def work(self, ctx: HookContext) -> None:
        """Do what is due. What comes of it, or why nothing does, is recorded."""
        if self._busy:
            return
        self._busy = True
        try:
            await self._observe(ctx)
            await self._reflect(ctx)
        finally:
            self._busy = False

    def _unobserved(self, messages: Sequence[Message], known: Observations) -> int | None:
        """Up to where there is enough to observe; None: there is not."""
        start = known.upto
        if start > len(messages):
            return None
        self._meter.count(messages, start)
        end = closed(messages, start)
        tokens, wanted = self._meter.between(start, end), self._settings.observe_at
        if known.failed:
            wanted = max(wanted, known.failed + int(AGAIN_AFTER * wanted))
        return end if end > start and tokens >= wanted else None

    def _overgrown(self, known: Observations) -> bool:
        return known.tokens >= max(self._settings.reflect_at, known.settled * GROWN)

    async def _observe(self, ctx: HookContext) -> None:
        known, messages = ctx.read(OBSERVATIONS), ctx.messages
        upto = self._unobserved(messages, known)
        if upto is None:
            return
        settings, seen, start = self._settings, ctx.seq, known.upto
        end = portion(messages, self._meter, start, upto, MOST_AT_ONCE * settings.observe_at)
        waiting, tokens = self._meter.between(start, upto), self._meter.between(start, end)
        ctx.record(OBSERVING, Observing("observer", start, end, tokens))
        await ctx.record_now()
        try:
            told = transcript(messages[start:end], start + 1, MOST_SHOWN * settings.observe_at)
            ask, most = to_observe(told, known.observations), settings.observe_at // 3
            said = await self._ask(ctx, "observer", OBSERVER, ask, settings.model, most)
            written = _useful(said, int(WORTH * tokens))
        except Exception as error:  # what fails again and again must not be paid again and again
            self._failed(ctx, Failed("observer", start, end, waiting, _why(error)), error)
        else:
            id = f"o{ctx.read(OBSERVATIONS).count + 1}"
            ctx.record(OBSERVED, _observation(id, start, end, seen, written))
        await ctx.record_now()

    async def _reflect(self, ctx: HookContext) -> None:
        known, settings = ctx.read(OBSERVATIONS), self._settings
        if self._refused == ctx.run or not self._overgrown(known):
            return
        # The newest stays as it is: it is the most likely to be wanted, and to be rewound.
        old = known.observations[:-1] or known.observations
        start, end, tokens = old[0].start, old[-1].end, sum(one.tokens for one in old)
        ctx.record(OBSERVING, Observing("reflector", start, end, tokens))
        await ctx.record_now()
        model = settings.reflector_model or settings.model
        try:
            most = settings.reflect_at // 2
            said = await self._ask(ctx, "reflector", REFLECTOR, to_reflect(old), model, most)
            written = _useful(said, int(CONDENSED * tokens))
        except Exception as error:  # as above
            self._failed(ctx, Failed("reflector", start, end, known.tokens, _why(error)), error)
        else:
            id = f"r{ctx.read(OBSERVATIONS).count + 1}"
            ctx.record(REFLECTED, _observation(id, start, end, old[-1].seen, written, old))
        await ctx.record_now()

    async def _ask(
        self, ctx: HookContext, role: Role, system: str, ask: str, model: str, most: int
    ) -> str:
        output = min(max(most, LEAST_OUTPUT), MOST_OUTPUT)
        return await ctx.call_model(
            role, system, ask, model=model, max_output=output, timeout=self._settings.timeout
        )

    def _failed(self, ctx: HookContext, failed: Failed, error: Exception) -> None:
        # Nobody pays for it, or there is no such model: asking again would say the same.
        self._refused = ctx.run if isinstance(error, UsageError) else None
        ctx.record(FAILED, failed)


def _useful(answer: str, most: int) -> Written:
    """The notes in an answer. Raises `Useless` where there are none, or far too many."""
    if not answer.strip():
        raise Useless("the model said nothing.")
    written = read(answer)
    if not written.notes:
        raise Useless("what the model said holds no notes in the form that it was asked for.")
    if (tokens := _tokens(written)) > most:
        raise Useless(f"the notes take {tokens:,} tokens, which is more than {most:,}.")
    return written


def _observation(
    id: str, start: int, end: int, seen: int, written: Written, of: Sequence[Observation] = ()
) -> Observation:
    spans = tuple(span for one in of for span in one.spans)
    notes, work, next = written.notes, written.work, written.next
    return Observation(id, start, end, seen, notes, work, next, _tokens(written), spans)


def _tokens(written: Written) -> int:
    return tokens_of_notes(written.notes, written.work, written.next)


def _why(error: Exception) -> str:
    if isinstance(error, ModelError | UsageError | TimeoutError | Useless):
        return str(error) or type(error).__name__
    return f"{type(error).__name__}: {error}"
