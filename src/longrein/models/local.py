"""Servers of models on this machine."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import Struct

from longrein.core.errors import Network
from longrein.models.catalog import ProviderSettings, find
from longrein.models.getting import get, is_loopback

SECONDS = 0.5


class LocalServer(Struct, frozen=True):
    """A server that answered: its provider, what people call it, where it is, and its models, each
    as `provider:model`."""

    provider: str
    title: str
    url: str
    models: tuple[str, ...]


async def local_servers(
    timeout: float = SECONDS,
    *,
    providers: Mapping[str, ProviderSettings] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Sequence[LocalServer]:
    """The servers of Ollama and LM Studio that answer on loopback. `providers` and `environ` may
    have moved them.

    Whatever listens there, this takes little longer than `timeout` seconds and raises nothing.
    """
    asked = (_ask(kind, providers or {}, environ or {}, timeout) for kind in _KINDS)
    return [found for found in await asyncio.gather(*asked) if found]


class _Kind(Struct, frozen=True):
    """One kind of server: where it lists its models, and how."""

    provider: str
    title: str
    path: str
    read: Callable[[bytes], Sequence[str]]


async def _ask(
    kind: _Kind,
    providers: Mapping[str, ProviderSettings],
    environ: Mapping[str, str],
    seconds: float,
) -> LocalServer | None:
    place, _ = find(f"{kind.provider}:any", providers, environ)
    url = place.base_url.removesuffix("/v1")
    if not is_loopback(url):
        return None
    try:
        answer = await get(f"{url}{kind.path}", {}, seconds)
        names = kind.read(answer.body) if answer.status == 200 else ()
    except (Network, msgspec.MsgspecError, UnicodeDecodeError):
        return None  # nothing, or something else, listens there
    models = tuple(f"{kind.provider}:{name}" for name in sorted(names) if name)
    return LocalServer(kind.provider, kind.title, url, models) if models else None


class _OllamaDetails(Struct):
    family: str = ""


class _OllamaModel(Struct):
    name: str
    details: _OllamaDetails | None = None


class _OllamaTags(Struct):
    models: list[_OllamaModel]


class _Model(Struct):
    id: str


class _Models(Struct):
    data: list[_Model]


def _of_ollama(body: bytes) -> Sequence[str]:
    models = msgspec.json.decode(body, type=_OllamaTags).models
    # Those that only embed text answer nothing.
    return [one.name for one in models if not one.details or "bert" not in one.details.family]


def ids_in(body: bytes) -> Sequence[str]:
    """The models of a list as OpenAI has it, but for those that only embed text."""
    models = msgspec.json.decode(body, type=_Models).data
    return [one.id for one in models if not one.id.startswith("text-embedding-")]


_KINDS = (
    _Kind("ollama", "Ollama", "/api/tags", _of_ollama),
    _Kind("lmstudio", "LM Studio", "/v1/models", ids_in),
)
