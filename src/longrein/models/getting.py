"""One small answer from a provider, to a question that costs nothing."""

import asyncio
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

import aiohttp
from msgspec import Struct

from longrein.core.errors import Network
from longrein.models.http import proxy_for

MOST_BYTES = 8_000_000
"""No list of models is longer."""


class Answer(Struct, frozen=True):
    """What came back. `headers` have names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


async def get(url: str, headers: Mapping[str, str], seconds: float) -> Answer:
    """What a server answers to a GET. Redirects are not followed: `headers` may hold a key.

    Raises `Network` where nothing comes back in time, or too much.
    """
    try:
        async with (
            asyncio.timeout(seconds),
            aiohttp.ClientSession(proxy=None if is_loopback(url) else proxy_for(url)) as client,
            client.get(url, headers=headers, allow_redirects=False) as response,
        ):
            body = await response.content.read(MOST_BYTES + 1)
            while len(body) <= MOST_BYTES and (more := await response.content.read(MOST_BYTES)):
                body += more
    except TimeoutError:
        raise Network(f"{url} did not answer within {seconds:g} seconds.") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        # Its text may quote the headers.
        raise Network(f"{url} cannot be reached ({type(error).__name__}).") from None
    if len(body) > MOST_BYTES:
        raise Network(f"{url} answers with more than {MOST_BYTES:,} bytes.")
    names = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status, names, body)


def is_loopback(url: str) -> bool:
    """Whether a server is on this machine.

    >>> is_loopback("http://127.0.0.1:11434/v1"), is_loopback("http://10.0.0.1")
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
