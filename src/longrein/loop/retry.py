"""When a failed model call is made again, by whom, and when it is given up."""

from msgspec import Struct

from longrein.core.errors import ModelError

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0


class Retry(Struct, frozen=True):
    """How patient a session is with a provider.

    `attempts` counts the first one. A provider's own hint is followed up to `longest_hint`
    seconds; a longer one is not worth waiting for.

    >>> from longrein import Retry
    >>> Retry(attempts=2).longest_hint
    300.0
    """

    attempts: int = 6
    longest_hint: float = 300.0


class Again(Struct, frozen=True):
    """Make the same call again after so many seconds."""

    seconds: float


class NextModel(Struct, frozen=True):
    """Let the next model of the chain take over."""


class GiveUp(Struct, frozen=True):
    """The run fails."""


def after_failure(
    error: ModelError, failures: int, models_left: int, policy: Retry, chance: float
) -> Again | NextModel | GiveUp:
    """What to do after an attempt failed; `failures` counts those before it, `chance` is in [0, 1).

    An answer that would be the same again is never asked for twice.
    """
    hint = error.retry_after
    patient = error.again and failures + 1 < policy.attempts
    if patient and (hint is None or hint <= policy.longest_hint):
        pause = min(FIRST_PAUSE * 2 ** min(failures, 10), LONGEST_PAUSE)
        # Jitter, so that sessions that failed together do not come back together.
        spread = pause * (0.5 + chance / 2)
        return Again(spread if hint is None else max(hint, 0.0) + spread / 4)
    return NextModel() if models_left > 0 else GiveUp()
