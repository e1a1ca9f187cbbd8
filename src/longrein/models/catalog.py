"""Who offers models: `provider:model` in, a model out. Data only; no wire is imported here."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct, structs

from longrein.core.errors import UsageError
from longrein.models.efforts import LEVELS
from longrein.models.kept import KeptKeys
from longrein.models.place import Place, Quirks
from longrein.models.secret import Secret

Wire: TypeAlias = Literal["openai_chat", "openai_responses", "anthropic"]


class Provider(Struct, frozen=True):
    """How one provider is reached; a variable `NAME_BASE_URL` moves it. `key_env` None: it asks
    for no key."""

    base_url: str
    key_env: str | None
    wire: Wire = "openai_chat"
    quirks: Quirks = Quirks()
    check_path: str = "/models"
    """What is asked for, without cost, to see whether a key is good."""


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
    """A provider that can be named, and whether its key is there (or none is needed).

    `origin` says where the key is from; empty: there is none.
    """

    name: str
    key_env: str | None
    ready: bool
    origin: str = ""

    @property
    def status(self) -> str:
        """How it is with the key, for people.

        >>> Known("groq", "GROQ_API_KEY", False).status
        'no key: longrein login groq'
        """
        if self.origin:
            return f"key from {self.origin}"
        return "needs no key" if self.ready else f"no key: longrein login {account(self.name)}"


_OPENAI = Quirks(output_field="max_completion_tokens")

PROVIDERS: dict[str, Provider] = {
    "anthropic": Provider(
        "https://api.anthropic.com", "ANTHROPIC_API_KEY", "anthropic", check_path="/v1/models"
    ),
    "openai": Provider("https://api.openai.com/v1", "OPENAI_API_KEY", "openai_responses"),
    "openai-chat": Provider("https://api.openai.com/v1", "OPENAI_API_KEY", quirks=_OPENAI),
    "openrouter": Provider(
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        quirks=Quirks(reasoning_field="reasoning", reasoning_details=True, efforts=LEVELS),
        check_path="/key",  # its models are listed for everybody
    ),
    "groq": Provider("https://api.groq.com/openai/v1", "GROQ_API_KEY", quirks=_OPENAI),
    "deepseek": Provider(
        "https://api.deepseek.com",
        "DEEPSEEK_API_KEY",
        # It refuses a call whose reasoning is missing.
        quirks=Quirks(
            reasoning_field="reasoning_content", efforts=("low", "medium", "high", "max")
        ),
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
    ),
    "xai": Provider("https://api.x.ai/v1", "XAI_API_KEY"),
    "together": Provider("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "fireworks": Provider("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    "ollama": Provider("http://127.0.0.1:11434/v1", None),
    "lmstudio": Provider("http://127.0.0.1:1234/v1", None),
    "vllm": Provider("http://127.0.0.1:8000/v1", None),
}


def find(
    name: str,
    settings: Mapping[str, ProviderSettings],
    environ: Mapping[str, str],
    kept: KeptKeys | None = None,
) -> tuple[Place, Wire]:
    """Where the model `name` is, and the wire that it speaks.

    `kept` has the keys that are in neither the settings nor the environment. Raises `UsageError`
    where the provider is unknown or its key is missing.
    """
    who, colon, model = name.partition(":")
    if not colon or not who or not model:
        raise UsageError(f"{name!r} is not a model: write provider:model. {_listing(settings)}")
    given = settings.get(who, ProviderSettings())
    known = PROVIDERS.get(who) or _new(who, given, settings)
    place = Place(
        who,
        model,
        _base_url(who, known, given, environ),
        _key(who, known, given, environ, kept),
        _quirks(known.quirks, given),
        given.headers,
    )
    return place, given.wire or known.wire


def known(
    settings: Mapping[str, ProviderSettings],
    environ: Mapping[str, str],
    kept: KeptKeys | None = None,
) -> tuple[Known, ...]:
    """Every provider that can be named here, by name. Nobody is asked for a key."""
    found: list[Known] = []
    for who in _names(settings):
        given = settings.get(who, ProviderSettings())
        key_env = _key_env(PROVIDERS.get(who), given)
        origin = _origin(who, key_env, given, environ, kept)
        found.append(Known(who, key_env, key_env is None or bool(origin), origin))
    return tuple(found)


def account(who: str) -> str:
    """The name under which a provider's key is kept: those that take the same key share it.

    >>> account("openai-chat"), account("mine")
    ('openai', 'mine')
    """
    key_env = PROVIDERS[who].key_env if who in PROVIDERS else None
    same = (name for name, one in PROVIDERS.items() if key_env and one.key_env == key_env)
    return next(same, who)


def _new(who: str, given: ProviderSettings, settings: Mapping[str, ProviderSettings]) -> Provider:
    if not given.base_url:
        raise UsageError(f"There is no provider {who!r}. {_listing(settings)}")
    return Provider(given.base_url, given.key_env or None)


def _listing(settings: Mapping[str, ProviderSettings]) -> str:
    names = ", ".join(_names(settings))
    return f"Known providers: {names}; others need a base_url in the settings."


def _names(settings: Mapping[str, ProviderSettings]) -> list[str]:
    return sorted({*PROVIDERS, *(who for who, given in settings.items() if given.base_url)})


def _base_url(
    who: str, known: Provider, given: ProviderSettings, environ: Mapping[str, str]
) -> str:
    moved = environ.get(f"{account(who).upper()}_BASE_URL", "") if who in PROVIDERS else ""
    return (given.base_url or moved or known.base_url).rstrip("/")


def _key_env(known: Provider | None, given: ProviderSettings) -> str | None:
    return given.key_env or (known.key_env if known else None)


def _origin(
    who: str,
    key_env: str | None,
    given: ProviderSettings,
    environ: Mapping[str, str],
    kept: KeptKeys | None,
) -> str:
    """Where the key of a provider is from; empty where there is none."""
    if given.key.strip():
        return "settings"
    if key_env and environ.get(key_env, "").strip():
        return f"environment {key_env}"
    entry = kept.entries.get(account(who)) if kept else None
    return entry.where if entry else ""


def _key(
    who: str,
    known: Provider,
    given: ProviderSettings,
    environ: Mapping[str, str],
    kept: KeptKeys | None,
) -> Secret:
    key_env = _key_env(known, given)
    value = given.key.strip() or (environ.get(key_env, "").strip() if key_env else "")
    entry = kept.entries.get(account(who)) if kept else None
    if not value and entry:
        return Secret(entry.reveal(), f"{account(who)}.key")
    if key_env and not value:
        raise UsageError(_no_key(who, key_env, kept))
    return Secret(value, key_env or f"{who}.key")


def _no_key(who: str, key_env: str, kept: KeptKeys | None) -> str:
    missing = f"The provider {who!r} needs a key: set the environment variable {key_env}"
    if kept is None:
        return f"{missing}."
    if kept.problem:
        return f"{missing}; kept keys cannot be used: {kept.problem}"
    return f"{missing}, or keep the key with `longrein login {account(who)}`."


def _quirks(known: Quirks, given: ProviderSettings) -> Quirks:
    changed = {name: getattr(given, name, None) for name in known.__struct_fields__}
    set_here = {name: value for name, value in changed.items() if value not in (None, "")}
    return structs.replace(known, **set_here)
