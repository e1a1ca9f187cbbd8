"""The models that providers say they have: the user's own ones, and servers on this machine."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from longrein.core.errors import LongreinError
from longrein.models.catalog import PROVIDERS, ProviderSettings, Wire
from longrein.models.errors import from_response
from longrein.models.getting import get
from longrein.models.listing import ModelInfo
from longrein.models.local import ids_in, local_servers
from longrein.models.place import Place
from longrein.models.probing import headers_for, url_of

SECONDS = 2.0


async def offered(
    find: Callable[[str], Awaitable[tuple[Place, Wire]]],
    providers: Mapping[str, ProviderSettings],
    environ: Mapping[str, str],
    seconds: float = SECONDS,
) -> list[ModelInfo]:
    """The models of providers that only the settings know, which `find` finds, and of Ollama and LM
    Studio here. One that does not answer in time is there as a model without a name, which says
    why."""
    new = [who for who, given in providers.items() if given.base_url and who not in PROVIDERS]
    own = asyncio.gather(*(_of(who, find, seconds) for who in new))
    servers, found = await asyncio.gather(local_servers(providers=providers, environ=environ), own)
    return [
        *(one for models in found for one in models),
        *(
            ModelInfo(name, server.provider, True, key=f"{server.title} at {server.url}")
            for server in servers
            for name in server.models
        ),
    ]


async def _of(
    who: str, find: Callable[[str], Awaitable[tuple[Place, Wire]]], seconds: float
) -> list[ModelInfo]:
    try:
        async with asyncio.timeout(seconds):
            names = await _names(*await find(f"{who}:any"), seconds)
    except (LongreinError, TimeoutError) as error:
        problem = str(error) or f"It did not answer within {seconds:g} seconds."
        return [ModelInfo(f"{who}:", who, False, problem)]
    return [ModelInfo(f"{who}:{name}", who, True) for name in names]


async def _names(place: Place, wire: Wire, seconds: float) -> Sequence[str]:
    url = url_of(place, wire)
    answer = await get(url, headers_for(place, wire), seconds)
    if answer.status != 200:
        said = from_response(answer.status, answer.headers, answer.body, place.key, time.time())
        raise LongreinError(f"It does not list its models: {said}")
    try:
        return sorted(ids_in(answer.body))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise LongreinError(f"It does not list its models: {url} answers otherwise.") from None
