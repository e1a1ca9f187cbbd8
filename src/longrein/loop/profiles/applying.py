"""The capabilities of an agent as the profile of its model has them."""

import warnings
from collections.abc import Callable, Sequence

from longrein.capabilities.base import Capability
from longrein.core.errors import UsageError
from longrein.loop.checks import check_capabilities
from longrein.loop.profiles.profile import Added, Profile
from longrein.loop.profiles.registry import Profiles


def fitted(own: Sequence[Capability], profiles: Profiles, model: str) -> tuple[Capability, ...]:
    """The agent's own without those that are excluded, then those that are added.

    Of what is added the last of a name counts, and none that the agent has itself. Raises
    `UsageError` for what cannot be; where only packages ask for it, it is a warning instead, and
    left as it was.
    """
    kept = [one for one in own if _stays(one, profiles, model)]
    added: dict[str, Capability] = {}
    for one in profiles.of(model).capabilities:
        made = _made(one, profiles, model)
        if made is not None:
            added[made.name] = made
    names = {one.name for one in kept}
    return (*kept, *(one for name, one in added.items() if name not in names))


def _stays(one: Capability, profiles: Profiles, model: str) -> bool:
    if not profiles.of(model).excludes(one):
        return True
    if why := one.needed():
        text = f"The capability {one.name!r} cannot be excluded: {why}"
        _report(text, profiles, model, lambda profile: profile.excludes(one))
    return bool(why)


def _made(added: Added, profiles: Profiles, model: str) -> Capability | None:
    try:
        made = added if isinstance(added, Capability) else added()
        check_capabilities((made,))
        return made
    except Exception as error:  # protects the harness from the code of a profile
        text = f"What {added!r} makes cannot be added: {type(error).__name__}: {error}"
        _report(text, profiles, model, lambda profile: added in profile.capabilities)
        return None


def _report(text: str, profiles: Profiles, model: str, is_from: Callable[[Profile], bool]) -> None:
    """Say what is wrong to whoever brought it about."""
    culprits = [one for one in profiles.about(model) if is_from(one.profile)]
    told = f"Profile {', '.join(one.origin for one in culprits)}: {text}"
    if all(one.source == "package" for one in culprits):
        warnings.warn(told, RuntimeWarning, stacklevel=2)
    else:
        raise UsageError(told)
