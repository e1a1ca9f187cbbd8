"""What settings files say about observational memory."""

from msgspec import Struct

from longrein.core.errors import UsageError


class ObservingTable(Struct, frozen=True, omit_defaults=True):
    """Whether notes are taken on long conversations, by which models, and at how many tokens."""

    enabled: bool | None = None
    model: str = ""
    reflector_model: str = ""
    observe_at: int | None = None
    reflect_at: int | None = None


def check_observing(given: ObservingTable, source: str) -> None:
    """Raises `UsageError` for thresholds that nothing can have."""
    for key, tokens in (("observe_at", given.observe_at), ("reflect_at", given.reflect_at)):
        if tokens is not None and tokens < 1:
            raise UsageError(
                f"{source}: observing.{key}: {tokens} is not a whole number from 1 on."
            )
