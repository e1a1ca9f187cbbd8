"""Whether a provider takes a key: asked without cost."""

import re
import time
from typing import TypeAlias

from msgspec import Struct

from longrein.core.errors import Network
from longrein.models.catalog import PROVIDERS, Provider, Wire
from longrein.models.errors import from_response
from longrein.models.getting import get
from longrein.models.place import Place
from longrein.models.wire import bearer

SECONDS = 10.0
VERSION = "2023-06-01"
"""Of Anthropic's wire."""

_KEY = re.compile(r"\bapi.?key\b|\bcredential", re.IGNORECASE)


class Accepted(Struct, frozen=True):
    """The provider takes the key."""


class Refused(Struct, frozen=True):
    """The provider does not take the key, and says why."""

    why: str


class Unchecked(Struct, frozen=True):
    """Nobody knows: nothing answered, or something that is neither yes nor no."""

    why: str


Verdict: TypeAlias = Accepted | Refused | Unchecked


async def probe(place: Place, wire: Wire, seconds: float = SECONDS) -> Verdict:
    """What the provider says to the key of `place`, in one request that costs nothing."""
    url = url_of(place, wire)
    try:
        answer = await get(url, headers_for(place, wire), seconds)
    except Network as error:
        return Unchecked(place.key.hide(str(error)))
    if answer.status == 200:
        return Accepted()
    error = from_response(answer.status, answer.headers, answer.body, place.key, time.time())
    # Some say 400, in words.
    if answer.status in (401, 403) or (answer.status == 400 and _KEY.search(str(error))):
        return Refused(str(error))
    return Unchecked(f"{url} answers with status {answer.status}: {error}")


def url_of(place: Place, wire: Wire) -> str:
    """What is asked for to see whether a key is good: its models, for most."""
    usual = Provider("", None, check_path="/v1/models" if wire == "anthropic" else "/models")
    return place.base_url + PROVIDERS.get(place.provider, usual).check_path


def headers_for(place: Place, wire: Wire) -> dict[str, str]:
    """What shows the key, as the wire wants it, and what the settings add."""
    if wire == "anthropic" and place.key.reveal():
        return {
            "x-api-key": place.key.reveal(),
            "anthropic-version": VERSION,
            **place.headers,
        }
    return {**bearer(place.key), **place.headers}
