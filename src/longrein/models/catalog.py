"""Who offers models: `provider:model` in, a model out. Data only; no wire is imported here."""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct, structs

from longrein.core.errors import UsageError
from longrein.models.base import Model
from longrein.models.efforts import LEVELS
from longrein.models.place import Place, Quirks
from longrein.models.secret import Secret

Wire: TypeAlias = Literal["openai_chat", "openai_responses", "anthropic"]


class Provider(Struct, frozen=True):
    """How one provider is reached. `key_env` None: it asks for no key."""

    base_url: str
    key_env: str | None
    wire: Wire = "openai_chat"
    quirks: Quirks = Quirks()
    url_env: str = ""
    """The environment variable that moves it elsewhere."""


class ProviderSettings(Struct, frozen=True, omit_defaults=True):
    """What a user sets for a provider, known or new. Empty leaves what is known.

    A key belongs into the environment (`key_env`) or, if it must, into `key`.

    >>> from longrein import ProviderSettings
    >>> ProviderSettings(base_url="http://127.0.0.1:8000/v1", key="secret")
    ProviderSettings(base_url='http://127.0.0.1:8000/v1', key_env='')
    """

    base_url: str = ""
    key: str = ""
    key_env: str = ""
    wire: Wire | None = None
    headers: Mapping[str, str] = {}
    short_call_ids: bool | None = None
    answer_before_user: bool | None = None
    output_field: str = ""
    reasoning_field: str = ""
    reasoning_details: bool | None = None
    stream_usage: bool | None = None

    def __repr__(self) -> str:
        return f"ProviderSettings(base_url={self.base_url!r}, key_env={self.key_env!r})"


class Known(Struct, frozen=True):
    """A provider that can be named, and whether its key is there (or none is needed)."""

    name: str
    key_env: str | None
    ready: bool


_OPENAI = Quirks(output_field="max_completion_tokens")

PROVIDERS: dict[str, Provider] = {
    "anthropic": Provider(
        "https://api.anthropic.com",
        "ANTHROPIC_API_KEY",
        "anthropic",
        url_env="ANTHROPIC_BASE_URL",
    ),
    "openai": Provider(
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        "openai_responses",
        url_env="OPENAI_BASE_URL",
    ),
    "openai-chat": Provider(
        "https://api.openai.com/v1", "OPENAI_API_KEY", quirks=_OPENAI, url_env="OPENAI_BASE_URL"
    ),
    "openrouter": Provider(
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        quirks=Quirks(reasoning_field="reasoning", reasoning_details=True, efforts=LEVELS),
        url_env="OPENROUTER_BASE_URL",
    ),
    "groq": Provider(
        "https://api.groq.com/openai/v1", "GROQ_API_KEY", quirks=_OPENAI, url_env="GROQ_BASE_URL"
    ),
    "deepseek": Provider(
        "https://api.deepseek.com",
        "DEEPSEEK_API_KEY",
        # It refuses a call whose reasoning is missing.
        quirks=Quirks(
            reasoning_field="reasoning_content", efforts=("low", "medium", "high", "max")
        ),
        url_env="DEEPSEEK_BASE_URL",
    ),
    "mistral": Provider(
        "https://api.mistral.ai/v1",
        "MISTRAL_API_KEY",
        quirks=Quirks(
            short_call_ids=True,
            answer_before_user=True,
            stream_usage=False,
            efforts=("none", "high"),
        ),
        url_env="MISTRAL_BASE_URL",
    ),
    "xai": Provider("https://api.x.ai/v1", "XAI_API_KEY", url_env="XAI_BASE_URL"),
    "together": Provider(
        "https://api.together.xyz/v1", "TOGETHER_API_KEY", url_env="TOGETHER_BASE_URL"
    ),
    "fireworks": Provider(
        "https://api.fireworks.ai/inference/v1",
        "FIREWORKS_API_KEY",
        url_env="FIREWORKS_BASE_URL",
    ),
    "ollama": Provider("http://127.0.0.1:11434/v1", None, url_env="OLLAMA_BASE_URL"),
    "lmstudio": Provider("http://127.0.0.1:1234/v1", None, url_env="LMSTUDIO_BASE_URL"),
    "vllm": Provider("http://127.0.0.1:8000/v1", None, url_env="VLLM_BASE_URL"),
}


def build(
    name: str,
    settings: Mapping[str, ProviderSettings],
    environ: Mapping[str, str],
    load: Callable[[Wire], Callable[[Place], Model]],
) -> Model:
    """The model that `name`, as in `anthropic:claude-opus-5`, stands for.

    `load` gives the class of a wire. Raises `UsageError` where the provider is unknown
    or its key is missing.
    """
    place, wire = find(name, settings, environ)
    return load(wire)(place)


def find(
    name: str, settings: Mapping[str, ProviderSettings], environ: Mapping[str, str]
) -> tuple[Place, Wire]:
    """Where the model `name` is, and the wire that it speaks; raises as `build` does."""
    who, colon, model = name.partition(":")
    if not colon or not who or not model:
        raise UsageError(f"{name!r} is not a model: write provider:model. {_listing(settings)}")
    given = settings.get(who, ProviderSettings())
    known = PROVIDERS.get(who) or _new(who, given, settings)
    place = Place(
        who,
        model,
        _base_url(known, given, environ),
        _key(who, known, given, environ),
        _quirks(known.quirks, given),
        given.headers,
    )
    return place, given.wire or known.wire


def known(
    settings: Mapping[str, ProviderSettings], environ: Mapping[str, str]
) -> tuple[Known, ...]:
    """Every provider that can be named here, by name."""
    names = sorted({*PROVIDERS, *(who for who, given in settings.items() if given.base_url)})
    found: list[Known] = []
    for who in names:
        given = settings.get(who, ProviderSettings())
        key_env = _key_env(PROVIDERS.get(who), given)
        ready = key_env is None or bool(given.key or environ.get(key_env))
        found.append(Known(who, key_env, ready))
    return tuple(found)


def _new(who: str, given: ProviderSettings, settings: Mapping[str, ProviderSettings]) -> Provider:
    if not given.base_url:
        raise UsageError(f"There is no provider {who!r}. {_listing(settings)}")
    return Provider(given.base_url, given.key_env or None)


def _listing(settings: Mapping[str, ProviderSettings]) -> str:
    names = sorted({*PROVIDERS, *(who for who, given in settings.items() if given.base_url)})
    return f"Known providers: {', '.join(names)}; others need a base_url in the settings."


def _base_url(known: Provider, given: ProviderSettings, environ: Mapping[str, str]) -> str:
    moved = environ.get(known.url_env, "") if known.url_env else ""
    return (given.base_url or moved or known.base_url).rstrip("/")


def _key_env(known: Provider | None, given: ProviderSettings) -> str | None:
    return given.key_env or (known.key_env if known else None)


def _key(who: str, known: Provider, given: ProviderSettings, environ: Mapping[str, str]) -> Secret:
    key_env = _key_env(known, given)
    if given.key:
        return Secret(given.key.strip(), key_env or f"{who}.key")
    value = environ.get(key_env, "").strip() if key_env else ""
    if key_env and not value:
        raise UsageError(
            f"The provider {who!r} needs a key: set the environment variable {key_env}."
        )
    return Secret(value, key_env or f"{who}.key")


def _quirks(known: Quirks, given: ProviderSettings) -> Quirks:
    changed = {name: getattr(given, name, None) for name in known.__struct_fields__}
    set_here = {name: value for name, value in changed.items() if value not in (None, "")}
    return structs.replace(known, **set_here)
