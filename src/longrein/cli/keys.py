"""The keys that are kept for the user here: in a file, or in the keyring."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from longrein.core.errors import UsageError
from longrein.models.kept import KeptKeys
from longrein.settings.keys import kept_keys
from longrein.settings.places import Places

if TYPE_CHECKING:
    from longrein.models.keyring import SystemKeyring

LOOK_SECONDS = 3.0
"""How long a keyring is looked for."""

NO_PACKAGE = "the package is not installed (pip install 'longrein[keyring]')"
NONE_HERE = "there is none on this machine"


def keys_of(places: Places) -> KeptKeys:
    """The keys that `longrein login` keeps. The keyring is asked only for those that are used."""
    return kept_keys(places.keys_file, _from_keyring)


def keyring_problem() -> str:
    """Why there is no keyring to keep keys in; empty where there is one."""
    if find_spec("keyring") is None:
        return NO_PACKAGE
    try:
        return "" if _keyring(LOOK_SECONDS).name() else NONE_HERE
    except UsageError as error:
        return str(error)


def open_keyring() -> "SystemKeyring":
    """The keyring. Raises `UsageError` where there is none."""
    if problem := keyring_problem():
        raise UsageError(f"The keyring cannot be used: {problem.rstrip('.')}.")
    return _keyring()


def _from_keyring(provider: str) -> str:
    if find_spec("keyring") is None:
        raise UsageError(
            f"The key of {provider} is in the keyring, but {NO_PACKAGE}. Or keep it in a file: "
            f"`longrein login {provider} --file`."
        )
    return _keyring().get(provider)


def _keyring(seconds: float | None = None) -> "SystemKeyring":
    from longrein.models.keyring import SystemKeyring  # it takes a tenth of a second

    return SystemKeyring() if seconds is None else SystemKeyring(seconds)
