"""What every durable event has."""

from msgspec import Struct

from longrein.core.naming import snake_case


class Durable(
    Struct, frozen=True, kw_only=True, tag_field="type", tag=snake_case, omit_defaults=True
):
    """What every durable event has."""

    seq: int = 0
    time: int = 0
    run: str = ""
    epoch: int = 0
    cause: str = ""
