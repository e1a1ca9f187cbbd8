"""Where a model is to be had: what a wire is built from."""

from collections.abc import Mapping

from msgspec import Struct

from longrein.models.base import Effort
from longrein.models.secret import Secret


class Quirks(Struct, frozen=True):
    """Where a server that speaks OpenAI's chat completions differs from OpenAI."""

    short_call_ids: bool = False
    """Call ids are exactly nine letters and digits."""
    answer_before_user: bool = False
    """A user's words may not follow tool results: the assistant has to say something between."""
    output_field: str = "max_tokens"
    """The field that bounds the output."""
    reasoning_field: str = ""
    """The field in which the model's own reasoning is sent back; empty: it is not."""
    reasoning_details: bool = False
    """Signed reasoning comes, and is sent back, as `reasoning_details`."""
    stream_usage: bool = True
    """Usage has to be asked for with `stream_options`; False where that field is refused."""
    efforts: tuple[Effort, ...] = ("none", "low", "medium", "high")
    """The efforts that it accepts from models of which nothing else is known."""


class Place(Struct, frozen=True):
    """One model of one provider, with everything that is needed to reach it."""

    provider: str
    model: str
    base_url: str
    key: Secret
    quirks: Quirks = Quirks()
    headers: Mapping[str, str] = {}

    def __repr__(self) -> str:
        return f"Place({self.provider}:{self.model} at {self.base_url!r}, {self.key!r})"
