"""The provider keys that are known here: what must never be written or shown."""

from collections.abc import Mapping

from longrein.models.catalog import PROVIDERS, ProviderSettings
from longrein.models.kept import KeptKeys


def secrets(
    settings: Mapping[str, ProviderSettings],
    environ: Mapping[str, str],
    kept: KeptKeys | None = None,
) -> dict[str, str]:
    """Every key that is set, by the name that stands in its place.

    Keys that somebody would have to be asked for are not among them: who asks hides them.
    """
    names = {provider.key_env for provider in PROVIDERS.values() if provider.key_env}
    names |= {given.key_env for given in settings.values() if given.key_env}
    found = {name: value.strip() for name in names if (value := environ.get(name, ""))}
    found |= {f"{who}.key": given.key.strip() for who, given in settings.items() if given.key}
    if kept is not None:
        at_hand = {who: one for who, one in kept.entries.items() if one.at_hand}
        found = {f"{who}.key": one.reveal() for who, one in at_hand.items()} | found
    return found
